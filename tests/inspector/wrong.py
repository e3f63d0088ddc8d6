"""Wrong answers of every kind, and the reasons that the .proto comments give for refusing them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import referee
from mighty.v1 import card_pb2, move_pb2, table_service_pb2
from notation import move_of
from referee import JOKER

Answer = table_service_pb2.Answer
Play = move_pb2.Play
AS = card_pb2.CARD_AS
LONGEST_TEXT = 40

# What nobody can read, whatever the stage.
UNREADABLE = ["", "hello", "99X", "d:2C3D", "d:2C2C3D", "d:2C3D4H5H", "d:", "f:XX", "f:", "f:AS>N", "f:kitty:", "JK/X"]
UNREADABLE += ["♠A", "14d", "as", "=15", "=15D?", "+", "-1S", "4294967296S", "14D 14D", "AS!!", "AS+ ", "\0"]
UNREADABLE += ["0" * LONGEST_TEXT, "AS" * LONGEST_TEXT]

# Structured moves with impossible values, whatever the stage.
MALFORMED = [
    move_pb2.Move(),
    move_pb2.Move(bid=card_pb2.Bid()),
    move_pb2.Move(bid=card_pb2.Bid(points=14)),
    move_pb2.Move(bid=card_pb2.Bid(points=14, trump=9)),  # type: ignore[arg-type]
    move_pb2.Move(bury=move_pb2.Bury()),
    move_pb2.Move(bury=move_pb2.Bury(cards=[AS, AS, AS])),
    move_pb2.Move(bury=move_pb2.Bury(cards=[1, 2, 3, 4])),  # type: ignore[list-item]
    move_pb2.Move(bury=move_pb2.Bury(cards=[0, 1, 2])),  # type: ignore[list-item]
    move_pb2.Move(fix_contract=move_pb2.FixContract()),
    move_pb2.Move(fix_contract=move_pb2.FixContract(bid=card_pb2.Bid(points=14))),
    move_pb2.Move(call_friend=move_pb2.CallFriend()),
    move_pb2.Move(call_friend=move_pb2.CallFriend(card=move_pb2.CallCard())),
    move_pb2.Move(call_friend=move_pb2.CallFriend(kitty=move_pb2.CallKitty())),
    move_pb2.Move(call_friend=move_pb2.CallFriend(card=move_pb2.CallCard(card=AS, lead_request=7))),  # type: ignore[arg-type]
    move_pb2.Move(play=Play()),
    move_pb2.Move(play=Play(card=54)),  # type: ignore[arg-type]
    move_pb2.Move(play=Play(card=-1)),  # type: ignore[arg-type]
    move_pb2.Move(play=Play(card=AS, says=9)),  # type: ignore[arg-type]
    move_pb2.Move(play=Play(card=card_pb2.CARD_JK, says=Play.SAYS_NAMES_SUIT)),
    move_pb2.Move(play=Play(card=card_pb2.CARD_JK, says=Play.SAYS_NAMES_SUIT, named_suit=5)),  # type: ignore[arg-type]
    move_pb2.Move(play=Play(card=card_pb2.CARD_JK, named_suit=card_pb2.SUIT_HEARTS)),
]


@dataclass
class Attempt:
    """An answer to the open turn; `text` is the move it stands for, None where it stands for none.

    `stage` is that of a structured move.
    """

    answer: table_service_pb2.Answer
    text: str | None
    stage: str = ""


def some_token(rng: random.Random, stage: str) -> str:
    """A well-formed move of a stage, legal or not."""
    card = rng.choice(referee.DECK)
    bid = f"{rng.choice([1, 5, 10, 12, 13, 14, 15, 16, 18, 19, 20, 20, 21, 99])}{rng.choice(referee.TRUMPS)}"
    if stage == "weak_hand":
        return rng.choice(["x", "="])
    if stage == "call":
        return rng.choice([bid, bid, bid, "-", "x"])
    if stage == "bury":
        return "d:" + "".join(rng.sample(referee.DECK, 3))
    if stage == "contract":
        return "=" + bid + rng.choice(["", f"?{card}", f"?{rng.choice(['JK', 'AS', 'AD'])}"])
    if stage == "friend":
        asked = rng.choice(["", "", f">{rng.choice(referee.SUITS)}"])
        return rng.choice([f"f:{card}{asked}", "f:1st", "f:none", f"f:kitty:{card}"])
    said = rng.choice(["", "", "", "!"])
    if card == JOKER or rng.random() < 0.15:
        card, said = JOKER, rng.choice(["", "/S", "/C", "/D", "/H", "/-", "!"])
    return card + said + rng.choice(["", "", "", "+"])


STAGES = ["weak_hand", "call", "bury", "contract", "friend", "play"]


def wrong_answer(rng: random.Random, choices: move_pb2.Choices, held: list[str]) -> Attempt:
    """An answer that is likely to be wrong; where it happens to be right it is taken."""
    stage: str = choices.WhichOneof("kind") or "play"
    way = rng.random()
    if way < 0.1:
        return Attempt(Answer(structured=rng.choice(MALFORMED)), None)
    if way < 0.2:
        return Attempt(Answer(text=rng.choice(UNREADABLE)), None)
    if way < 0.23:
        return Attempt(Answer(), None)
    if way < 0.35:
        stage = rng.choice(STAGES)
    token = some_token(rng, stage)
    if stage == "play" and held and rng.random() < 0.7:
        token = rng.choice(held) + token[2:] if JOKER not in token[:2] else token
    if stage == "bury" and len(held) > 2 and rng.random() < 0.3:
        token = "d:" + "".join([*rng.sample(held, 2), rng.choice([card for card in referee.DECK if card not in held])])
    if rng.random() < 0.5:
        return Attempt(Answer(text=token), token)
    return Attempt(Answer(structured=move_of(token, stage == "call")), token, stage)


STAGE_OF_PHASE = {
    "miss": "weak_hand",
    "auction": "call",
    "bury": "bury",
    "contract": "contract",
    "friend": "friend",
    "play": "play",
}


def stages_of(token: str) -> set[str]:
    """The stages of which a text may be a move, by its form."""
    if token == "x":
        return {"weak_hand", "call"}
    if token == "=":
        return {"weak_hand"}
    if token == "-":
        return {"call"}
    for start, stage in (("d:", "bury"), ("=", "contract"), ("f:", "friend")):
        if token.startswith(start):
            return {stage}
    stages = set()
    if token[:-1].isdigit() and token[-1] in referee.TRUMPS:
        stages.add("call")
    if token[:2] in referee.DECK:
        stages.add("play")
    return stages


def why_wrong(hand: referee.Hand, token: str, of_stage: str = "") -> set[str]:
    """The reasons for which a move is refused; more than one where several rules are broken; none where it is legal."""
    stage = STAGE_OF_PHASE[hand.phase]
    if stage not in stages_of(token) or (of_stage and token != "x" and of_stage != stage):
        return {"WRONG_STAGE"}
    if stage == "bury":
        token = "d:" + "".join(sorted(referee.read_cards(token[2:])))
    plain = token.removesuffix("+") if stage == "play" else token
    reasons: set[str] = set()
    if plain != token and not hand.can_reveal():
        reasons.add("NOTHING_TO_REVEAL")
    if plain in hand.legal():
        return reasons
    by_stage: dict[str, Callable[[referee.Hand, str], set[str]]] = {
        "call": why_no_call,
        "bury": lambda *_: {"BURIED_NOT_HELD"},
        "contract": why_no_contract,
        "friend": why_no_friend,
        "play": why_no_play,
    }
    return reasons | by_stage[stage](hand, plain)


def why_no_call(hand: referee.Hand, token: str) -> set[str]:
    if token == "x":
        return {"MAY_NOT_THROW_IN"}
    if token == "-":
        return {"DEALER_MUST_OPEN"}
    points, trump = int(token[:-1]), token[-1]
    reasons = {"BID_TOO_HIGH"} if points > referee.HIGHEST_BID else set()
    if hand.in_lowered_round():
        return reasons | {"ONLY_LOWERED_BID"}
    if not any(bid.trump == trump for bid in hand.possible_bids()):
        return reasons | {"TRUMP_CANNOT_BEAT"}
    return reasons or {"BID_TOO_LOW"}


def why_no_contract(hand: referee.Hand, token: str) -> set[str]:
    bid, _, card = token[1:].partition("?")
    points, trump = int(bid[:-1]), bid[-1]
    possible = [contract.number for contract in hand.possible_contracts() if contract.trump == trump]
    reasons: set[str] = set()
    if not possible:
        reasons.add("TRUMP_NOT_TO_BE_HAD")
    elif points < min(possible):
        reasons.add("CONTRACT_TOO_LOW")
    elif points > max(possible):
        reasons.add("CONTRACT_TOO_HIGH")
    if hand.rules.call_card == "declared":
        if not card:
            reasons.add("CALLING_CARD_MISSING")
        elif card in (JOKER, hand.mighty_under(trump)):
            reasons.add("CALLING_CARD_FORBIDDEN")
    elif card:
        reasons.add("CALLING_CARD_NOT_DECLARED")
    return reasons


def why_no_friend(hand: referee.Hand, token: str) -> set[str]:
    call = token[2:]
    kind = {"1st": "first_trick", "none": "none"}.get(call, "kitty" if call.startswith("kitty:") else "card")
    if kind not in hand.rules.calls:
        return {"FRIEND_KIND_NOT_ALLOWED", "LEAD_REQUEST_NOT_ALLOWED"} if ">" in call else {"FRIEND_KIND_NOT_ALLOWED"}
    return {"MARKED_NOT_BURIED"} if kind == "kitty" else {"LEAD_REQUEST_NOT_ALLOWED"}


def why_no_play(hand: referee.Hand, token: str) -> set[str]:
    card, said = token[:2], token[2:]
    mine = hand.hands[hand.turn]
    legal = hand.legal()
    reasons: set[str] = set()
    if card not in mine:
        reasons.add("CARD_NOT_HELD")
    elif card not in {play[:2] for play in legal}:
        reasons |= why_not_this_card(hand, card)
    if said == "!":
        reasons.add("NO_JOKER_CALL")
    elif said and (card != JOKER or hand.trick or not hand.joker_has_power()):
        reasons.add("JOKER_NAMES_NOTHING")
    elif said == "/-" and hand.rules.joker_lead == "names_suit":
        reasons.add("JOKER_MUST_NAME_A_SUIT")
    elif not said and card == JOKER and not hand.trick and hand.joker_has_power():
        reasons.add("JOKER_MUST_NAME")
    return reasons


def why_not_this_card(hand: referee.Hand, card: str) -> set[str]:
    """Why a held card may not be played."""
    mine = hand.hands[hand.turn]
    if card == JOKER and hand.joker_forbidden():
        return {"JOKER_FORBIDDEN"}
    if not hand.trick:
        return {"FIRST_LEAD_FORBIDDEN"}
    if hand.joker_called and hand.rules.call_effect == "forced_out" and JOKER in mine:
        return {"JOKER_IS_CALLED"}
    return {"MUST_FOLLOW"}
