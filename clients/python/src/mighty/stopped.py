"""How a session ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .match import MatchResult


@dataclass(frozen=True, slots=True)
class Stopped:
    """How a session ended, and what came out of it."""

    why: Why
    message: str
    results: tuple[MatchResult, ...]
    counts: Counts

    @property
    def is_well(self) -> bool:
        """Whether it ended as was asked for."""
        return self.why in (Why.FINISHED, Why.LEFT)


class Why(Enum):
    """Why a session stopped."""

    FINISHED = "finished"
    """All matches were played."""
    LEFT = "left"
    """The bot left."""
    TAKEN_OVER = "taken over"
    """Another stream has taken the seat over."""
    GIVEN_UP = "given up"
    """The seat was given up after too many defaults or too long an absence."""
    BROKEN_OFF = "broken off"
    """The table was broken off by a fault of the server."""
    REJECTED = "rejected"
    """Coming back would not help: the server does not want this bot there, or is not understood."""
    UNREACHABLE = "unreachable"
    """The server could not be reached for as long as the session's patience lasts."""


@dataclass(slots=True)
class Counts:
    """What happened in a session."""

    turns: int = 0
    refused: int = 0
    """Answers that broke a rule or could not be read."""
    stale: int = 0
    """Answers that came too late, or for another turn."""
    errors: int = 0
    """Exceptions in the bot; where it was asked for a move the default was sent."""
    defaults: int = 0
    """Default moves that the table made for this seat."""
    reconnects: int = 0
    """Connections that were lost, however many attempts it took to come back."""
