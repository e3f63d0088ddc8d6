"""Cards and suits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Suit(Enum):
    """A suit, in the order in which auctions rank them. Its value is its letter."""

    SPADES = "S"
    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"

    def __str__(self) -> str:
        return self.value


RANKS: Final = "23456789TJQKA"
"""The ranks from low to high; the rank of a card counts from 2 to 14."""


@dataclass(frozen=True, slots=True)
class Card:
    """One of the 53 cards, such as `Card.of("AS")`. The joker has no suit, and rank 0."""

    rank: int
    suit: Suit | None

    @staticmethod
    def of(text: str) -> Card:
        """Reads a card: rank and suit, `JK` for the joker."""
        card = _BY_TEXT.get(text)
        if card is None:
            raise ValueError(f"{text!r} is no card: write rank and suit, such as AS, TD or 2C, or JK")
        return card

    @staticmethod
    def many(text: str) -> tuple[Card, ...]:
        """Reads cards with blanks between them, or without."""
        dense = text.replace(" ", "")
        return tuple(Card.of(dense[start : start + 2]) for start in range(0, len(dense), 2))

    @property
    def is_joker(self) -> bool:
        """Whether this is the joker."""
        return self.suit is None

    @property
    def is_point(self) -> bool:
        """Whether this is one of the twenty point cards A K Q J T."""
        return self.rank >= 10

    def __str__(self) -> str:
        return "JK" if self.suit is None else f"{RANKS[self.rank - 2]}{self.suit}"

    def __repr__(self) -> str:
        return f"Card({self})"

    def __lt__(self, other: Card) -> bool:
        """Sorts by suit, then rank, the joker last."""
        return _PLACE[self] < _PLACE[other]


JOKER: Final = Card(0, None)
DECK: Final[tuple[Card, ...]] = (*(Card(rank, suit) for suit in Suit for rank in range(2, 15)), JOKER)
"""All 53 cards, sorted."""

_BY_TEXT: Final = {str(card): card for card in DECK}
_PLACE: Final = {card: place for place, card in enumerate(DECK)}


def points(cards: Iterable[Card]) -> int:
    """How many of these cards are point cards."""
    return sum(card.is_point for card in cards)
