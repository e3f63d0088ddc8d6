"""The border between the wire and the types of this package: what was received is converted here, once."""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.duration_pb2 import Duration

from .bid import Bid, Trump
from .card import DECK, Card, Suit
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
from .turn import Turn
from .v1 import card_pb2, event_pb2, move_pb2, observation_pb2, rules_service_pb2, table_service_pb2
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
    Stage,
    Trick,
    View,
)

_SUITS = tuple(Suit)
_TRUMPS = tuple(Trump)


def card(number: int) -> Card:
    """A card of the wire, which counts the sorted deck from 1."""
    if not 1 <= number <= len(DECK):
        raise ValueError(f"the server sent {number} for a card; cards are 1 to {len(DECK)}")
    return DECK[number - 1]


def _cards(numbers: Iterable[int]) -> tuple[Card, ...]:
    return tuple(map(card, numbers))


def _card_or_none(number: int) -> Card | None:
    return card(number) if number else None


def _suit(number: int) -> Suit:
    if not 1 <= number <= len(_SUITS):
        raise ValueError(f"the server sent {number} for a suit; suits are 1 to {len(_SUITS)}")
    return _SUITS[number - 1]


def _suit_or_none(number: int) -> Suit | None:
    return _suit(number) if number else None


def _trump(number: int) -> Trump:
    if not 1 <= number <= len(_TRUMPS):
        raise ValueError(f"the server sent {number} for a trump; trumps are 1 to {len(_TRUMPS)}")
    return _TRUMPS[number - 1]


def _bid(bid: card_pb2.Bid) -> Bid:
    return Bid(bid.points, _trump(bid.trump))


def _half_points(values: Iterable[int]) -> tuple[float, ...]:
    return tuple(value / 2 for value in values)


def seconds(duration: Duration) -> float:
    """A duration in seconds."""
    return duration.seconds + duration.nanos / 1e9


def rules(rules: rules_service_pb2.Rules) -> Rules:
    """The rules of a table."""
    return Rules(rules.profile, rules.json, rules.hash)


def match(start: table_service_pb2.MatchStart) -> Match:
    """A match that begins, or goes on."""
    return Match(
        match_id=start.match_id,
        table_id=start.table_id,
        rules=rules(start.rules),
        seat=start.seat,
        seats=tuple(SeatInfo(seat.name, seat.house, seat.present, seat.given_up) for seat in start.seats),
        bank=seconds(start.clock.bank),
        increment=seconds(start.clock.increment),
        commitment=start.commitment,
        cut=_cards(start.cut),
        is_duplicate=start.duplicate,
        is_ladder=start.ladder,
    )


def match_result(match: Match, ended: event_pb2.MatchEnded, given_up: bool) -> MatchResult:
    """How a match ended."""
    return MatchResult(
        match_id=match.match_id,
        table_id=match.table_id,
        seat=match.seat,
        totals=_half_points(ended.totals_half_points),
        places=tuple(ended.places),
        record_id=ended.record_id,
        seed=ended.seed.hex(),
        given_up=given_up,
    )


def turn(turn: table_service_pb2.Turn, match: Match) -> Turn:
    """A turn."""
    return Turn(
        match=match,
        number=turn.number,
        view=view(turn.observation, match.rules),
        choices=choices(turn.choices),
        default=turn.default_text,
        time_left=seconds(turn.time_left),
        last_took=seconds(turn.last_took) if turn.HasField("last_took") else None,
        last_late=seconds(turn.last_late) if turn.HasField("last_late") else None,
        events=tuple(turn.events),
    )


def choices(choices: move_pb2.Choices) -> Choices:
    """What a seat may do."""
    match choices.WhichOneof("kind"):
        case "weak_hand":
            return WeakHandChoices()
        case "call":
            bids = tuple(map(_bid_range, choices.call.bids))
            return CallChoices(bids, choices.call.may_pass, choices.call.may_throw_in)
        case "bury":
            return BuryChoices(_cards(choices.bury.cards))
        case "contract":
            return ContractChoices(
                tuple(
                    ContractRange(_bid_range(each.range), _cards(each.calling_cards))
                    for each in choices.contract.contracts
                )
            )
        case "friend":
            friend = choices.friend
            return FriendChoices(
                friend.card, friend.lead_request, friend.first_trick, friend.nobody, _cards(friend.kitty)
            )
        case "play":
            play = choices.play
            return PlayChoices(
                cards=_cards(play.cards),
                joker_suits=tuple(map(_suit, play.joker_suits)),
                joker_may_name_none=play.joker_may_name_none,
                calling_card=_card_or_none(play.calling_card),
                may_reveal=play.may_reveal,
            )
        case None:
            raise ValueError("the server sent choices of a kind that this version does not know")


def _bid_range(bids: move_pb2.BidRange) -> BidRange:
    return BidRange(_trump(bids.trump), bids.from_points, bids.to_points)


def view(seen: observation_pb2.Observation, rules: Rules) -> View:
    """What a seat may know."""
    return View(
        rules=rules,
        seat=seen.seat,
        hand=Hand(seen.hand.hand, seen.hand.redeal, seen.hand.dealer, seen.hand.first_bidder, seen.hand.pot),
        stage=Stage(seen.stage),
        to_act=seen.to_act if seen.HasField("to_act") else None,
        cards=tuple(sorted(_cards(seen.cards))),
        cards_held=tuple(seen.cards_held),
        round=AuctionRound(seen.round),
        calls=tuple(AuctionCall(call.seat, _bid(call.bid) if call.HasField("bid") else None) for call in seen.calls),
        standing=AuctionCall(seen.standing.seat, _bid(seen.standing.bid)) if seen.HasField("standing") else None,
        won=_won(seen.won) if seen.HasField("won") else None,
        kitty=_cards(seen.kitty),
        buried=_cards(seen.buried),
        marked=_card_or_none(seen.marked),
        contract=_contract(seen.contract) if seen.HasField("contract") else None,
        friend_call=_friend_call(seen.friend_call) if seen.HasField("friend_call") else None,
        friend=_friend(seen.friend),
        tricks=tuple(map(_trick, seen.tricks)),
        captured_points=tuple(seen.captured_points),
        result=_result(seen.result) if seen.HasField("result") else None,
        is_void=seen.HasField("hand_void"),
        totals=_half_points(seen.totals_half_points),
        asked_to_keep=seen.asked_to_keep,
    )


def _won(won: event_pb2.AuctionWon) -> AuctionWon:
    return AuctionWon(
        won.declarer,
        _bid(won.bid) if won.HasField("bid") else None,
        won.dealer_declares_points if won.HasField("dealer_declares_points") else None,
    )


def _contract(contract: event_pb2.Contract) -> Contract:
    return Contract(_bid(contract.bid), card(contract.mighty), card(contract.calling_card))


def _friend_call(call: move_pb2.CallFriend) -> FriendCall:
    match call.WhichOneof("kind"):
        case "card":
            return FriendCall(CallKind.CARD, card(call.card.card), _suit_or_none(call.card.lead_request))
        case "first_trick":
            return FriendCall(CallKind.FIRST_TRICK)
        case "nobody":
            return FriendCall(CallKind.NOBODY)
        case "kitty":
            return FriendCall(CallKind.KITTY)
        case None:
            raise ValueError("the server sent a friend call of a kind that this version does not know")


def _friend(friend: observation_pb2.FriendKnowledge) -> Friend:
    return Friend(
        FriendState(friend.state or FriendState.HIDDEN.value),
        friend.seat if friend.HasField("seat") else None,
        friend.is_public,
    )


def _trick(trick: observation_pb2.Trick) -> Trick:
    return Trick(
        number=trick.number,
        leader=trick.leader,
        cards=_cards(trick.cards),
        led_suit=_suit_or_none(trick.led_suit),
        joker_suit=_suit_or_none(trick.joker_suit),
        joker_names_none=trick.joker_says == move_pb2.Play.SAYS_NAMES_NONE,
        joker_called=trick.joker_called,
        joker_has_power=trick.joker_has_power,
        winner=trick.winner if trick.HasField("winner") else None,
    )


def _result(result: event_pb2.HandResult) -> HandResult:
    return HandResult(
        declarer=result.declarer,
        friend=result.friend if result.HasField("friend") else None,
        contract=_bid(result.contract),
        taken=result.taken,
        made=result.made,
        factor=result.factor,
        scores=_half_points(result.scores_half_points),
        pot=result.pot,
        next_dealer=result.next_dealer,
    )
