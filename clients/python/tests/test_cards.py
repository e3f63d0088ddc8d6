"""Cards, bids and moves, and their notation."""

from __future__ import annotations

import pytest

from mighty import DECK, JOKER, Bid, Card, Suit, Trump, moves, points
from mighty.v1 import card_pb2
from mighty.wire import card


def test_the_deck_is_sorted_and_named_as_on_the_wire() -> None:
    names = [str(each) for each in DECK]
    assert len(set(names)) == 53
    assert names == [name.removeprefix("CARD_") for name in card_pb2.Card.keys()[1:]]
    assert [card(number) for number in range(1, 54)] == sorted(reversed(DECK))
    assert [Card.of(name) for name in names] == list(DECK)


@pytest.mark.parametrize(
    ("text", "rank", "suit", "is_point"),
    [
        ("AS", 14, Suit.SPADES, True),
        ("TD", 10, Suit.DIAMONDS, True),
        ("9H", 9, Suit.HEARTS, False),
        ("JK", 0, None, False),
    ],
)
def test_a_card(text: str, rank: int, suit: Suit | None, is_point: bool) -> None:
    read = Card.of(text)
    assert (read.rank, read.suit, read.is_point, read.is_joker) == (rank, suit, is_point, suit is None)
    assert str(read) == text and repr(read) == f"Card({text})"


@pytest.mark.parametrize("text", ["", "A", "as", "1S", "10S", "AN", "JKK", " AS"])
def test_what_is_no_card_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="is no card: write rank and suit"):
        Card.of(text)


def test_many_cards() -> None:
    assert Card.many("AS TD JK") == Card.many("ASTDJK") == (Card.of("AS"), Card.of("TD"), JOKER)
    assert points(Card.many("AS TD JK 9H")) == 2
    assert points(DECK) == 20


@pytest.mark.parametrize("text", ["13S", "14C", "20D", "1H", "15N"])
def test_a_bid(text: str) -> None:
    assert str(Bid.of(text)) == text


@pytest.mark.parametrize("text", ["", "14", "D", "0D", "21D", "14X", "-1D", "²D"])
def test_what_is_no_bid_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="is no bid: write points and trump"):
        Bid.of(text)


def test_trumps() -> None:
    assert Trump.DIAMONDS.suit is Suit.DIAMONDS and Trump.NO_TRUMP.suit is None
    assert Trump.DIAMONDS.has(Card.of("2D")) and not Trump.DIAMONDS.has(Card.of("2C"))
    assert not any(Trump.NO_TRUMP.has(each) for each in DECK)
    assert not any(trump.has(JOKER) for trump in Trump)


def test_moves_are_written_as_the_rule_book_does() -> None:
    two, seven = Card.of("2C"), Card.of("7D")
    written = [
        moves.bury(Card.many("2C 3D 4H")),
        moves.fix_contract(Bid.of("15D")),
        moves.fix_contract(Bid.of("15D"), two),
        moves.call_card(Card.of("AS")),
        moves.call_card(Card.of("AS"), Suit.DIAMONDS),
        moves.CALL_FIRST_TRICK,
        moves.CALL_NOBODY,
        moves.call_kitty(two),
        moves.call_joker(Card.of("3C")),
        moves.lead_joker(Suit.HEARTS),
        moves.lead_joker(None),
        moves.revealing(seven),
        moves.revealing(moves.lead_joker(Suit.HEARTS)),
    ]
    rule_book = "d:2C3D4H =15D =15D?2C f:AS f:AS>D f:1st f:none f:kitty:2C 3C! JK/H JK/- 7D+ JK/H+"
    assert written == rule_book.split()
