"""Moves, as the text notation writes them.

A bot answers with such a text. It may write it by hand, or have it written here. A card is the play of that card, and
a bid the bid of it, so both may be returned as they are.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

from .bid import Bid
from .card import Card, Suit

Move: TypeAlias = str | Card | Bid
"""A move: its text, a card to play, or a bid to make."""

THROW_IN: Final = "x"
"""Throws in a weak hand."""
KEEP: Final = "="
"""Keeps a weak hand."""
PASS: Final = "-"
"""Passes."""
CALL_FIRST_TRICK: Final = "f:1st"
"""Calls whoever wins the first trick as friend."""
CALL_NOBODY: Final = "f:none"
"""Plays alone, announced."""


def bury(cards: Iterable[Card]) -> str:
    """Buries three cards: `d:2C3D4H`."""
    return "d:" + "".join(map(str, cards))


def fix_contract(bid: Bid, calling_card: Card | None = None) -> str:
    """Fixes the contract, with a calling card where the rules let the declarer name one: `=15D`, `=15D?2C`."""
    return f"={bid}" if calling_card is None else f"={bid}?{calling_card}"


def call_card(card: Card, lead_request: Suit | None = None) -> str:
    """Calls the holder of a card as friend, perhaps asked to lead a suit: `f:AS`, `f:AS>D`."""
    return f"f:{card}" if lead_request is None else f"f:{card}>{lead_request}"


def call_kitty(card: Card) -> str:
    """Marks a buried card as friend: `f:kitty:2C`."""
    return f"f:kitty:{card}"


def lead_joker(suit: Suit | None) -> str:
    """Leads a joker that names a suit, `JK/H`, or none, `JK/-`."""
    return "JK/-" if suit is None else f"JK/{suit}"


def call_joker(calling_card: Card) -> str:
    """Leads the calling card and calls the joker, where calling is optional: `3C!`."""
    return f"{calling_card}!"


def revealing(play: str | Card) -> str:
    """A play with which the friend reveals itself: `7D+`."""
    return f"{play}+"
