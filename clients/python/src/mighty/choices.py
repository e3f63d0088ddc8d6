"""What a seat may do, for each stage that asks it something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from . import moves
from .bid import Bid, Trump
from .card import DECK, JOKER, Card, Suit


@dataclass(frozen=True, slots=True)
class WeakHandChoices:
    """Keep the weak hand or throw it in: both are allowed."""

    def moves(self) -> list[str]:
        """Every move there is, in text notation."""
        return [moves.KEEP, moves.THROW_IN]


@dataclass(frozen=True, slots=True)
class BidRange:
    """The points, `lowest` to `highest`, for which a trump may be bid or had."""

    trump: Trump
    lowest: int
    highest: int

    def __iter__(self) -> Iterator[Bid]:
        return (Bid(points, self.trump) for points in range(self.lowest, self.highest + 1))


@dataclass(frozen=True, slots=True)
class CallChoices:
    """What may be said in the auction."""

    bids: tuple[BidRange, ...]
    """The bids by trump; a trump that is missing cannot be bid."""
    may_pass: bool
    may_throw_in: bool
    """Whether the seat may throw in its weak hand instead."""

    def moves(self) -> list[str]:
        """Every move there is, in text notation."""
        passing = [moves.PASS] if self.may_pass else []
        throwing_in = [moves.THROW_IN] if self.may_throw_in else []
        return passing + throwing_in + [str(bid) for bids in self.bids for bid in bids]


@dataclass(frozen=True, slots=True)
class BuryChoices:
    """Any three of these cards may be buried."""

    cards: tuple[Card, ...]
    """The thirteen cards."""

    def moves(self) -> list[str]:
        """Every move there is, in text notation: 286 of them."""
        return [moves.bury(three) for three in combinations(self.cards, 3)]


@dataclass(frozen=True, slots=True)
class ContractRange:
    """The contracts that may be had with one trump."""

    bids: BidRange
    calling_cards: tuple[Card, ...]
    """The calling cards of which one must be named; none where the rules fix the calling card."""


@dataclass(frozen=True, slots=True)
class ContractChoices:
    """The contracts that may be fixed."""

    contracts: tuple[ContractRange, ...]
    """By trump; a trump that is missing is not to be had."""

    def moves(self) -> list[str]:
        """Every move there is, in text notation."""
        return [
            moves.fix_contract(bid, calling_card)
            for contract in self.contracts
            for bid in contract.bids
            for calling_card in contract.calling_cards or (None,)
        ]


@dataclass(frozen=True, slots=True)
class FriendChoices:
    """What may be called as friend."""

    card: bool
    """Whether a card may be called: any of the 53."""
    lead_request: bool
    """Whether the call of a card may ask for a lead."""
    first_trick: bool
    """Whether the winner of the first trick may be called."""
    nobody: bool
    kitty: tuple[Card, ...]
    """The buried cards of which one may be marked; none where that is not allowed."""

    def moves(self) -> list[str]:
        """Every move there is, in text notation."""
        requests = (None, *Suit) if self.lead_request else (None,)
        cards = DECK if self.card else ()
        called = [moves.call_card(card, request) for card in cards for request in requests]
        first_trick = [moves.CALL_FIRST_TRICK] if self.first_trick else []
        nobody = [moves.CALL_NOBODY] if self.nobody else []
        return called + first_trick + nobody + [moves.call_kitty(card) for card in self.kitty]


@dataclass(frozen=True, slots=True)
class PlayChoices:
    """What may be played."""

    cards: tuple[Card, ...]
    """The cards that may be played, the joker among them where it may."""
    joker_suits: tuple[Suit, ...]
    """The suits of which a joker played now must name one (or none, see below); empty where it names nothing."""
    joker_may_name_none: bool
    calling_card: Card | None
    """The card that may also be led to call the joker; None where there is none."""
    may_reveal: bool
    """Whether the seat may reveal itself as the friend with its play."""

    def moves(self) -> list[str]:
        """Every move there is, in text notation; each may be made `revealing` too where `may_reveal`."""
        plain = [str(card) for card in self.cards if not card.is_joker]
        calling = [] if self.calling_card is None else [moves.call_joker(self.calling_card)]
        return plain + self._joker_moves() + calling

    def _joker_moves(self) -> list[str]:
        if JOKER not in self.cards:
            return []
        named: tuple[Suit | None, ...] = self.joker_suits + ((None,) if self.joker_may_name_none else ())
        return [moves.lead_joker(suit) for suit in named] or [str(JOKER)]


Choices: TypeAlias = WeakHandChoices | CallChoices | BuryChoices | ContractChoices | FriendChoices | PlayChoices
"""What a seat may do now. A move is accepted exactly when it is among its `moves()`."""
