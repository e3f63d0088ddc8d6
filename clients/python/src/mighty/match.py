"""A match: its rules, who sits where, and how it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .bid import Trump
from .card import Card


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a table: a profile, and every option as the rule book names it."""

    profile: str
    json: str
    """All options in full, as JSON."""
    hash: str
    """SHA-256 of `json`: equal rules have equal hashes."""
    options: dict[str, Any] = field(init=False, repr=False, compare=False)
    """All options in full, nested as in the rule book."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", json.loads(self.json))

    def __getitem__(self, path: str) -> Any:  # noqa: ANN401 (options are of many types)
        """The value of an option by its dotted path, such as `rules["play.joker.first_trick"]`."""
        value: Any = self.options
        for name in path.split("."):
            value = value[name]
        return value

    def mighty(self, trump: Trump | None) -> Card:
        """The Mighty with this trump."""
        if trump is Trump.SPADES:
            return Card.of(self["play.mighty_when_spades_trump"])
        return Card.of("AS")


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """Who sits at a seat."""

    name: str
    is_house: bool
    is_present: bool
    is_given_up: bool


@dataclass(frozen=True, slots=True)
class Match:
    """A match in which this bot has a seat."""

    match_id: str
    table_id: str
    rules: Rules
    seat: int
    """This bot's seat, 0 to 4."""
    seats: tuple[SeatInfo, ...]
    bank: float
    """Seconds of thinking for the whole match."""
    increment: float
    """Seconds that each move adds to what may be thought about it."""
    commitment: str
    """SHA-256 of the secret seed from which every deck follows."""
    cut: tuple[Card, ...]
    """The card that each seat drew in the cut for the first deal."""
    is_duplicate: bool
    """Whether each deal stands alone."""
    is_ladder: bool


@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended for this bot."""

    match_id: str
    table_id: str
    seat: int
    totals: tuple[float, ...]
    """The points of seats 0 to 4, exact to half a point."""
    places: tuple[int, ...]
    """The place of each seat, 1 for the highest total."""
    record_id: str
    seed: str
    """The secret seed in hex, revealed."""
    given_up: bool
    """Whether this bot's seat was given up, so that a house bot played on."""

    @property
    def points(self) -> float:
        """The points of this bot's seat."""
        return self.totals[self.seat]

    @property
    def place(self) -> int:
        """The place of this bot's seat."""
        return self.places[self.seat]
