"""A bot that plays as a careful beginner does, under any rules."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from .. import moves
from ..bid import Bid, Trump
from ..bot import Bot
from ..card import DECK, JOKER, Card, Suit, points
from ..choices import (
    BuryChoices,
    CallChoices,
    ContractChoices,
    FriendChoices,
    PlayChoices,
    WeakHandChoices,
)
from ..match import Rules
from ..turn import Turn
from ..view import Side, Trick, View

KITTY = 1.5
"""How many points the pick of three more cards brings on average."""
SAFE_POINT = 0.6
"""What a buried point is worth: in hand it would be safe only in some cases."""
LOYALTY = 1.0
"""By how much another trump than the one that was bid must be better."""


class CautiousBot(Bot):
    """Bids what its hand is worth, buries well, calls the strongest card it lacks, and tells friend from foe."""

    def weak_hand(self, turn: Turn, choices: WeakHandChoices) -> str:
        """Throws in a hand that is good for nothing."""
        return moves.THROW_IN if _is_hopeless(turn.view) else moves.KEEP

    def bid(self, turn: Turn, choices: CallChoices) -> str | Bid:
        """Makes the lowest bid in the trump that promises most beyond it, as long as the promise holds."""
        view = turn.view
        if choices.may_throw_in and _is_hopeless(view):
            return moves.THROW_IN
        surplus = {
            Bid(bids.lowest, bids.trump): worth(view.cards, bids.trump, view.rules) + KITTY - bids.lowest
            for bids in choices.bids
        }
        best = max(surplus, key=surplus.__getitem__, default=None)
        if best is None or (choices.may_pass and surplus[best] < 0):
            return turn.default
        return best

    def exchange(self, turn: Turn, choices: BuryChoices) -> str:
        """Buries the three cards that it misses least with the trump that it has in mind."""
        view = turn.view
        trump = view.trump or max(Trump, key=lambda trump: worth(choices.cards, trump, view.rules))
        return moves.bury(_best_burial(choices.cards, trump, view.rules))

    def fix_contract(self, turn: Turn, choices: ContractChoices) -> str:
        """Keeps its trump unless another is clearly better at its price, and the points as low as they may be."""
        view = turn.view

        def surplus(place: int) -> float:
            bids = choices.contracts[place].bids
            loyalty = LOYALTY if bids.trump is view.trump else 0.0
            return worth(view.cards, bids.trump, view.rules) + loyalty - bids.lowest

        best = choices.contracts[max(range(len(choices.contracts)), key=surplus)]
        bid = Bid(best.bids.lowest, best.bids.trump)
        # A calling card out of the others' reach keeps a joker of one's own safe.
        order = sorted(best.calling_cards, key=lambda card: (_reach(card, view), bid.trump.has(card), card.rank))
        return moves.fix_contract(bid, order[0] if order else None)

    def call_friend(self, turn: Turn, choices: FriendChoices) -> str:
        """Calls the Mighty, else the joker, else a high trump, else the ace of its longest side suit."""
        view = turn.view
        if not choices.card:
            return moves.CALL_FIRST_TRICK if choices.first_trick else turn.default
        elsewhere = set(DECK) - {*view.cards, *view.buried}

        def appeal(card: Card) -> tuple[int, int, int]:
            if view.is_mighty(card) or card.is_joker:
                return (4 if view.is_mighty(card) else 3, 0, 0)
            if view.is_trump(card) and card.is_point:
                return (2, card.rank, 0)
            return (1, card.rank, sum(own.suit is card.suit for own in view.cards))

        return moves.call_card(max(elsewhere, key=appeal))

    def play(self, turn: Turn, choices: PlayChoices) -> str:
        """Leads what wins, takes what is worth it, and gives points to its own side only."""
        view, trick = turn.view, turn.view.trick
        card = _lead(view, choices) if trick is None or not trick.cards else _follow(view, trick, choices)
        if card.is_joker and choices.joker_suits:
            return moves.lead_joker(_suit_to_name(view, choices))
        if card == choices.calling_card and view.side(view.seat) is Side.DEFENDERS:
            return moves.call_joker(card)
        return str(card)


# What a hand is worth.


def worth(cards: Iterable[Card], trump: Trump, rules: Rules) -> float:
    """How many of the twenty points the declarer's side can expect with these cards, a friend's help included."""
    mighty = rules.mighty(trump)
    held = set(cards)
    total = 2.0 if trump is Trump.NO_TRUMP else 3.5
    total += 1.8 * (mighty in held) + 1.8 * (JOKER in held)
    for suit in Suit:
        ranks = sorted(card.rank for card in held - {mighty} if card.suit is suit)
        if suit is trump.suit:
            total += sum(1.1 + {14: 1.1, 13: 0.9, 12: 0.6, 11: 0.3, 10: 0.3}.get(rank, 0.0) for rank in ranks)
        else:
            total += _side_suit_worth(ranks, ruffs=trump is not Trump.NO_TRUMP)
    return total


def _side_suit_worth(ranks: list[int], ruffs: bool) -> float:
    ace, king = 14 in ranks, 13 in ranks
    total = 1.2 * ace + (0.8 if ace else 0.4) * king
    if ruffs:
        return total + {0: 0.8, 1: 0.3}.get(len(ranks), 0.0)
    return total + (0.7 * max(0, len(ranks) - 3) if ace else 0.0)


def _is_hopeless(view: View) -> bool:
    """Neither worth a bid nor likely to be called as friend."""
    likely_friend = {Card.of("AS"), JOKER} & set(view.cards)
    best = max(worth(view.cards, trump, view.rules) for trump in Trump)
    return not likely_friend and best + KITTY < view.rules["auction.minimum"]


def _best_burial(cards: Iterable[Card], trump: Trump, rules: Rules) -> tuple[Card, ...]:
    """Masters and trumps are kept as far as possible; of the rest points are made safe and short suits emptied."""
    held = set(cards)
    mighty = rules.mighty(trump)

    def kept(card: Card) -> bool:
        return card.is_joker or card == mighty or trump.has(card)

    def gain(three: tuple[Card, ...]) -> float:
        price = 3.0 * sum(kept(card) for card in three)
        return worth(held - set(three), trump, rules) + SAFE_POINT * points(three) - price

    return max(combinations(sorted(held), 3), key=gain)


def _reach(card: Card, view: View) -> int:
    """How easily others lead the card: not when it is buried or, without the joker, held."""
    if card in view.buried:
        return 0
    return 1 if card in view.cards else 2


# Leading.


def _lead(view: View, choices: PlayChoices) -> Card:
    side = view.side(view.seat)
    sure = [card for card in choices.cards if _is_boss(card, view)]
    sure_trumps = [card for card in sure if view.is_trump(card)]
    sure_others = [card for card in sure if not view.is_trump(card) and not _may_be_ruffed(card, view)]
    trumps_out = [card for card in view.unseen if view.is_trump(card)]
    if side is Side.DECLARER and sure_trumps and trumps_out:
        return max(sure_trumps, key=lambda card: card.rank)
    if sure_others:
        return max(sure_others, key=lambda card: card.rank)
    if side is Side.DEFENDERS and view.calling_card in choices.cards and _lead_calls_joker(view):
        return view.calling_card
    masters = [card for card in choices.cards if view.is_mighty(card) or (card.is_joker and choices.joker_suits)]
    if masters and _tricks_to_come(view) <= len(masters) + 1:
        return masters[0]
    return _cheapest(choices.cards, view)


def _lead_calls_joker(view: View) -> bool:
    return JOKER in view.unseen and bool(view.rules["play.joker_call.style"] != "second_seat")


def _is_boss(card: Card, view: View) -> bool:
    """Whether no higher card of its suit is out; the masters are kept for later."""
    if card.is_joker or view.is_mighty(card):
        return False
    rivals = (other for other in view.unseen if other.suit is card.suit and not view.is_mighty(other))
    return all(other.rank < card.rank for other in rivals)


def _may_be_ruffed(card: Card, view: View) -> bool:
    """Whether a seat that is not surely with the viewer has shown that it is out of the suit, and trumps are out."""
    if not any(view.is_trump(other) for other in view.unseen) or card.suit is None:
        return False
    own = view.side(view.seat)
    return any(view.lacks(seat, card.suit) and view.side(seat) is not own for seat in range(5))


def _suit_to_name(view: View, choices: PlayChoices) -> Suit:
    """Trumps for the declarer's side while they are out, else the longest suit."""
    trump = None if view.trump is None else view.trump.suit
    draws = view.side(view.seat) is Side.DECLARER and any(view.is_trump(card) for card in view.unseen)
    if draws and trump in choices.joker_suits and trump is not None:
        return trump
    return max(choices.joker_suits, key=lambda suit: sum(card.suit is suit for card in view.cards))


# Following.


def _follow(view: View, trick: Trick, choices: PlayChoices) -> Card:
    winning = view.winning(trick)
    is_last = len(trick.cards) == 4
    losers = [card for card in choices.cards if not view.would_win(card)]
    winners = [card for card in choices.cards if view.would_win(card)]
    if winning is not None and _is_with(winning[0], view):
        holds = is_last or view.strength(winning[1], trick) >= 300 or _is_boss(winning[1], view)
        if holds and losers:
            return _dearest(losers, view)
        if holds:
            return _cheapest(winners, view)
    affordable = [card for card in winners if _is_affordable(card, view, trick, is_last)]
    if affordable:
        return _cheapest(affordable, view) if is_last else _surest(affordable, view, trick)
    return _cheapest(losers or winners, view)


def _is_with(seat: int, view: View) -> bool:
    own = view.side(view.seat)
    return own is not Side.UNKNOWN and view.side(seat) is own


def _is_affordable(card: Card, view: View, trick: Trick, is_last: bool) -> bool:
    """Whether the trick is worth the card, given how surely the card takes it."""
    at_stake = trick.points + card.is_point
    if view.is_mighty(card) or card.is_joker:
        return at_stake >= 2 or _tricks_to_come(view) <= 2
    if is_last:
        return at_stake >= 1 or not view.is_trump(card)
    if view.is_trump(card):
        return at_stake >= 1
    return _is_boss(card, view)


def _surest(cards: list[Card], view: View, trick: Trick) -> Card:
    """The strongest that is no master, since others are still to play; a master where there is nothing else."""
    plain = [card for card in cards if not (card.is_joker or view.is_mighty(card))]
    if plain:
        return max(plain, key=lambda card: view.strength(card, trick))
    return _cheapest(cards, view)


def _cheapest(cards: Iterable[Card], view: View) -> Card:
    """The card that is missed least: low, no point, no trump, no master."""
    return min(cards, key=lambda card: _price(card, view))


def _dearest(cards: Iterable[Card], view: View) -> Card:
    """The point card to give to one's own side, no trump and no master; without one the cheapest card."""

    def is_gift(card: Card) -> bool:
        return card.is_point and not view.is_trump(card) and not view.is_mighty(card)

    return min(cards, key=lambda card: (not is_gift(card), _price(card, view)))


def _price(card: Card, view: View) -> tuple[bool, bool, bool, int]:
    is_master = view.is_mighty(card) or card.is_joker
    return (is_master, view.is_trump(card), card.is_point, card.rank)


def _tricks_to_come(view: View) -> int:
    """Tricks that are still to be won, the open one included."""
    return len(view.cards)
