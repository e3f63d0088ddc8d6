"""Write bots that play Mighty over gRPC.

A bot is a class derived from `Bot`; `run` plays it. `mighty.v1` is the generated code of the wire.
"""

from . import moves
from .bid import Bid, Trump
from .bot import Answer, Bot
from .card import DECK, JOKER, RANKS, Card, Suit, points
from .choices import (
    BidRange,
    BuryChoices,
    CallChoices,
    Choices,
    ContractChoices,
    ContractRange,
    FriendChoices,
    PlayChoices,
    WeakHandChoices,
)
from .match import Match, MatchResult, Rules, SeatInfo
from .moves import Move
from .place import Identity, Ladder, Place, Table
from .runner import DEFAULT_SERVER, play, run
from .session import Session
from .stopped import Counts, Stopped, Why
from .stream import Limits, open_channel
from .turn import Refusal, Turn
from .view import (
    AuctionCall,
    AuctionRound,
    AuctionWon,
    CallKind,
    Contract,
    Friend,
    FriendCall,
    FriendState,
    Hand,
    HandResult,
    Side,
    Stage,
    Trick,
    View,
)

__all__ = [
    "DECK",
    "DEFAULT_SERVER",
    "JOKER",
    "RANKS",
    "Answer",
    "AuctionCall",
    "AuctionRound",
    "AuctionWon",
    "Bid",
    "BidRange",
    "Bot",
    "BuryChoices",
    "CallChoices",
    "CallKind",
    "Card",
    "Choices",
    "Contract",
    "ContractChoices",
    "ContractRange",
    "Counts",
    "Friend",
    "FriendCall",
    "FriendChoices",
    "FriendState",
    "Hand",
    "HandResult",
    "Identity",
    "Ladder",
    "Limits",
    "Match",
    "MatchResult",
    "Move",
    "Place",
    "PlayChoices",
    "Refusal",
    "Rules",
    "SeatInfo",
    "Session",
    "Side",
    "Stage",
    "Stopped",
    "Suit",
    "Table",
    "Trick",
    "Trump",
    "Turn",
    "View",
    "WeakHandChoices",
    "Why",
    "moves",
    "open_channel",
    "play",
    "points",
    "run",
]
