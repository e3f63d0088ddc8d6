"""A bot that plays anything."""

from __future__ import annotations

import random

from .. import moves
from ..bot import Bot
from ..choices import CallChoices, PlayChoices
from ..turn import Turn


class RandomBot(Bot):
    """Passes four times in five when it may, and else makes any legal move, each as likely as the others.

    Were its bids as likely as its passes, every auction among such bots would run to 20.
    """

    def __init__(self, seed: int | None = None) -> None:
        """A bot that makes the same choices again for the same seed."""
        self._random = random.Random(seed)

    def act(self, turn: Turn) -> str:
        """Draws a move."""
        if isinstance(turn.choices, CallChoices) and turn.choices.may_pass and self._random.random() < 0.8:
            return moves.PASS
        move = self._random.choice(turn.choices.moves())
        may_reveal = isinstance(turn.choices, PlayChoices) and turn.choices.may_reveal
        return moves.revealing(move) if may_reveal and self._random.random() < 0.5 else move
