"""What a seat may know of the hand in play."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .bid import Bid, Trump
from .card import DECK, Card, Suit, points
from .match import Rules


class Stage(Enum):
    """What a hand waits for."""

    AUCTION = 1
    EXCHANGE = 2
    CONTRACT = 3
    FRIEND_CALL = 4
    PLAY = 5
    OVER = 6


class AuctionRound(Enum):
    """Which auction of a hand: a second one has the same cards, a lowered one asks for the minimum less one."""

    FIRST = 1
    SECOND = 2
    LOWERED = 3


class Side(Enum):
    """On which side a seat is, as far as the viewer knows."""

    DECLARER = "declarer"
    DEFENDERS = "defenders"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Hand:
    """Which hand of the match, and who deals."""

    number: int
    redeal: int
    """How often it was dealt before."""
    dealer: int
    first_bidder: int
    pot: int


@dataclass(frozen=True, slots=True)
class AuctionCall:
    """What a seat said in the auction: its bid, or None for a pass."""

    seat: int
    bid: Bid | None


@dataclass(frozen=True, slots=True)
class AuctionWon:
    """How the auction ended: with a bid, or with a dealer who must declare for these points with any trump."""

    declarer: int
    bid: Bid | None
    dealer_declares_points: int | None


@dataclass(frozen=True, slots=True)
class Contract:
    """The contract of a hand, and the two special cards that follow from it."""

    bid: Bid
    mighty: Card
    calling_card: Card


class CallKind(Enum):
    """Whom a declarer calls."""

    CARD = "card"
    FIRST_TRICK = "first trick"
    NOBODY = "nobody"
    KITTY = "kitty"


@dataclass(frozen=True, slots=True)
class FriendCall:
    """A friend call as all heard it."""

    kind: CallKind
    card: Card | None = None
    """The called card, exactly where a card was called."""
    lead_request: Suit | None = None
    """The suit in which the friend should lead, where that was asked."""


class FriendState(Enum):
    """How much a viewer knows of the friend."""

    HIDDEN = 1
    KNOWN = 2
    NOBODY = 3


@dataclass(frozen=True, slots=True)
class Friend:
    """What the viewer knows of the friend."""

    state: FriendState
    seat: int | None
    """The friend's seat, exactly where it is known."""
    is_public: bool
    """Whether all know it."""


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick, complete or open."""

    number: int
    leader: int
    cards: tuple[Card, ...]
    """The cards in the order in which they were played, beginning with the leader's."""
    led_suit: Suit | None
    """The suit to follow; None before it is set, and where everyone plays what they like."""
    joker_suit: Suit | None
    """The suit that a led joker named."""
    joker_names_none: bool
    """Whether a led joker named none."""
    joker_called: bool
    joker_has_power: bool
    winner: int | None
    """Who won it; None while it is open."""

    @property
    def plays(self) -> list[tuple[int, Card]]:
        """Each seat that has played, with its card, in order."""
        return [((self.leader + place) % 5, card) for place, card in enumerate(self.cards)]

    @property
    def points(self) -> int:
        """How many point cards lie in it."""
        return points(self.cards)


@dataclass(frozen=True, slots=True)
class HandResult:
    """How a hand that was played ended."""

    declarer: int
    friend: int | None
    contract: Bid
    taken: int
    """The points that the declarer's side took."""
    made: bool
    factor: int
    """The product of the doubles."""
    scores: tuple[float, ...]
    """What each seat gets."""
    pot: int
    next_dealer: int


@dataclass(frozen=True, slots=True)
class View:
    """All that a seat may know of the hand in play, so that a bot needs no memory."""

    rules: Rules
    seat: int
    """The viewer's seat, 0 to 4."""
    hand: Hand
    stage: Stage
    to_act: int | None
    cards: tuple[Card, ...]
    """The viewer's own cards, sorted."""
    cards_held: tuple[int, ...]
    """How many cards each seat holds."""
    round: AuctionRound
    calls: tuple[AuctionCall, ...]
    """All calls of the auction in order, an earlier round's first."""
    standing: AuctionCall | None
    """The standing bid of the auction."""
    won: AuctionWon | None
    """How the auction ended, once it has."""
    kitty: tuple[Card, ...]
    """The kitty: where the rules show it to all, and to the declarer that took it."""
    buried: tuple[Card, ...]
    """What was buried: to the declarer, and to all when the hand has ended."""
    marked: Card | None
    """The buried card marked as friend: to the declarer, and to all when the hand has ended."""
    contract: Contract | None
    friend_call: FriendCall | None
    friend: Friend
    tricks: tuple[Trick, ...]
    """The tricks in order, the open one last."""
    captured_points: tuple[int, ...]
    """The point cards that each seat captured in tricks; empty before play."""
    result: HandResult | None
    is_void: bool
    """Whether the hand ended without being played."""
    totals: tuple[float, ...]
    """The match's totals before this hand."""
    asked_to_keep: bool
    """Whether the viewer is being asked to keep its weak hand."""

    @property
    def declarer(self) -> int | None:
        """The declarer's seat, once the auction is over."""
        return None if self.won is None else self.won.declarer

    @property
    def is_declarer(self) -> bool:
        """Whether the viewer is the declarer."""
        return self.declarer == self.seat

    @property
    def trump(self) -> Trump | None:
        """The trump: of the contract, before it of the bid that won; None while there is neither."""
        if self.contract is not None:
            return self.contract.bid.trump
        return None if self.won is None or self.won.bid is None else self.won.bid.trump

    @property
    def mighty(self) -> Card:
        """The Mighty: of the contract, before it of the bid that won; the ace of spades while there is neither."""
        return self.rules.mighty(self.trump) if self.contract is None else self.contract.mighty

    @property
    def calling_card(self) -> Card | None:
        """The card that calls the joker, once the contract is fixed."""
        return None if self.contract is None else self.contract.calling_card

    @property
    def trick(self) -> Trick | None:
        """The open trick."""
        return self.tricks[-1] if self.tricks and self.tricks[-1].winner is None else None

    @property
    def fallen(self) -> frozenset[Card]:
        """The cards that were played in this hand."""
        return frozenset(card for trick in self.tricks for card in trick.cards)

    @property
    def unseen(self) -> frozenset[Card]:
        """The cards that lie neither on the table nor before the viewer: others hold them, or they are buried."""
        return frozenset(DECK) - self.fallen - set(self.cards) - set(self.buried)

    def is_mighty(self, card: Card) -> bool:
        """Whether the card is the Mighty."""
        return card == self.mighty

    def is_trump(self, card: Card) -> bool:
        """Whether the card is of the trump suit and not the Mighty."""
        return self.trump is not None and self.trump.has(card) and not self.is_mighty(card)

    def side(self, seat: int) -> Side:
        """On which side a seat is, as far as the viewer knows."""
        if self.declarer is None:
            return Side.UNKNOWN
        if seat == self.declarer:
            return Side.DECLARER
        match self.friend.state:
            case FriendState.KNOWN:
                return Side.DECLARER if seat == self.friend.seat else Side.DEFENDERS
            case FriendState.NOBODY:
                return Side.DEFENDERS
            case FriendState.HIDDEN:
                is_told = self.friend_call is not None and self.friend_call.kind is not CallKind.FIRST_TRICK
                return Side.DEFENDERS if seat == self.seat and is_told else Side.UNKNOWN

    def strength(self, card: Card, trick: Trick) -> int:
        """How strong a card is in a trick: the higher beats the lower, and 0 cannot win."""
        if self.is_mighty(card):
            return 400
        if card.is_joker:
            return 300 if trick.joker_has_power else 0
        if self.is_trump(card):
            return 200 + card.rank
        return 100 + card.rank if card.suit is trick.led_suit else 0

    def winning(self, trick: Trick) -> tuple[int, Card] | None:
        """Who is winning a trick, and with which card; None while no card that lies can win."""
        best = max(trick.plays, key=lambda play: self.strength(play[1], trick), default=None)
        return best if best is not None and self.strength(best[1], trick) > 0 else None

    def would_win(self, card: Card) -> bool:
        """Whether the card, played now, would be winning the open trick."""
        trick = self.trick
        if trick is None or not trick.cards:
            return not card.is_joker or trick is None or trick.joker_has_power
        if self._calls_led_joker(card, trick):
            return True
        if trick.led_suit is None and not card.is_joker and not trick.joker_names_none:
            return True
        winning = self.winning(trick)
        return self.strength(card, trick) > (0 if winning is None else self.strength(winning[1], trick))

    def lacks(self, seat: int, suit: Suit) -> bool:
        """Whether a seat showed that it is out of a suit, by not following it."""
        free = {self.mighty, self.calling_card}
        return any(
            trick.led_suit is suit and player == seat and card.suit not in (None, suit) and card not in free
            for trick in self.tricks
            for player, card in trick.plays
        )

    def _calls_led_joker(self, card: Card, trick: Trick) -> bool:
        call = self.rules["play.joker_call"]
        return (
            call["style"] == "second_seat"
            and card == self.calling_card
            and len(trick.cards) == 1
            and trick.cards[0].is_joker
            and trick.joker_has_power
            and (call["first_trick"] or trick.number > 1)
        )
