"""Choices: every legal move of a stage, in notation."""

from __future__ import annotations

import pytest

from fake_server import cards
from mighty.v1 import card_pb2, move_pb2
from mighty.wire import choices

DIAMONDS, NO_TRUMP = card_pb2.TRUMP_DIAMONDS, card_pb2.TRUMP_NO_TRUMP


def bids(trump: card_pb2.Trump.ValueType, lowest: int, highest: int) -> move_pb2.BidRange:
    return move_pb2.BidRange(trump=trump, from_points=lowest, to_points=highest)


def call(**options: bool) -> move_pb2.Choices:
    ranges = [bids(DIAMONDS, 14, 15), bids(NO_TRUMP, 13, 13)]
    return move_pb2.Choices(call=move_pb2.CallChoices(bids=ranges, **options))


def contract(*calling: str) -> move_pb2.Choices:
    ranges = [
        move_pb2.ContractRange(range=bids(DIAMONDS, 14, 15), calling_cards=cards(" ".join(calling))),
        move_pb2.ContractRange(range=bids(NO_TRUMP, 15, 15)),
    ]
    return move_pb2.Choices(contract=move_pb2.ContractChoices(contracts=ranges))


def friend(kitty: str = "", **kinds: bool) -> move_pb2.Choices:
    return move_pb2.Choices(friend=move_pb2.FriendChoices(kitty=cards(kitty), **kinds))


def play(hand: str, joker_suits: str = "", calling: str = "", may_name_none: bool = False) -> move_pb2.Choices:
    suits = {"S": card_pb2.SUIT_SPADES, "C": card_pb2.SUIT_CLUBS, "H": card_pb2.SUIT_HEARTS}
    return move_pb2.Choices(
        play=move_pb2.PlayChoices(
            cards=cards(hand),
            joker_suits=[suits[suit] for suit in joker_suits],
            joker_may_name_none=may_name_none,
            calling_card=cards(calling)[0] if calling else card_pb2.CARD_UNSPECIFIED,
        )
    )


@pytest.mark.parametrize(
    ("offered", "moves"),
    [
        (move_pb2.Choices(weak_hand=move_pb2.WeakHandChoices()), "= x"),
        (call(may_pass=True), "- 14D 15D 13N"),
        (call(), "14D 15D 13N"),
        (call(may_pass=True, may_throw_in=True), "- x 14D 15D 13N"),
        (
            move_pb2.Choices(bury=move_pb2.BuryChoices(cards=cards("2C 3D 4H JK"))),
            "d:2C3D4H d:2C3DJK d:2C4HJK d:3D4HJK",
        ),
        (contract(), "=14D =15D =15N"),
        (contract("2C", "3C"), "=14D?2C =14D?3C =15D?2C =15D?3C =15N"),
        (friend(first_trick=True, nobody=True), "f:1st f:none"),
        (friend("2C JK"), "f:kitty:2C f:kitty:JK"),
        (play("7D 3C"), "7D 3C"),
        (play("7D JK"), "7D JK"),
        (play("7D JK", joker_suits="SCH"), "7D JK/S JK/C JK/H"),
        (play("JK", joker_suits="S", may_name_none=True), "JK/S JK/-"),
        (play("3C 7D", joker_suits="S", calling="3C"), "3C 7D 3C!"),
    ],
)
def test_every_move_is_listed_once(offered: move_pb2.Choices, moves: str) -> None:
    assert choices(offered).moves() == moves.split()


@pytest.mark.parametrize(("offered", "count"), [(friend(card=True), 53), (friend(card=True, lead_request=True), 265)])
def test_any_card_may_be_called(offered: move_pb2.Choices, count: int) -> None:
    moves = choices(offered).moves()
    assert len(set(moves)) == count and "f:AS" in moves
    assert ("f:AS>D" in moves) == (count == 265)


def test_three_of_thirteen() -> None:
    thirteen = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"
    moves = choices(move_pb2.Choices(bury=move_pb2.BuryChoices(cards=cards(thirteen)))).moves()
    assert len(set(moves)) == 286


def test_choices_of_a_newer_server_are_said_to_be_unknown() -> None:
    with pytest.raises(ValueError, match="this version does not know"):
        choices(move_pb2.Choices())
