"""The default moves, from the table in docs/PROTOCOL.md."""

from __future__ import annotations

from collections.abc import Callable

import referee
from referee import JOKER, RANKS, SUITS


def low_to_high(card: str) -> tuple[int, int]:
    """By rank, then spades, clubs, diamonds, hearts; the joker is the highest."""
    return (len(RANKS), 0) if card == JOKER else (RANKS.index(card[0]), SUITS.index(card[1]))


def longest_suit(cards: list[str]) -> str:
    """The suit with most cards; of equally long ones the first in spades, clubs, diamonds, hearts."""
    return max(SUITS, key=lambda suit: sum(referee.suit_of(card) == suit for card in cards))


def default_move(hand: referee.Hand) -> str:
    """The move that the table makes when no answer comes in time."""
    by_phase: dict[str, Callable[[referee.Hand], str]] = {
        "miss": lambda _: "=",
        "auction": default_call,
        "bury": default_burial,
        "contract": default_contract,
        "friend": default_friend,
        "play": default_play,
    }
    return by_phase[hand.phase](hand)


def default_call(hand: referee.Hand) -> str:
    legal = hand.legal()
    if "-" in legal:
        return "-"
    trump = longest_suit(hand.hands[hand.turn])
    return min((call for call in legal if call[-1] == trump), key=lambda call: int(call[:-1]))


def default_burial(hand: referee.Hand) -> str:
    trump = "" if hand.standing is None else hand.standing.trump
    mighty = hand.mighty_under(trump)

    def worth(card: str) -> tuple[int, tuple[int, int]]:
        if card == JOKER:
            group = 4
        elif card == mighty:
            group = 3
        elif referee.points([card]):
            group = 2
        else:
            group = 1 if referee.suit_of(card) == trump else 0
        return group, low_to_high(card)

    return "d:" + "".join(sorted(sorted(hand.hands[hand.declarer], key=worth)[:3]))


def default_contract(hand: referee.Hand) -> str:
    legal = hand.legal()
    bid = str(hand.standing) if hand.standing else f"{hand.rules.minimum - 1}{longest_suit(hand.hands[hand.declarer])}"
    fitting = [token for token in legal if token[1:].partition("?")[0] == bid]
    return min(fitting, key=lambda token: low_to_high(token.partition("?")[2] or JOKER))


def default_friend(hand: referee.Hand) -> str:
    own = hand.hands[hand.declarer] + hand.buried
    others = sorted((card for card in referee.DECK if card not in own), key=low_to_high, reverse=True)
    trumps = [card for card in others if referee.suit_of(card) == hand.contract.trump]
    wanted = [hand.mighty(), JOKER, *trumps]
    kinds = hand.rules.calls
    if "card" in kinds:
        for card in wanted:
            if card in others:
                return f"f:{card}"
    marked = JOKER if JOKER in hand.buried else min(hand.buried, key=low_to_high)
    tokens = {"first_trick": "f:1st", "none": "f:none", "kitty": f"f:kitty:{marked}"}
    return next((tokens[kind] for kind in kinds if kind != "card"), f"f:{others[0]}")


def default_play(hand: referee.Hand) -> str:
    mine = hand.hands[hand.turn]
    named = "/" + longest_suit(mine)

    def worth(token: str) -> tuple[int, tuple[int, int]]:
        card = token[:2]
        if card == hand.mighty():
            group = 4
        elif card == JOKER:
            group = 3
        elif card == hand.calling_card:
            group = 2
        else:
            group = referee.points([card])
        return group, low_to_high(card)

    plays = [token for token in hand.legal() if token[2:] in ("", named)]
    return min(plays, key=worth)
