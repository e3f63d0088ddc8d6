"""Where a bot wants to sit, and who it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Table:
    """A seat at a table; the first open one when no seat is named. The session ends with the match."""

    table_id: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Ladder:
    """A seat in so many matches of the ladder; 0 for as long as there are any."""

    matches: int = 0


Place: TypeAlias = Table | Ladder
"""Where a bot wants to sit."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a bot is."""

    name: str
    """1 to 32 letters, digits, `-`, `_`, `.`."""
    version: str = ""
    token: str = field(default="", repr=False)
    """The bot's secret; empty on a server that asks for none."""
