"""A turn: what a bot is asked."""

from __future__ import annotations

from dataclasses import dataclass

from .choices import Choices
from .match import Match
from .v1 import event_pb2
from .view import View


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the last answer to a turn was refused."""

    move: str
    reason: str
    """The machine-readable reason, such as `MUST_FOLLOW`."""
    message: str
    """A sentence that says what would be right."""
    tries_left: int
    """How many more answers may be refused before the table makes the default move."""


@dataclass(frozen=True, slots=True)
class Turn:
    """It is the bot's turn."""

    match: Match
    number: int
    """Which turn of this seat in this match, from 1."""
    view: View
    choices: Choices
    default: str
    """The move that the table makes when no answer comes in time."""
    time_left: float
    """How many seconds the seat may think: the rest of its bank and the increment."""
    last_took: float | None
    """How many seconds the last answer took, as charged by the clock; None before the first."""
    last_late: float | None
    """By how many seconds the last answer came too late; None when it was in time or never came."""
    events: tuple[event_pb2.Event, ...]
    """What happened since the seat's last message, as the wire tells it."""
    refusal: Refusal | None = None
    """Set when the bot is asked again because its answer was refused."""
