"""Views: who is on which side, who wins a trick."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fake_server import PROFILES, cards, observation
from mighty import DECK, Card, FriendState, Rules, Side, Suit, Trump, View
from mighty.v1 import card_pb2, event_pb2, move_pb2, observation_pb2
from mighty.wire import view

KNOWLEDGE = observation_pb2.FriendKnowledge


def rules(profile: str = "ripper") -> Rules:
    return Rules(profile, json.dumps(PROFILES[profile]), "")


def bid(points: int, trump: str) -> card_pb2.Bid:
    return card_pb2.Bid(points=points, trump=card_pb2.Trump.Value(f"TRUMP_{trump}"))


def hearts(**known: Any) -> View:  # noqa: ANN401
    """The view of seat 2 at play: seat 0 declares hearts, the Mighty is AS, and 3C calls the joker."""
    profile = known.pop("profile", "ripper")
    contract = event_pb2.Contract(bid=bid(14, "HEARTS"), mighty=cards("AS")[0], calling_card=cards("3C")[0])
    won = event_pb2.AuctionWon(declarer=0, bid=contract.bid)
    return view(observation(known.pop("hand", "2S 3S"), won=won, contract=contract, **known), rules(profile))


def trick(played: str, led: str = "", number: int = 2, power: bool = True, **more: Any) -> observation_pb2.Trick:  # noqa: ANN401
    return observation_pb2.Trick(
        number=number,
        leader=4,
        cards=cards(played),
        led_suit=card_pb2.Suit.Value(f"SUIT_{led}") if led else card_pb2.SUIT_UNSPECIFIED,
        joker_has_power=power,
        **more,
    )


@pytest.mark.parametrize(
    ("played", "led", "power", "winner"),
    [
        ("", "", True, None),
        ("7D", "DIAMONDS", True, (4, "7D")),
        ("7D 9D", "DIAMONDS", True, (0, "9D")),
        ("7D AC", "DIAMONDS", True, (4, "7D")),
        ("AD 2H", "DIAMONDS", True, (0, "2H")),
        ("AH JK", "HEARTS", True, (0, "JK")),
        ("AH JK", "HEARTS", False, (4, "AH")),
        ("JK AS", "DIAMONDS", True, (0, "AS")),
        ("JK", "", False, None),
    ],
)
def test_who_is_winning(played: str, led: str, power: bool, winner: tuple[int, str] | None) -> None:
    seen = hearts(tricks=[trick(played, led, power=power)])
    assert seen.trick is not None
    winning = seen.winning(seen.trick)
    assert (None if winning is None else (winning[0], str(winning[1]))) == winner


@pytest.mark.parametrize(
    ("open_trick", "wins", "loses"),
    [
        (trick(""), "2S JK", ""),
        (trick("", power=False), "2S", "JK"),
        (trick("9D", "DIAMONDS"), "TD 2H JK AS", "8D AC"),
        (trick("9D", "DIAMONDS", power=False), "TD 2H AS", "8D JK"),
        (trick("AH JK", "HEARTS"), "AS", "KH AC"),
        (trick("JK", power=False), "2C 2H AS", ""),
        (trick("JK", joker_says=move_pb2.Play.SAYS_NAMES_NONE), "AS", "AC 3C AH"),
        (trick("JK", "HEARTS"), "AS", "AH 3C"),
    ],
)
def test_what_would_win(open_trick: observation_pb2.Trick, wins: str, loses: str) -> None:
    seen = hearts(tricks=[open_trick])
    assert [str(card) for card in Card.many(wins + loses) if seen.would_win(card)] == wins.split()


@pytest.mark.parametrize(
    ("profile", "open_trick", "wins"),
    [
        ("classic", trick("JK", "HEARTS"), True),
        ("classic", trick("JK 2H", "HEARTS"), False),
        ("classic", trick("JK", power=False), True),
        ("ripper", trick("JK", "HEARTS"), False),
    ],
)
def test_the_second_hand_calls_a_led_joker(profile: str, open_trick: observation_pb2.Trick, wins: bool) -> None:
    assert hearts(profile=profile, tricks=[open_trick]).would_win(Card.of("3C")) is wins


CALLED = {
    "a card": move_pb2.CallFriend(card=move_pb2.CallCard(card=card_pb2.CARD_JK)),
    "the first trick": move_pb2.CallFriend(first_trick=move_pb2.CallFirstTrick()),
    "nobody": move_pb2.CallFriend(nobody=move_pb2.CallNobody()),
    "a buried card": move_pb2.CallFriend(kitty=move_pb2.CallKitty()),
}
HIDDEN = KNOWLEDGE(state=KNOWLEDGE.STATE_HIDDEN)
D, F, U = Side.DECLARER, Side.DEFENDERS, Side.UNKNOWN


@pytest.mark.parametrize(
    ("called", "knowledge", "sides"),
    [
        ("a card", HIDDEN, [D, U, F, U, U]),
        ("the first trick", HIDDEN, [D, U, U, U, U]),
        ("a buried card", HIDDEN, [D, U, F, U, U]),
        ("a card", KNOWLEDGE(state=KNOWLEDGE.STATE_KNOWN, seat=2), [D, F, D, F, F]),
        ("a card", KNOWLEDGE(state=KNOWLEDGE.STATE_KNOWN, seat=4, is_public=True), [D, F, F, F, D]),
        ("nobody", KNOWLEDGE(state=KNOWLEDGE.STATE_NOBODY, is_public=True), [D, F, F, F, F]),
    ],
)
def test_who_is_on_which_side(called: str, knowledge: observation_pb2.FriendKnowledge, sides: list[Side]) -> None:
    known = observation("2S", won=event_pb2.AuctionWon(declarer=0, bid=bid(14, "HEARTS")), friend_call=CALLED[called])
    known.friend.CopyFrom(knowledge)
    seen = view(known, rules())
    assert [seen.side(seat) for seat in range(5)] == sides


def test_before_the_auction_is_over_nothing_is_known() -> None:
    seen = view(observation("2S"), rules())
    assert (seen.declarer, seen.trump, seen.calling_card, seen.contract, seen.trick) == (None,) * 5
    assert str(seen.mighty) == "AS" and seen.friend.state is FriendState.HIDDEN
    assert {seen.side(seat) for seat in range(5)} == {Side.UNKNOWN}


def test_the_mighty_moves_when_spades_are_trumps() -> None:
    won = event_pb2.AuctionWon(declarer=2, bid=bid(14, "SPADES"))
    seen = view(observation("2S", won=won), rules("ripper"))
    assert seen.is_declarer and seen.trump is Trump.SPADES and str(seen.mighty) == "AD"
    assert seen.is_trump(Card.of("AS")) and not seen.is_mighty(Card.of("AS"))
    assert not seen.is_trump(Card.of("JK"))


def test_what_is_unseen_and_who_lacks_what() -> None:
    done = trick("9D TD 2C JK AS", "DIAMONDS", number=1, winner=3)
    seen = hearts(hand="5D 6D", tricks=[done, trick("4C", "CLUBS")], buried=cards("7H 8H 9H"))
    assert seen.fallen == set(Card.many("9D TD 2C JK AS 4C"))
    assert seen.unseen == set(DECK) - seen.fallen - set(Card.many("5D 6D 7H 8H 9H"))
    assert [seat for seat in range(5) if seen.lacks(seat, Suit.DIAMONDS)] == [1]
    assert not any(seen.lacks(seat, Suit.CLUBS) for seat in range(5))
    assert seen.tricks[0].points == 2 and seen.tricks[0].plays[-1] == (3, Card.of("AS"))


def test_a_card_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="the server sent 0 for a card"):
        view(observation("2S", kitty=[card_pb2.CARD_UNSPECIFIED]), rules())
