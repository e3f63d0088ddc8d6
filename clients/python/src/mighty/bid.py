"""Bids and trumps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .card import Card, Suit


class Trump(Enum):
    """What a bid or a contract names as trump. Its value is its letter."""

    SPADES = "S"
    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    NO_TRUMP = "N"

    @property
    def suit(self) -> Suit | None:
        """The suit that is trumps; None in no trump."""
        return None if self is Trump.NO_TRUMP else Suit(self.value)

    def has(self, card: Card) -> bool:
        """Whether the card is of the trump suit."""
        return card.suit is not None and card.suit is self.suit

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Bid:
    """How many of the twenty points the declarer's side means to take, and with which trump."""

    points: int
    trump: Trump

    @staticmethod
    def of(text: str) -> Bid:
        """Reads a bid such as `14D` or `13N`."""
        points, trump = text[:-1], text[-1:]
        if not (points.isdecimal() and 1 <= int(points) <= 20 and trump in {each.value for each in Trump}):
            raise ValueError(f"{text!r} is no bid: write points and trump, such as 14D or 13N")
        return Bid(int(points), Trump(trump))

    def __str__(self) -> str:
        return f"{self.points}{self.trump}"
