"""Text notation and wire messages, each way, as docs/RULES.md and the .proto comments have them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import referee
from mighty.v1 import card_pb2, move_pb2

Play = move_pb2.Play


def card_of(text: str) -> card_pb2.Card.ValueType:
    """The card of "AS"; unspecified for an empty text."""
    return card_pb2.Card.Value(f"CARD_{text}" if text else "CARD_UNSPECIFIED")


def text_of(card: card_pb2.Card.ValueType) -> str:
    """ "AS" for a card."""
    return card_pb2.Card.Name(card).removeprefix("CARD_")


def cards_of(texts: Iterable[str]) -> list[card_pb2.Card.ValueType]:
    return [card_of(text) for text in texts]


def texts_of(cards: Iterable[card_pb2.Card.ValueType]) -> list[str]:
    return [text_of(card) for card in cards]


def suit_of(letter: str) -> card_pb2.Suit.ValueType:
    """The suit of "S"; unspecified for an empty text."""
    return card_pb2.Suit.values()[("SCDH".index(letter) + 1) if letter else 0]


def trump_of(letter: str) -> card_pb2.Trump.ValueType:
    return card_pb2.Trump.values()["SCDHN".index(letter) + 1]


def bid_of(text: str) -> card_pb2.Bid:
    """The bid of "14D"."""
    return card_pb2.Bid(points=int(text[:-1]), trump=trump_of(text[-1]))


def text_of_bid(bid: card_pb2.Bid) -> str:
    return f"{bid.points}{'SCDHN'[bid.trump - 1]}"


def call_of(text: str) -> move_pb2.CallFriend:
    """The call of "f:AS>D"."""
    call = text.removeprefix("f:")
    if call == "1st":
        return move_pb2.CallFriend(first_trick=move_pb2.CallFirstTrick())
    if call == "none":
        return move_pb2.CallFriend(nobody=move_pb2.CallNobody())
    if call.startswith("kitty:"):
        return move_pb2.CallFriend(kitty=move_pb2.CallKitty(card=card_of(call.removeprefix("kitty:"))))
    card, _, suit = call.partition(">")
    return move_pb2.CallFriend(card=move_pb2.CallCard(card=card_of(card), lead_request=suit_of(suit)))


def play_of(text: str) -> move_pb2.Play:
    """The play of "3C!", "JK/H", "JK/-" or "7D+"."""
    play = Play(card=card_of(text[:2]), reveals=text.endswith("+"))
    said = text[2:].removesuffix("+")
    if said == "!":
        play.says = Play.SAYS_CALLS_JOKER
    elif said == "/-":
        play.says = Play.SAYS_NAMES_NONE
    elif said:
        play.says, play.named_suit = Play.SAYS_NAMES_SUIT, suit_of(said[1:])
    return play


def move_of(text: str, in_auction: bool) -> move_pb2.Move:
    """The structured move of a text. "2S" is a bid in the auction (where a minimum may be so low), else a card."""
    if text == "x":
        return move_pb2.Move(throw_in=move_pb2.ThrowIn())
    if text == "=":
        return move_pb2.Move(keep=move_pb2.Keep())
    if text == "-":
        return move_pb2.Move(passing=getattr(move_pb2, "Pass")())  # noqa: B009
    if text.startswith("d:"):
        return move_pb2.Move(bury=move_pb2.Bury(cards=cards_of(referee.read_cards(text[2:]))))
    if text.startswith("="):
        bid, _, card = text[1:].partition("?")
        return move_pb2.Move(fix_contract=move_pb2.FixContract(bid=bid_of(bid), calling_card=card_of(card)))
    if text.startswith("f:"):
        return move_pb2.Move(call_friend=call_of(text))
    if text[:-1].isdigit() and (in_auction or len(text) == 3):
        return move_pb2.Move(bid=bid_of(text))
    return move_pb2.Move(play=play_of(text))


def offered(choices: move_pb2.Choices) -> list[str]:
    """Every move of the choices as text, sorted as the referee sorts them (no `+`)."""
    kind = choices.WhichOneof("kind")
    moves: list[str] = []
    if kind == "weak_hand":
        moves = ["x", "="]
    elif kind == "call":
        moves = [bid for bids in choices.call.bids for bid in in_range(bids)]
        moves += ["-"] * choices.call.may_pass + ["x"] * choices.call.may_throw_in
    elif kind == "bury":
        cards = sorted(texts_of(choices.bury.cards))
        moves = ["d:" + "".join(three) for three in itertools.combinations(cards, 3)]
    elif kind == "contract":
        for contract in choices.contract.contracts:
            endings = [f"?{card}" for card in texts_of(contract.calling_cards)] or [""]
            moves += [f"={bid}{ending}" for bid in in_range(contract.range) for ending in endings]
    elif kind == "friend":
        moves = offered_friends(choices.friend)
    elif kind == "play":
        moves = offered_plays(choices.play)
    return sorted(moves)


def in_range(bids: move_pb2.BidRange) -> list[str]:
    return [f"{points}{'SCDHN'[bids.trump - 1]}" for points in range(bids.from_points, bids.to_points + 1)]


def offered_friends(choices: move_pb2.FriendChoices) -> list[str]:
    calls: list[str] = []
    if choices.card:
        suits = [""] + [f">{suit}" for suit in referee.SUITS] * choices.lead_request
        calls += [f"f:{card}{suit}" for card in referee.DECK for suit in suits]
    calls += ["f:1st"] * choices.first_trick + ["f:none"] * choices.nobody
    return calls + [f"f:kitty:{card}" for card in texts_of(choices.kitty)]


def offered_plays(choices: move_pb2.PlayChoices) -> list[str]:
    plays: list[str] = []
    for card in texts_of(choices.cards):
        names = ["/" + "SCDH"[suit - 1] for suit in choices.joker_suits] + ["/-"] * choices.joker_may_name_none
        plays += [card + name for name in names] if card == referee.JOKER and names else [card]
    if choices.calling_card:
        plays.append(text_of(choices.calling_card) + "!")
    return plays
