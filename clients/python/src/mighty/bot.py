"""The bot: what an author writes."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeAlias, assert_never

from .choices import (
    BuryChoices,
    CallChoices,
    ContractChoices,
    FriendChoices,
    PlayChoices,
    WeakHandChoices,
)
from .match import Match, MatchResult
from .moves import Move
from .turn import Turn
from .v1 import event_pb2

Answer: TypeAlias = Move | Awaitable[Move]
"""What a method of a bot returns: a move, or, when it is `async`, a promise of one."""


class Bot:
    """Somebody who plays a seat.

    Override a method for each stage that the bot cares for: what it leaves makes the default move. Or override `act`,
    which is asked everything. A method may be `async`; one that thinks long should be, since a plain one keeps the
    other seats of the process waiting.
    """

    def act(self, turn: Turn) -> Answer:
        """Answers any turn; by default with the method of its stage."""
        match turn.choices:
            case WeakHandChoices() as choices:
                return self.weak_hand(turn, choices)
            case CallChoices() as choices:
                return self.bid(turn, choices)
            case BuryChoices() as choices:
                return self.exchange(turn, choices)
            case ContractChoices() as choices:
                return self.fix_contract(turn, choices)
            case FriendChoices() as choices:
                return self.call_friend(turn, choices)
            case PlayChoices() as choices:
                return self.play(turn, choices)
            case _:
                assert_never(turn.choices)

    def weak_hand(self, turn: Turn, choices: WeakHandChoices) -> Answer:
        """Keeps a weak hand or throws it in; by default it keeps it."""
        return turn.default

    def bid(self, turn: Turn, choices: CallChoices) -> Answer:
        """Speaks in the auction; by default it passes where it may."""
        return turn.default

    def exchange(self, turn: Turn, choices: BuryChoices) -> Answer:
        """Buries three of thirteen cards; by default the lowest plain ones."""
        return turn.default

    def fix_contract(self, turn: Turn, choices: ContractChoices) -> Answer:
        """Fixes the contract; by default as it was bid."""
        return turn.default

    def call_friend(self, turn: Turn, choices: FriendChoices) -> Answer:
        """Calls a friend; by default the Mighty, else the joker, else the highest trump that it has not itself."""
        return turn.default

    def play(self, turn: Turn, choices: PlayChoices) -> Answer:
        """Plays a card; by default the lowest legal one."""
        return turn.default

    def match_started(self, match: Match) -> None:
        """Hears that a match begins."""

    def saw(self, event: event_pb2.Event) -> None:
        """Hears of everything that happens at the table, once and in order, as the wire tells it."""

    def match_over(self, result: MatchResult) -> None:
        """Hears how a match ended."""
