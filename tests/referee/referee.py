#!/usr/bin/env python3
"""A plain referee of Mighty, written straight from RULES.md.

It shares nothing with the engine: it is slow, literal, and meant to be read beside the rule page.

    python referee.py check FILE                  replay vectors.jsonl or matches.jsonl, print differences
    python referee.py generate --seed N --count K [--matches]     fresh lines of the same shape, random rules
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import hmac
import itertools
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

JsonObject = dict[str, Any]

SEATS = range(5)
SUITS = "SCDH"  # spades < clubs < diamonds < hearts
TRUMPS = "SCDHN"  # ... < no trump
RANKS = "23456789TJQKA"
POINT_RANKS = "TJQKA"
JOKER = "JK"
DECK = [rank + suit for suit in SUITS for rank in RANKS] + [JOKER]
HIGHEST_BID = 20
REDEALS = 10


class IllegalMove(Exception):
    """A token that is no legal move where it was played."""


# --------------------------------------------------------------------------------------------------
# Rules: a profile with overrides


@dataclass(frozen=True)
class Miss:
    """The terms on which a weak hand may be thrown in (`deal.miss`)."""

    timing: str
    honour: int
    ten: int
    spade_ace: int
    diamond_ace: int
    joker: int
    at_most: int
    next_dealer: str
    fine: int
    fines_all_pass: bool


@dataclass(frozen=True)
class Rules:
    """Every option of the rule page, by section."""

    # deal
    pattern: str
    next_dealer: str
    miss: Miss | None
    # auction
    first_bidder: str
    minimum: int
    no_trump_discount: int
    ranking: str
    pass_is_final: bool
    all_pass: str
    # exchange
    kitty_face_up: bool
    trump_change: str
    suit_change_raise: int
    no_trump_change_raise: int
    raise_capped: bool
    may_raise: bool
    # friend
    calls: tuple[str, ...]
    may_reveal: bool
    lead_request: bool
    # play
    first_lead_forbids: tuple[str, ...]
    mighty_when_spades_trump: str
    mighty_ignores_suit: bool
    joker_first_trick: str
    joker_last_trick: str
    joker_no_trump_ends: str
    joker_lead: str
    call_card: str
    call_card_when_clubs_trump: str
    call_style: str
    call_first_trick: bool
    call_effect: str
    call_mighty_saves: bool
    # scoring
    success: str
    base: int
    failure: str
    overtrick_bonus: int
    doubles: tuple[str, ...]
    back_run: int | str
    shares: str
    # match
    hands: int


def load_profiles(path: Path | None = None) -> dict[str, JsonObject]:
    """The four profiles: from `path`, else those of the rules."""
    place = path or Path(__file__).parents[2] / "rules" / "data" / "profiles.json"
    profiles: dict[str, JsonObject] = json.loads(place.read_text(encoding="utf-8"))
    return profiles


def with_overrides(profile: JsonObject, overrides: JsonObject) -> JsonObject:
    """A copy of a profile in which each dotted option path has its new value."""
    options = copy.deepcopy(profile)
    for path, value in overrides.items():
        *sections, name = path.split(".")
        place = options
        for section in sections:
            place = place[section]
        if name not in place:
            raise ValueError(f"no such option: {path}")
        place[name] = copy.deepcopy(value)
    return options


def make_rules(options: JsonObject) -> Rules:
    """Read the nested options of a profile into a `Rules`."""
    deal, auction, exchange, friend = options["deal"], options["auction"], options["exchange"], options["friend"]
    play, scoring = options["play"], options["scoring"]
    joker, call = play["joker"], play["joker_call"]
    if (call["card"] == "declared") != (call["card_when_clubs_trump"] == "declared"):
        raise ValueError("joker_call: one `declared` alone is refused")
    return Rules(
        pattern=deal["pattern"],
        next_dealer=deal["next_dealer"],
        miss=None if deal["miss"] is None else Miss(**deal["miss"]),
        first_bidder=auction["first_bidder"],
        minimum=auction["minimum"],
        no_trump_discount=auction["no_trump_discount"],
        ranking=auction["ranking"],
        pass_is_final=auction["pass_is_final"],
        all_pass=auction["all_pass"],
        kitty_face_up=exchange["kitty_face_up"],
        trump_change=exchange["trump_change"],
        suit_change_raise=exchange["suit_change_raise"],
        no_trump_change_raise=exchange["no_trump_change_raise"],
        raise_capped=exchange["raise_capped"],
        may_raise=exchange["may_raise"],
        calls=tuple(friend["calls"]),
        may_reveal=friend["may_reveal"],
        lead_request=friend["lead_request"],
        first_lead_forbids=tuple(play["first_lead_forbids"]),
        mighty_when_spades_trump=play["mighty_when_spades_trump"],
        mighty_ignores_suit=play["mighty_ignores_suit"],
        joker_first_trick=joker["first_trick"],
        joker_last_trick=joker["last_trick"],
        joker_no_trump_ends=joker["no_trump_ends"],
        joker_lead=joker["lead"],
        call_card=call["card"],
        call_card_when_clubs_trump=call["card_when_clubs_trump"],
        call_style=call["style"],
        call_first_trick=call["first_trick"],
        call_effect=call["effect"],
        call_mighty_saves=call["mighty_saves"],
        success=scoring["success"],
        base=scoring["base"],
        failure=scoring["failure"],
        overtrick_bonus=scoring["overtrick_bonus"],
        doubles=tuple(scoring["doubles"]),
        back_run=scoring["back_run"],
        shares=scoring["shares"],
        hands=options["match"]["hands"],
    )


# --------------------------------------------------------------------------------------------------
# Cards


def suit_of(card: str) -> str:
    """The suit of a card; the joker has none ("")."""
    return "" if card == JOKER else card[1]


def points(cards: list[str]) -> int:
    """How many point cards (A K Q J T) are among `cards`."""
    return sum(1 for card in cards if card != JOKER and card[0] in POINT_RANKS)


def read_cards(text: str) -> list[str]:
    """ "AS2CJK" as a list of cards."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def dealt_to(rules: Rules, dealer: int) -> list[int]:
    """To which seat each of the first fifty cards of the deck goes."""
    packets = [1] * 10 if rules.pattern == "one_by_one" else [1, 2, 3, 4]
    order: list[int] = []
    for packet in packets:
        for step in range(1, 6):  # left of the dealer first
            order += [(dealer + step) % 5] * packet
    return order


# --------------------------------------------------------------------------------------------------
# One hand


@dataclass
class Bid:
    """A number of points and a trump (or N)."""

    number: int
    trump: str

    def __str__(self) -> str:
        return f"{self.number}{self.trump}"


@dataclass
class Played:
    """One card of a trick. `named` is the suit a led joker names ("-" none, "" when it names nothing)."""

    seat: int
    card: str
    named: str = ""


@dataclass
class Void:
    """A hand without a declarer."""

    why: str
    seat: int | None
    next_dealer: int

    def as_json(self) -> JsonObject:
        """In the shape of the vectors."""
        if self.seat is None:
            return {"why": self.why, "next_dealer": self.next_dealer}
        return {"why": self.why, "seat": self.seat, "next_dealer": self.next_dealer}


@dataclass
class Result:
    """What a finished hand came to."""

    declarer: int
    friend: int | None
    contract: str
    taken: int
    made: bool
    factor: int
    scores: list[Fraction]
    next_dealer: int

    def as_json(self) -> JsonObject:
        """In the shape of the vectors."""
        return {
            "declarer": self.declarer,
            "friend": self.friend,
            "contract": self.contract,
            "taken": self.taken,
            "made": self.made,
            "factor": self.factor,
            "scores": [number(score) for score in self.scores],
            "next_dealer": self.next_dealer,
        }


def number(value: Fraction) -> int | float:
    """A score for JSON: a whole number, or one with a half."""
    return int(value) if value.denominator == 1 else float(value)


class Hand:
    """One hand, from the deal to its result or until it is void.

    `turn` is the seat that moves, `phase` one of "miss", "auction", "bury", "contract", "friend", "play",
    "over". `legal()` lists the moves as tokens, `apply(token)` makes one.
    """

    def __init__(self, rules: Rules, deck: list[str], dealer: int, first_bidder: int) -> None:
        if sorted(deck) != sorted(DECK):
            raise ValueError("not a deck of 53 cards")
        self.rules = rules
        self.dealer = dealer
        self.first_bidder = first_bidder
        self.hands: list[list[str]] = [[], [], [], [], []]
        for seat, card in zip(dealt_to(rules, dealer), deck, strict=False):
            self.hands[seat].append(card)
        self.kitty = deck[50:]

        self.void: Void | None = None
        self.result: Result | None = None

        # the auction
        self.round = 1
        self.standing: Bid | None = None  # the standing bid
        self.bidder: int | None = None  # whose it is
        self.out: set[int] = set()  # the seats that passed, when a pass is final
        self.passes_in_a_row = 0
        self.has_called: set[int] = set()  # the seats that made their first call
        self.dealer_declared = False

        # the exchange, the contract and the friend
        self.declarer = -1
        self.contract = Bid(0, "")
        self.calling_card = ""
        self.buried: list[str] = []
        self.called_kind = ""  # card, first_trick, none, kitty
        self.called_card = ""
        self.friend: int | None = None
        self.friend_known = False  # to everybody

        # the play
        self.winners: list[int] = []
        self.trick: list[Played] = []
        self.joker_called = False  # in this trick
        self.joker_fell = False  # in an earlier trick
        self.captured: list[list[str]] = [[], [], [], [], []]

        self.asked: list[int] = []  # the seats still to be asked for a deal miss
        if rules.miss is not None and rules.miss.timing == "before_auction":
            order = [(first_bidder + step) % 5 for step in SEATS]
            self.asked = [seat for seat in order if self.qualifies(seat)]
        if self.asked:
            self.phase = "miss"
            self.turn = self.asked[0]
        else:
            self.phase = "auction"
            self.turn = first_bidder

    # -- moves

    def legal(self) -> list[str]:
        """All legal moves, sorted (burials once each, and plays without `+`)."""
        by_phase: dict[str, Callable[[], list[str]]] = {
            "miss": lambda: ["x", "="],
            "auction": self.legal_calls,
            "bury": self.legal_burials,
            "contract": self.legal_contracts,
            "friend": self.legal_friends,
            "play": self.legal_plays,
            "over": lambda: [],
        }
        return sorted(by_phase[self.phase]())

    def apply(self, token: str) -> None:
        """Make a move; raise IllegalMove if it is none."""
        plain = token
        reveals = False
        if self.phase == "bury" and token.startswith("d:"):
            plain = "d:" + "".join(sorted(read_cards(token[2:])))
        if self.phase == "play" and token.endswith("+"):
            plain, reveals = token[:-1], True
            if not self.can_reveal():
                raise IllegalMove(f"{token}: seat {self.turn} may not reveal itself")
        if plain not in self.legal():
            raise IllegalMove(
                f"{token}: not legal for seat {self.turn} ({self.phase}), but {' '.join(self.legal()[:60])}"
            )
        if self.phase == "miss":
            self.apply_miss(plain)
        elif self.phase == "auction":
            self.apply_call(plain)
        elif self.phase == "bury":
            self.apply_burial(plain)
        elif self.phase == "contract":
            self.apply_contract(plain)
        elif self.phase == "friend":
            self.apply_friend(plain)
        else:
            if reveals:
                self.friend_known = True
            self.apply_play(plain)

    # -- deal miss

    def qualifies(self, seat: int) -> bool:
        """Whether the hand of a seat is weak enough to be thrown in."""
        miss = self.rules.miss
        if miss is None:
            return False
        total = 0
        for card in self.hands[seat]:
            if card == JOKER:
                total += miss.joker
            elif card == "AS":
                total += miss.spade_ace
            elif card == "AD":
                total += miss.diamond_ace
            elif card[0] == "T":
                total += miss.ten
            elif card[0] in "AKQJ":
                total += miss.honour
        return total <= miss.at_most

    def throw_in(self) -> None:
        """The seat in turn throws its hand in."""
        assert self.rules.miss is not None
        claimant = self.turn
        next_dealer = claimant if self.rules.miss.next_dealer == "claimant" else self.dealer
        self.void = Void("deal_miss", claimant, next_dealer)
        self.phase = "over"

    def apply_miss(self, token: str) -> None:
        """`x` or `=` before the auction."""
        if token == "x":
            self.throw_in()
            return
        self.asked.pop(0)
        if self.asked:
            self.turn = self.asked[0]
        else:
            self.phase = "auction"
            self.turn = self.first_bidder

    # -- auction

    def beats(self, bid: Bid, standing: Bid) -> bool:
        """Whether a bid outbids the standing one."""
        if bid.number != standing.number:
            return bid.number > standing.number
        if self.rules.ranking == "no_trump":
            return bid.trump == "N" and standing.trump != "N"
        if self.rules.ranking == "suits":
            return TRUMPS.index(bid.trump) > TRUMPS.index(standing.trump)
        return False  # points

    def possible_bids(self) -> list[Bid]:
        """The bids that may be made now."""
        if self.in_lowered_round():
            return [Bid(self.rules.minimum - 1, trump) for trump in TRUMPS]
        bids: list[Bid] = []
        for trump in TRUMPS:
            lowest = self.rules.minimum
            if trump == "N":
                lowest -= self.rules.no_trump_discount
            bids += [Bid(count, trump) for count in range(lowest, HIGHEST_BID + 1)]
        if self.standing is None:
            return bids
        return [bid for bid in bids if self.beats(bid, self.standing)]

    def in_lowered_round(self) -> bool:
        """Whether this is the second, lowered round."""
        return self.round == 2 and self.rules.all_pass == "second_round_lowered"

    def legal_calls(self) -> list[str]:
        """Bids, a pass, and throwing in a weak hand instead of the first call."""
        calls = [str(bid) for bid in self.possible_bids()]
        must_open = self.rules.all_pass == "dealer_opens" and self.turn == self.dealer and self.standing is None
        if not must_open:
            calls.append("-")
        miss = self.rules.miss
        if miss is not None and miss.timing == "first_turn" and self.round == 1:
            if self.turn not in self.has_called and self.qualifies(self.turn):
                calls.append("x")
        return calls

    def apply_call(self, token: str) -> None:
        """`x`, `-` or a bid."""
        if token == "x":
            self.throw_in()
            return
        self.has_called.add(self.turn)
        if token == "-":
            self.out.add(self.turn)
            self.passes_in_a_row += 1
        else:
            self.standing = Bid(int(token[:-1]), token[-1])
            self.bidder = self.turn
            self.passes_in_a_row = 0
        if self.auction_has_ended():
            self.end_auction()
            return
        self.turn = (self.turn + 1) % 5
        if self.rules.pass_is_final:
            while self.turn in self.out:
                self.turn = (self.turn + 1) % 5

    def auction_has_ended(self) -> bool:
        """After a call: whether it was the last one of this auction."""
        if self.standing is None:
            return self.passes_in_a_row == 5
        if self.in_lowered_round():
            return True  # the first to bid is declarer at once
        if not self.possible_bids():
            return True  # nothing can beat the standing bid
        if self.rules.pass_is_final:
            return len(self.out) == 4  # the seat with the bid is left
        return self.passes_in_a_row == 4

    def end_auction(self) -> None:
        """There is a declarer, or a second round, or the hand is void."""
        if self.standing is not None:
            assert self.bidder is not None
            self.declarer = self.bidder
            self.start_exchange()
        elif self.rules.all_pass == "dealer_declares":
            self.declarer = self.dealer
            self.dealer_declared = True
            self.start_exchange()
        elif self.round == 1 and self.rules.all_pass in ("second_round", "second_round_lowered"):
            self.round = 2
            self.out = set()
            self.passes_in_a_row = 0
            self.turn = self.first_bidder
        else:
            moves_on = self.rules.all_pass == "redeal_next_dealer"
            self.void = Void("all_passed", None, (self.dealer + 1) % 5 if moves_on else self.dealer)
            self.phase = "over"

    # -- exchange

    def start_exchange(self) -> None:
        """The declarer takes the kitty."""
        self.turn = self.declarer
        self.hands[self.declarer] += self.kitty
        self.phase = "bury"

    def legal_burials(self) -> list[str]:
        """Any three of the thirteen."""
        return ["d:" + "".join(three) for three in itertools.combinations(sorted(self.hands[self.declarer]), 3)]

    def apply_burial(self, token: str) -> None:
        """Bury three cards; then the contract is asked for, or is plain."""
        self.buried = read_cards(token[2:])
        for card in self.buried:
            self.hands[self.declarer].remove(card)
        contracts = self.possible_contracts()
        if len(contracts) == 1 and self.rules.call_card != "declared":
            self.fix_contract(contracts[0], "")
        else:
            self.phase = "contract"

    def lowest_contract(self, trump: str) -> int | None:
        """The lowest number at which the declarer may have this trump; None when it is not to be had."""
        rules = self.rules
        if self.dealer_declared:
            return rules.minimum - 1  # any trump, free of charge
        assert self.standing is not None
        bid = self.standing
        if trump == bid.trump or rules.trump_change == "free":
            return bid.number
        if rules.trump_change == "none":
            return None
        price = rules.no_trump_change_raise if trump == "N" else rules.suit_change_raise
        if bid.number + price <= HIGHEST_BID:
            return bid.number + price
        if not rules.raise_capped:
            return None  # past 20
        if bid.number == HIGHEST_BID and trump != "N":
            return None  # another suit that has a price, at 20 itself
        return HIGHEST_BID

    def possible_contracts(self) -> list[Bid]:
        """All contracts that the declarer may fix."""
        contracts: list[Bid] = []
        for trump in TRUMPS:
            lowest = self.lowest_contract(trump)
            if lowest is None:
                continue
            highest = HIGHEST_BID if self.rules.may_raise else lowest
            contracts += [Bid(count, trump) for count in range(lowest, highest + 1)]
        return contracts

    def legal_contracts(self) -> list[str]:
        """Contracts, each with every calling card where it is declared."""
        tokens: list[str] = []
        for contract in self.possible_contracts():
            if self.rules.call_card == "declared":
                mighty = self.mighty_under(contract.trump)
                tokens += [f"={contract}?{card}" for card in DECK if card not in (JOKER, mighty)]
            else:
                tokens.append(f"={contract}")
        return tokens

    def apply_contract(self, token: str) -> None:
        """`=15D` or `=15D?2C`."""
        bid, _, card = token[1:].partition("?")
        self.fix_contract(Bid(int(bid[:-1]), bid[-1]), card)

    def fix_contract(self, contract: Bid, declared_card: str) -> None:
        """The contract stands; the friend is called next."""
        self.contract = contract
        if self.rules.call_card == "declared":
            self.calling_card = declared_card
        elif contract.trump == "C":
            self.calling_card = self.rules.call_card_when_clubs_trump
        else:
            self.calling_card = self.rules.call_card
        self.phase = "friend"

    # -- friend

    def legal_friends(self) -> list[str]:
        """The kinds of call that the table allows."""
        tokens: list[str] = []
        for kind in self.rules.calls:
            if kind == "card":
                for card in DECK:
                    tokens.append(f"f:{card}")
                    if self.rules.lead_request and str(self.contract) == "20N":
                        tokens += [f"f:{card}>{suit}" for suit in SUITS]
            elif kind == "first_trick":
                tokens.append("f:1st")
            elif kind == "none":
                tokens.append("f:none")
            else:
                tokens += [f"f:kitty:{card}" for card in self.buried]
        return tokens

    def apply_friend(self, token: str) -> None:
        """Call the friend; the declarer leads next."""
        call = token[2:]
        if call == "1st":
            self.called_kind = "first_trick"
        elif call == "none":
            self.called_kind = "none"
        elif call.startswith("kitty:"):
            self.called_kind = "kitty"
        else:
            self.called_kind = "card"
            self.called_card = call[:2]
            for seat in SEATS:
                if self.called_card in self.hands[seat] and seat != self.declarer:
                    self.friend = seat
        self.phase = "play"
        self.turn = self.declarer

    def can_reveal(self) -> bool:
        """Whether the seat in turn is the hidden friend, and may say so with a play."""
        return (
            self.rules.may_reveal and self.called_kind == "card" and self.friend == self.turn and not self.friend_known
        )

    # -- play

    def mighty_under(self, trump: str) -> str:
        """The Mighty when this is trump."""
        return self.rules.mighty_when_spades_trump if trump == "S" else "AS"

    def mighty(self) -> str:
        """The Mighty of this hand."""
        return self.mighty_under(self.contract.trump)

    def trick_number(self) -> int:
        """The trick in play, from 1 to 10."""
        return len(self.winners) + 1

    def joker_forbidden(self) -> bool:
        """Whether the joker may not be played to this trick."""
        return self.trick_number() == 1 and self.rules.joker_first_trick == "forbidden"

    def joker_has_power(self) -> bool:
        """Whether the joker has power in this trick, apart from a call."""
        ends = self.trick_number() in (1, 10)
        if ends and self.contract.trump == "N" and self.rules.joker_no_trump_ends == "powerless":
            return False
        if self.trick_number() == 1:
            return self.rules.joker_first_trick == "power"
        if self.trick_number() == 10:
            return self.rules.joker_last_trick == "power"
        return True

    def call_may_have_effect(self) -> bool:
        """Whether the seat in turn, by leading the calling card, could call the joker."""
        if self.trick_number() == 1 and not self.rules.call_first_trick:
            return False
        if self.joker_forbidden():
            return False
        if self.joker_fell:
            return False
        return JOKER not in self.hands[self.turn]

    def led_suit(self) -> str:
        """The suit to be followed; "" when there is none (yet)."""
        if not self.trick:
            return ""
        first = self.trick[0]
        if first.card != JOKER:
            return suit_of(first.card)
        second_seat_called = self.joker_called  # a led joker can be called by the second hand alone
        if first.named and not second_seat_called:
            return "" if first.named == "-" else first.named
        return suit_of(self.trick[1].card) if len(self.trick) > 1 else ""

    def legal_plays(self) -> list[str]:
        """Leads or follows, as tokens without `+`."""
        return self.legal_leads() if not self.trick else self.legal_follows()

    def legal_leads(self) -> list[str]:
        """What the seat in turn may lead."""
        rules = self.rules
        cards = [card for card in self.hands[self.turn] if not (card == JOKER and self.joker_forbidden())]
        if self.trick_number() == 1:
            allowed = [card for card in cards if not self.first_lead_forbidden(card)]
            if allowed:
                cards = allowed
        tokens: list[str] = []
        for card in cards:
            if card == JOKER and self.joker_has_power():
                names = SUITS + "-" if rules.joker_lead == "names_suit_or_none" else SUITS
                tokens += [f"JK/{name}" for name in names]
            else:
                tokens.append(card)
            if card == self.calling_card and rules.call_style == "optional_on_lead" and self.call_may_have_effect():
                tokens.append(card + "!")
        return tokens

    def first_lead_forbidden(self, card: str) -> bool:
        """Whether the table's `first_lead_forbids` names this card."""
        for what in self.rules.first_lead_forbids:
            if what == "trump" and suit_of(card) == self.contract.trump:
                return True
            if what == "joker" and card == JOKER:
                return True
            if what == "joker_call" and card == self.calling_card:
                return True
        return False

    def second_seat_may_call(self) -> bool:
        """Whether the seat in turn is second to a joker led with power, and the calling card would call it."""
        return (
            self.rules.call_style == "second_seat"
            and len(self.trick) == 1
            and self.trick[0].card == JOKER
            and self.joker_has_power()
            and not (self.trick_number() == 1 and not self.rules.call_first_trick)
        )

    def legal_follows(self) -> list[str]:
        """What the seat in turn may play to a trick that was led."""
        rules = self.rules
        hand = self.hands[self.turn]
        if self.joker_called and rules.call_effect == "forced_out" and JOKER in hand:
            if rules.call_mighty_saves and self.mighty() in hand:
                return [JOKER, self.mighty()]
            return [JOKER]
        led = self.led_suit()
        in_suit = [card for card in hand if led and suit_of(card) == led]
        if in_suit:
            cards = set(in_suit)
            if JOKER in hand and not (self.joker_called and rules.call_effect == "weakened"):
                cards.add(JOKER)
            if self.mighty() in hand and rules.mighty_ignores_suit:
                cards.add(self.mighty())
            if self.calling_card in hand and self.second_seat_may_call():
                cards.add(self.calling_card)
        else:
            cards = set(hand)
        if self.joker_forbidden():
            cards.discard(JOKER)
        return sorted(cards)

    def apply_play(self, token: str) -> None:
        """Play a card; the fifth ends the trick."""
        card = token[:2]
        named = token[3:] if token[2:3] == "/" else ""
        if not self.trick:
            if card == self.calling_card:
                if self.rules.call_style == "always_on_lead":
                    self.joker_called = self.call_may_have_effect()
                elif self.rules.call_style == "optional_on_lead":
                    self.joker_called = token.endswith("!")
        elif card == self.calling_card and self.second_seat_may_call():
            self.joker_called = True
        self.hands[self.turn].remove(card)
        self.trick.append(Played(self.turn, card, named))
        if self.called_kind == "card" and card == self.called_card:
            self.friend_known = True
        if len(self.trick) < 5:
            self.turn = (self.turn + 1) % 5
        else:
            self.end_trick()

    def strength(self, card: str, led: str) -> tuple[int, int]:
        """How strong a card is in a trick of this led suit; (0, 0) can never win."""
        if card == self.mighty():
            return (4, 0)
        if card == JOKER:
            return (3, 0) if self.joker_has_power() and not self.joker_called else (0, 0)
        if suit_of(card) == self.contract.trump:
            return (2, RANKS.index(card[0]))
        if suit_of(card) == led:
            return (1, RANKS.index(card[0]))
        return (0, 0)

    def end_trick(self) -> None:
        """The strongest card takes the trick and its seat leads next."""
        led = self.led_suit()
        winner = max(self.trick, key=lambda played: self.strength(played.card, led)).seat
        cards = [played.card for played in self.trick]
        if JOKER in cards:
            self.joker_fell = True
        self.captured[winner] += cards
        self.winners.append(winner)
        self.trick = []
        self.joker_called = False
        self.turn = winner
        if len(self.winners) == 1 and self.called_kind == "first_trick":
            self.friend = None if winner == self.declarer else winner
            self.friend_known = True
        if len(self.winners) == 10:
            self.finish()

    # -- scoring

    def finish(self) -> None:
        """Count, score, and say who deals next."""
        taken = points(self.buried) + points(self.captured[self.declarer])
        if self.friend is not None:
            taken += points(self.captured[self.friend])
        made = taken >= self.contract.number
        factor = self.factor(taken, made)
        next_dealer = (self.dealer + 1) % 5
        if self.rules.next_dealer == "declarer":
            next_dealer = self.declarer
        elif self.rules.next_dealer == "friend":
            next_dealer = self.declarer if self.friend is None else self.friend
        self.result = Result(
            declarer=self.declarer,
            friend=self.friend,
            contract=str(self.contract),
            taken=taken,
            made=made,
            factor=factor,
            scores=self.scores(taken, made, factor),
            next_dealer=next_dealer,
        )
        self.phase = "over"

    def factor(self, taken: int, made: bool) -> int:
        """The product of the doubles that apply."""
        bid = self.contract.number
        defenders = 20 - taken
        enough = bid if self.rules.back_run == "contract" else int(self.rules.back_run)
        applies = {
            "no_trump": self.contract.trump == "N",
            "no_friend": self.called_kind == "none",
            "run": taken == 20,
            "grand_slam": bid == 20 and made,
            "back_run": not made and defenders >= enough,
        }
        factor = 1
        for double in self.rules.doubles:
            if applies[double]:
                factor *= 2
        return factor

    def stake(self, taken: int, made: bool) -> int:
        """S before doubling, never below zero."""
        bid, base = self.contract.number, self.rules.base
        if made:
            by_success = {
                "flat": 1,
                "contract": bid - base,
                "twice_contract_plus_over": 2 * (bid - base) + (taken - bid),
                "points_over_base": taken - base,
                "risk": (taken - base) + (bid - base),
                "over": taken - bid,
                "over_plus_one": taken - bid + 1,
            }
            return max(0, by_success[self.rules.success])
        by_failure = {
            "flat": 1,
            "deficit": bid - taken,
            "contract_plus_deficit": (bid - base) + (bid - taken),
        }
        return max(0, by_failure[self.rules.failure])

    def scores(self, taken: int, made: bool, factor: int) -> list[Fraction]:
        """The score of each seat, exact to half a point."""
        s = Fraction(self.stake(taken, made) * factor)
        if self.rules.shares == "halved" and made:
            s = s / 2
        sign = 1 if made else -1
        alone = self.friend is None
        scores: list[Fraction] = []
        for seat in SEATS:
            if self.rules.shares == "uneven":
                if seat == self.declarer:
                    score = sign * s
                elif seat == self.friend:
                    score = sign * s / 2
                else:
                    score = -sign * s
            elif seat == self.declarer:
                score = sign * s * (4 if alone else 2)
            elif seat == self.friend:
                score = sign * s
            else:
                score = -sign * s
            scores.append(score)
        if made:
            scores[self.declarer] += (taken - self.contract.number) * self.rules.overtrick_bonus * factor
        return scores


# --------------------------------------------------------------------------------------------------
# A match


def shuffled(seed: bytes, hand: int, redeal: int) -> list[str]:
    """The deck of hand `hand` after `redeal` redeals."""

    def key(card: str) -> bytes:
        return hmac.new(seed, f"{hand}/{redeal}/{card}".encode("ascii"), hashlib.sha256).digest()

    return sorted(DECK, key=key)


def cut_for_deal(seed: bytes) -> list[str]:
    """The five cards of the cut, for seats 0 to 4."""
    return [card for card in shuffled(seed, 0, 0) if card != JOKER][:5]


def cut_dealer(cut: list[str]) -> int:
    """Who deals first: the highest rank, then the higher suit."""
    return max(SEATS, key=lambda seat: (RANKS.index(cut[seat][0]), SUITS.index(cut[seat][1])))


class Match:
    """A match of several hands from one seed.

    `begin()` deals the hand that is due (while `over` is false), `end(hand, moves)` takes a finished or void
    hand and returns its row.
    """

    def __init__(self, rules: Rules, seed: bytes) -> None:
        self.rules = rules
        self.seed = seed
        self.commitment = hashlib.sha256(seed).hexdigest()
        self.cut = cut_for_deal(seed)
        self.dealer = cut_dealer(self.cut)
        self.hand = 1
        self.redeal = 0
        self.claimant: int | None = None  # who begins the auctions of this hand from now on
        self.last_declarer: int | None = None
        self.totals = [Fraction(0)] * 5
        self.pot = 0

    @property
    def over(self) -> bool:
        """Whether all hands were played or given up."""
        return self.hand > self.rules.hands

    def first_bidder(self) -> int:
        """Who begins the auction of the hand that is due."""
        if self.claimant is not None:
            return self.claimant
        if self.rules.first_bidder == "left_of_dealer":
            return (self.dealer + 1) % 5
        if self.rules.first_bidder == "previous_declarer" and self.last_declarer is not None:
            return self.last_declarer
        return self.dealer

    def begin(self) -> Hand:
        """Deal the hand that is due."""
        return Hand(self.rules, shuffled(self.seed, self.hand, self.redeal), self.dealer, self.first_bidder())

    def end(self, hand: Hand, moves: str) -> JsonObject:
        """Book a hand that is over; return its row."""
        row: JsonObject = {
            "hand": self.hand,
            "redeal": self.redeal,
            "dealer": hand.dealer,
            "first_bidder": hand.first_bidder,
            "moves": moves,
        }
        if hand.void is not None:
            row["void"] = hand.void.as_json()
            self.end_void(hand.void)
        else:
            assert hand.result is not None
            self.end_result(hand.result)
            row["result"] = hand.result.as_json()
        return row

    def end_void(self, void: Void) -> None:
        """A fine, and the hand is dealt again or given up."""
        miss = self.rules.miss
        if miss is not None and (void.why == "deal_miss" or miss.fines_all_pass):
            self.totals[self.dealer] -= miss.fine
            self.pot += miss.fine
        if miss is not None and void.why == "deal_miss" and miss.next_dealer == "claimant":
            self.claimant = void.seat
        self.dealer = void.next_dealer
        if self.redeal < REDEALS:
            self.redeal += 1
        else:
            self.next_hand()

    def end_result(self, result: Result) -> None:
        """Share the pot into the scores, and add them to the totals."""
        side = [result.declarer] + ([] if result.friend is None else [result.friend])
        won = side if result.made else [seat for seat in SEATS if seat not in side]
        share = self.pot // len(won)
        self.pot -= share * len(won)
        for seat in won:
            result.scores[seat] += share
        for seat in SEATS:
            self.totals[seat] += result.scores[seat]
        self.last_declarer = result.declarer
        self.dealer = result.next_dealer
        self.next_hand()

    def next_hand(self) -> None:
        """Go on to the next hand."""
        self.hand += 1
        self.redeal = 0
        self.claimant = None


# --------------------------------------------------------------------------------------------------
# Checking files


def differences(name: str, given: Any, mine: Any) -> Iterator[str]:
    """One line when a given value and the referee's differ."""
    if given != mine:
        yield f"{name}: the file has {json.dumps(given)}, the referee {json.dumps(mine)}"


def replay(hand: Hand, moves: list[str]) -> tuple[list[int], list[str]]:
    """Play moves; the legal counts before each, and the sorted legal moves of each play."""
    counts: list[int] = []
    plays: list[str] = []
    for token in moves:
        legal = hand.legal()
        counts.append(len(legal))
        if hand.phase == "play":
            plays.append(" ".join(legal))
        hand.apply(token)
    return counts, plays


def check_vector(rules: Rules, line: JsonObject) -> Iterator[str]:
    """The differences of one line of vectors.jsonl."""
    first_bidder = (line["dealer"] + 1) % 5 if rules.first_bidder == "left_of_dealer" else line["dealer"]
    hand = Hand(rules, read_cards(line["deck"]), line["dealer"], first_bidder)
    counts, plays = replay(hand, line["moves"].split())
    yield from differences("legal_counts", line["legal_counts"], counts)
    for at, (given, mine) in enumerate(zip(line["legal_plays"], plays, strict=False)):
        yield from differences(f"legal_plays[{at}]", given, mine)
    yield from differences("number of legal_plays", len(line["legal_plays"]), len(plays))
    if hand.phase != "over":
        yield f"the hand is not over ({hand.phase})"
    yield from differences("void", line.get("void"), hand.void.as_json() if hand.void else None)
    yield from differences("winners", line.get("winners"), hand.winners if hand.result else None)
    yield from differences("result", line.get("result"), hand.result.as_json() if hand.result else None)


def check_match(rules: Rules, line: JsonObject) -> Iterator[str]:
    """The differences of one line of matches.jsonl."""
    match = Match(rules, bytes.fromhex(line["seed"]))
    yield from differences("commitment", line["commitment"], match.commitment)
    yield from differences("cut", line["cut"], match.cut)
    for at, row in enumerate(line["rows"]):
        if match.over:
            yield f"rows[{at}]: the match is over"
            return
        hand = match.begin()
        replay(hand, row["moves"].split())
        if hand.phase != "over":
            yield f"rows[{at}]: the hand is not over ({hand.phase})"
            return
        mine = match.end(hand, row["moves"])
        for name in sorted(row.keys() | mine.keys()):
            yield from differences(f"rows[{at}].{name}", row.get(name), mine.get(name))
    if not match.over:
        yield "the match is not over"
    yield from differences("totals", line["totals"], [number(total) for total in match.totals])
    yield from differences("pot", line["pot"], match.pot)


def check_file(path: Path, profiles: dict[str, JsonObject]) -> int:
    """Replay a file of vectors or matches; print the differences; how many lines differ."""
    lines = bad = 0
    for at, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        lines += 1
        found: list[str] = []
        try:
            line: JsonObject = json.loads(text)
            rules = make_rules(with_overrides(profiles[line["profile"]], line["overrides"]))
            check = check_match if "seed" in line else check_vector
            for difference in check(rules, line):
                found.append(difference)
        except (IllegalMove, ValueError, KeyError, TypeError) as error:
            found.append(f"{type(error).__name__}: {error}")
        for difference in found:
            print(f"{path.name}:{at}: {difference}")
        bad += bool(found)
    print(f"{path.name}: {lines} lines, {bad} with differences")
    return bad


# --------------------------------------------------------------------------------------------------
# Generating lines: random rules


def random_miss(rng: random.Random) -> JsonObject | None:
    """Terms for a deal miss; often generous, so that hands qualify."""
    if rng.random() < 0.2:
        return None
    return {
        "timing": rng.choice(["before_auction", "first_turn"]),
        "honour": rng.choice([2, 2, 2, 1, 0, 3, 4]),
        "ten": rng.choice([1, 2, 0, 1, 3]),
        "spade_ace": rng.choice([0, 0, 2, 1, 4, -1]),
        "diamond_ace": rng.choice([2, 0, 1, 4, -1]),
        "joker": rng.choice([-2, -2, 0, -1, 2, -4, 3]),
        "at_most": rng.choice([0, 1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 10]),
        "next_dealer": rng.choice(["same", "claimant"]),
        "fine": rng.choice([0, 0, 1, 2, 3, 5, 7]),
        "fines_all_pass": rng.random() < 0.5,
    }


def random_minimum(rng: random.Random) -> int:
    """Mostly an ordinary minimum, sometimes any."""
    return rng.randint(2, 20) if rng.random() < 0.4 else rng.choice([10, 11, 12, 13, 13, 14, 14, 15, 16])


def random_part(rng: random.Random, whole: list[str]) -> list[str]:
    """Some of a list, in its order."""
    return [item for item in whole if rng.random() < 0.5]


def random_calling_card(rng: random.Random) -> str:
    """Mostly a three, sometimes any card but the joker."""
    return rng.choice(["3C", "3S", "3D", "3H"]) if rng.random() < 0.6 else rng.choice(DECK[:-1])


Maker = Callable[[random.Random], Any]


def one_of(*values: Any) -> Maker:
    """A maker that picks one of the values."""
    return lambda rng: rng.choice(values)


KINDS_OF_CALL = ["card", "first_trick", "none", "kitty"]


def random_calls(rng: random.Random) -> list[str]:
    """Some kinds of call, at least one; a buried card is never the only kind."""
    calls = random_part(rng, KINDS_OF_CALL)
    return calls if calls not in ([], ["kitty"]) else [rng.choice(KINDS_OF_CALL[:3])]


MAKERS: dict[str, Maker] = {
    "deal.pattern": one_of("one_by_one", "packets_1_2_3_4"),
    "deal.next_dealer": one_of("clockwise", "friend", "declarer"),
    "deal.miss": random_miss,
    "auction.first_bidder": one_of("left_of_dealer", "dealer", "previous_declarer"),
    "auction.minimum": random_minimum,
    "auction.no_trump_discount": one_of(0, 1, 1, 2, 3),
    "auction.ranking": one_of("points", "no_trump", "suits"),
    "auction.pass_is_final": one_of(True, False),
    "auction.all_pass": one_of(
        "redeal_next_dealer",
        "redeal_same_dealer",
        "second_round",
        "second_round_lowered",
        "dealer_opens",
        "dealer_declares",
    ),
    "exchange.kitty_face_up": one_of(True, False),
    "exchange.trump_change": one_of("none", "free", "raise", "raise"),
    "exchange.suit_change_raise": one_of(0, 1, 2, 3, 4),
    "exchange.no_trump_change_raise": one_of(0, 1, 2, 3, 4),
    "exchange.raise_capped": one_of(True, False),
    "exchange.may_raise": one_of(True, False),
    "friend.calls": random_calls,
    "friend.may_reveal": one_of(True, False),
    "friend.lead_request": one_of(True, False),
    "play.first_lead_forbids": lambda rng: random_part(rng, ["trump", "joker", "joker_call"]),
    "play.mighty_when_spades_trump": one_of("AS", "AD", "AC", "AH"),
    "play.mighty_ignores_suit": one_of(True, False),
    "play.joker.first_trick": one_of("power", "powerless", "forbidden"),
    "play.joker.last_trick": one_of("power", "powerless"),
    "play.joker.no_trump_ends": one_of("power", "powerless"),
    "play.joker.lead": one_of("names_suit", "names_suit_or_none"),
    "play.joker_call.card": random_calling_card,
    "play.joker_call.card_when_clubs_trump": random_calling_card,
    "play.joker_call.style": one_of("always_on_lead", "optional_on_lead", "second_seat"),
    "play.joker_call.first_trick": one_of(True, False),
    "play.joker_call.effect": one_of("forced_out", "weakened"),
    "play.joker_call.mighty_saves": one_of(True, False),
    "scoring.success": one_of(
        "flat", "contract", "twice_contract_plus_over", "points_over_base", "risk", "over", "over_plus_one"
    ),
    "scoring.base": lambda rng: rng.choice([10, 12, 13, 13, 14]) if rng.random() < 0.6 else rng.randint(0, 20),
    "scoring.failure": one_of("flat", "deficit", "contract_plus_deficit"),
    "scoring.overtrick_bonus": one_of(0, 1, 1, 2, 3),
    "scoring.doubles": lambda rng: random_part(rng, ["no_trump", "no_friend", "run", "grand_slam", "back_run"]),
    "scoring.back_run": lambda rng: "contract" if rng.random() < 0.4 else rng.randint(0, 20),
    "scoring.shares": one_of("zero_sum", "halved", "uneven"),
}
CALLING_CARDS = ("play.joker_call.card", "play.joker_call.card_when_clubs_trump")


def make_sense(rules: Rules) -> bool:
    """Whether a table could set these options together (beyond what `make_rules` refuses)."""
    if rules.minimum - rules.no_trump_discount < 1:
        return False
    if rules.call_card != "declared":
        # a fixed calling card is never the Mighty of a hand in which it calls
        if rules.call_card in ("AS", rules.mighty_when_spades_trump) or rules.call_card_when_clubs_trump == "AS":
            return False
    return True


def random_rules(
    rng: random.Random, profiles: dict[str, JsonObject], forced: JsonObject
) -> tuple[str, JsonObject, Rules]:
    """A profile, overrides (the forced ones among them), and the rules they make."""
    while True:
        profile = rng.choice(list(profiles))
        share = rng.choice([0.0, 0.05, 0.15, 0.3, 0.6, 1.0])
        overrides = {path: maker(rng) for path, maker in MAKERS.items() if rng.random() < share}
        if any(path in overrides for path in CALLING_CARDS):
            declared = rng.random() < 0.35
            for path in CALLING_CARDS:
                overrides[path] = "declared" if declared else random_calling_card(rng)
        if "deal.miss" not in overrides | forced and profiles[profile]["deal"]["miss"] is not None:
            miss = random_miss(rng)
            if miss is not None:
                for name in miss:
                    if rng.random() < share / 4:
                        overrides[f"deal.miss.{name}"] = miss[name]
        overrides.update(forced)
        paths = list(overrides)
        rng.shuffle(paths)
        overrides = {path: overrides[path] for path in paths}
        rules = make_rules(with_overrides(profiles[profile], overrides))
        if make_sense(rules):
            return profile, overrides, rules


# --------------------------------------------------------------------------------------------------
# Generating lines: random decks


@dataclass
class Plan:
    """What a generated hand is about: how it is bid and played, and who should declare which trump."""

    auction: str
    play: str
    throws_in: float
    declarer: int | None = None
    trump: str = ""
    leads_joker: bool = False
    buries_joker: bool = False


def arranged(rng: random.Random, rules: Rules, dealer: int, wanted: dict[int, list[str]]) -> list[str]:
    """A random deck that deals each seat the cards wanted for it (5 is the kitty)."""
    places = [*dealt_to(rules, dealer), 5, 5, 5]
    taken = {card for cards in wanted.values() for card in cards}
    rest = [card for card in DECK if card not in taken]
    rng.shuffle(rest)
    piles: list[list[str]] = []
    for pile in range(6):
        cards = list(wanted.get(pile, []))
        while len(cards) < places.count(pile):
            cards.append(rest.pop())
        rng.shuffle(cards)
        piles.append(cards)
    return [piles[place].pop() for place in places]


# What a generated deck is about, and how often.
THEMES = {
    "plain": 40,
    "long": 14,  # a declarer with little but trumps and other cards that may not be led
    "strong": 10,  # a declarer who makes it
    "weak": 8,  # a hand to throw in
    "together": 10,  # the Mighty, the joker and the calling card in one hand
    "joker_lead": 8,  # a joker to lead, the calling card or the Mighty at its left
    "hunter": 6,  # a calling card to lead, and joker and Mighty in another hand
    "buried": 4,  # the declarer buries the joker and holds the calling card
}


def theme_overrides(rng: random.Random, theme: str) -> JsonObject:
    """Overrides that suit a theme, more often than not."""
    if rng.random() < 0.3:
        return {}
    if theme == "long":
        forced: JsonObject = {
            "play.first_lead_forbids": random_part(rng, ["trump", "joker", "joker_call"]) or ["trump"]
        }
        if rng.random() < 0.3:
            forced["play.mighty_when_spades_trump"] = "AS"
        return forced
    if theme == "weak":
        return {"deal.miss": random_miss(rng)}
    if theme == "joker_lead":
        return {
            "play.joker_call.style": "second_seat",
            "play.joker.lead": rng.choice(["names_suit", "names_suit_or_none"]),
            "play.joker.first_trick": rng.choice(["power", "power", "powerless"]),
        }
    if theme == "hunter":
        return {
            "play.joker_call.style": rng.choice(["always_on_lead", "optional_on_lead"]),
            "play.joker_call.effect": rng.choice(["forced_out", "forced_out", "weakened"]),
            "play.mighty_ignores_suit": rng.random() < 0.3,
        }
    if theme == "buried":
        return {"play.joker_call.style": "optional_on_lead"}
    return {}


def random_deck(rng: random.Random, rules: Rules, dealer: int, plan: Plan, kind: str) -> list[str]:
    """A deck for a theme; the plan is told who should declare, and which trump."""
    trump = rng.choice(SUITS)
    mighty = rules.mighty_when_spades_trump if trump == "S" else "AS"
    call = rules.call_card_when_clubs_trump if trump == "C" else rules.call_card
    if call == "declared":
        call = rng.choice(["3C", "3D", "3H", "3S"])
    seat = rng.randrange(5)
    wanted: dict[int, list[str]] = {}
    if kind == "long" and rules.mighty_when_spades_trump == "AS" and rng.random() < 0.7:
        trump, mighty, call = "S", "AS", rng.choice(["3C", "3D"]) if rules.call_card == "declared" else rules.call_card
    if kind == "long":
        # ten to thirteen of the declarer's thirteen cards are trumps or otherwise not to be led
        suit = [card for card in DECK if suit_of(card) == trump]
        rng.shuffle(suit)
        cards = [card for card in (JOKER, call, mighty) if rng.random() < 0.5]
        cards += [card for card in suit if card not in cards]
        cards = cards[: rng.choice([9, 10, 11, 12, 13, 13])]
        rng.shuffle(cards)
        wanted = {seat: cards[:10], 5: cards[10:]}
        plan.declarer, plan.trump = seat, trump
    elif kind == "strong":
        top = [rank + trump for rank in "AKQJT98"]
        wanted = {seat: list(dict.fromkeys([mighty, JOKER, *top]))[: rng.choice([7, 8, 9])]}
        plan.declarer, plan.trump = seat, rng.choice([trump, trump, "N"])
    elif kind == "weak":
        low = [card for card in DECK if card != JOKER and card[0] not in POINT_RANKS]
        rng.shuffle(low)
        wanted = {seat: low[: rng.choice([8, 9, 10])]}
    elif kind == "together":
        cards = [card for card in (JOKER, mighty, call) if rng.random() < 0.75]
        if rng.random() < 0.5:  # nothing else in the suit of the Mighty
            others = [card for card in DECK if card != JOKER and suit_of(card) != suit_of(mighty) and card not in cards]
            rng.shuffle(others)
            cards += others[: 10 - len(cards)]
        wanted = {seat: cards[:10]}
        if rng.random() < 0.5:
            plan.declarer, plan.trump = (seat + rng.choice([0, 1, 4])) % 5, rng.choice([trump, "N"])
    elif kind == "joker_lead":
        left = [card for card in (call, mighty) if rng.random() < 0.7]
        wanted = {seat: [JOKER], (seat + 1) % 5: left}
        plan.declarer, plan.trump, plan.leads_joker = seat, rng.choice([trump, trump, "N"]), True
    elif kind == "hunter":
        other = (seat + rng.randint(1, 4)) % 5
        wanted = {seat: [call], other: [JOKER] if call == mighty or rng.random() < 0.3 else [JOKER, mighty]}
        plan.declarer, plan.trump = rng.choice([seat, seat, other]), rng.choice([trump, trump, "N"])
    elif kind == "buried":
        wanted = {seat: [call], 5: [JOKER]}
        plan.declarer, plan.trump, plan.buries_joker = seat, rng.choice([trump, trump, "N"]), True
    return arranged(rng, rules, dealer, wanted)


# --------------------------------------------------------------------------------------------------
# Generating lines: random moves


def random_plan(rng: random.Random) -> Plan:
    """How a hand is bid and played."""
    return Plan(
        auction=rng.choices(["pass", "quiet", "normal", "wild", "climb", "top"], [14, 26, 26, 14, 12, 8])[0],
        play=rng.choices(["random", "for", "against", "keep_joker"], [45, 30, 10, 15])[0],
        throws_in=rng.choice([0.1, 0.3, 0.6]),
    )


def choose(rng: random.Random, hand: Hand, plan: Plan) -> str:
    """A legal move for the seat in turn, biased towards what is rare."""
    legal = hand.legal()
    if hand.phase == "miss" or (hand.phase == "auction" and "x" in legal):
        if rng.random() < plan.throws_in:
            return "x"
        legal = [token for token in legal if token != "x"]
    if hand.phase == "miss":
        return "="
    if hand.phase == "auction":
        return choose_call(rng, hand, plan, legal)
    if hand.phase == "bury":
        return choose_burial(rng, hand, plan)
    if hand.phase == "contract":
        return choose_contract(rng, hand, plan, legal)
    if hand.phase == "friend":
        return choose_friend(rng, hand, legal)
    return choose_play(rng, hand, plan, legal)


def choose_call(rng: random.Random, hand: Hand, plan: Plan, legal: list[str]) -> str:
    """A bid or a pass."""
    bids = sorted((token for token in legal if token != "-"), key=lambda token: int(token[:-1]))
    if plan.declarer is not None and rng.random() < 0.95:
        own = [token for token in bids if token[-1] == plan.trump]
        if hand.turn == plan.declarer and own:
            return own[0] if rng.random() < 0.7 else rng.choice(own)
        if hand.turn != plan.declarer and "-" in legal:
            return "-"
    passes = {"pass": 1.0, "quiet": 0.85, "normal": 0.6, "wild": 0.25, "climb": 0.05, "top": 0.7}[plan.auction]
    if "-" in legal and (not bids or rng.random() < passes):
        return "-"
    if plan.auction == "top":
        return rng.choice(bids[-4:])
    if plan.auction == "climb":
        return rng.choice(bids[:3])
    return rng.choice(bids[:8]) if rng.random() < 0.8 else rng.choice(bids)


def choose_burial(rng: random.Random, hand: Hand, plan: Plan) -> str:
    """Three cards, in any order."""
    cards = list(hand.hands[hand.turn])
    rng.shuffle(cards)
    way = rng.random()
    if plan.buries_joker and JOKER in cards:
        cards.sort(key=lambda card: card != JOKER)
    elif plan.declarer == hand.turn and plan.trump != "N" and way < 0.8:  # keep what may not be led, and the Mighty
        keep = (JOKER, "AS", hand.rules.call_card, hand.rules.call_card_when_clubs_trump)
        cards.sort(key=lambda card: suit_of(card) == plan.trump or card in keep)
    elif way < 0.15:  # bury the special cards
        cards.sort(key=lambda card: card not in (JOKER, "AS", hand.rules.call_card))
    elif way < 0.35:
        cards.sort(key=lambda card: -points([card]))
    three = cards[:3]
    rng.shuffle(three)
    return "d:" + "".join(three)


def choose_contract(rng: random.Random, hand: Hand, plan: Plan, legal: list[str]) -> str:
    """A contract; the planned trump, or a low number, more often than not."""
    contracts = sorted({token.partition("?")[0] for token in legal}, key=lambda token: (int(token[1:-1]), token))
    planned = [token for token in contracts if token[-1] == plan.trump]
    if planned and rng.random() < 0.8:
        contracts = planned
    contract = rng.choice(contracts[:5]) if rng.random() < 0.7 else rng.choice(contracts)
    tokens = [token for token in legal if token.partition("?")[0] == contract]
    holders = [seat for seat in SEATS if JOKER in hand.hands[seat]]
    if "?" in tokens[0] and holders and rng.random() < 0.7:
        # a calling card at the left of the joker, or in the declarer's own hand
        seat = (holders[0] + 1) % 5 if rng.random() < 0.7 else hand.declarer
        tokens = [token for token in tokens if token.partition("?")[2] in hand.hands[seat]] or tokens
    return rng.choice(tokens)


def choose_friend(rng: random.Random, hand: Hand, legal: list[str]) -> str:
    """One of the kinds, then one of its calls."""
    kind = rng.choice(hand.rules.calls + (("card", "card") if "card" in hand.rules.calls else ()))
    if kind == "first_trick":
        return "f:1st"
    if kind == "none":
        return "f:none"
    if kind == "kitty":
        return rng.choice([token for token in legal if token.startswith("f:kitty:")])
    own = hand.hands[hand.declarer]
    card = rng.choices(
        [rng.choice(own), rng.choice(hand.buried), JOKER, hand.mighty(), hand.calling_card, rng.choice(DECK)],
        [10, 8, 12, 12, 8, 50],
    )[0]
    tokens = [token for token in legal if token[2:].partition(">")[0] == card]
    requests = [token for token in tokens if ">" in token]
    return rng.choice(requests) if requests and rng.random() < 0.7 else f"f:{card}"


def choose_play(rng: random.Random, hand: Hand, plan: Plan, legal: list[str]) -> str:
    """A play; `+` now and then where it is allowed."""
    special = [
        token
        for token in legal
        if token.endswith("!") or token[:2] == JOKER or token == hand.mighty() or token == hand.calling_card
    ]
    if plan.play == "keep_joker" and rng.random() < 0.95:
        special = [token for token in special if token[:2] != JOKER]
        legal = [token for token in legal if token[:2] != JOKER] or legal
    calls = [
        token for token in special if token[:2] == hand.calling_card and (not hand.trick or hand.second_seat_may_call())
    ]
    joker_leads = [token for token in legal if token[:2] == JOKER and not hand.trick]
    if joker_leads and plan.leads_joker and rng.random() < 0.7:
        token = "JK/-" if "JK/-" in joker_leads and rng.random() < 0.3 else rng.choice(joker_leads)
    elif calls and rng.random() < 0.5:
        token = rng.choice(calls)
    elif special and rng.random() < (0.1 if plan.play in ("for", "against") else 0.25):
        token = rng.choice(special)
    elif plan.play in ("for", "against"):
        token = play_for_a_side(rng, hand, legal, plan.play == "for")
    else:
        token = rng.choice(legal)
    if hand.can_reveal() and rng.random() < (0.4 if token[:2] == hand.called_card else 0.2):
        token += "+"
    return token


def play_for_a_side(rng: random.Random, hand: Hand, legal: list[str], declarers: bool) -> str:
    """The favoured side tries to win, and everybody throws it points."""
    side = [hand.declarer] + ([] if hand.friend is None else [hand.friend])
    favoured = [seat for seat in SEATS if (seat in side) == declarers]

    def strength(token: str) -> tuple[int, int]:
        return hand.strength(token[:2], hand.led_suit() or suit_of(token[:2]))

    if not hand.trick:
        wanted = max if hand.turn in favoured else min
        best = wanted(strength(token) for token in legal)
        return rng.choice([token for token in legal if strength(token) == best])
    leading = max(hand.trick, key=lambda played: strength(played.card))
    winning = [token for token in legal if strength(token) > strength(leading.card)]
    losing = [token for token in legal if token not in winning]
    if leading.seat in favoured and losing:
        return max(losing, key=lambda token: (points([token[:2]]), rng.random()))
    if hand.turn in favoured and winning:
        return max(winning, key=strength)
    return min(losing or legal, key=lambda token: (points([token[:2]]), rng.random()))


# --------------------------------------------------------------------------------------------------
# Generating lines: whole lines


def generate_vector(rng: random.Random, profiles: dict[str, JsonObject]) -> JsonObject:
    """One line in the shape of vectors.jsonl, without `shows`."""
    theme = rng.choices(list(THEMES), list(THEMES.values()))[0]
    profile, overrides, rules = random_rules(rng, profiles, theme_overrides(rng, theme))
    dealer = rng.randrange(5)
    plan = random_plan(rng)
    deck = random_deck(rng, rules, dealer, plan, theme)
    first_bidder = (dealer + 1) % 5 if rules.first_bidder == "left_of_dealer" else dealer
    hand = Hand(rules, deck, dealer, first_bidder)
    moves: list[str] = []
    counts: list[int] = []
    plays: list[str] = []
    while hand.phase != "over":
        legal = hand.legal()
        counts.append(len(legal))
        if hand.phase == "play":
            plays.append(" ".join(legal))
        moves.append(choose(rng, hand, plan))
        hand.apply(moves[-1])
    line: JsonObject = {
        "profile": profile,
        "overrides": overrides,
        "deck": "".join(deck),
        "dealer": dealer,
        "moves": " ".join(moves),
        "legal_counts": counts,
        "legal_plays": plays,
    }
    if hand.void is not None:
        line["void"] = hand.void.as_json()
    else:
        assert hand.result is not None
        line["winners"] = hand.winners
        line["result"] = hand.result.as_json()
    return line


def generate_match(rng: random.Random, profiles: dict[str, JsonObject]) -> JsonObject:
    """One line in the shape of matches.jsonl."""
    profile, overrides, _ = random_rules(rng, profiles, {})
    overrides["match.hands"] = rng.choice([1, 2, 3, 4, 5, 6, 10])
    rules = make_rules(with_overrides(profiles[profile], overrides))
    seed = bytes(rng.randrange(256) for _ in range(32))
    match = Match(rules, seed)
    often_void = rng.random() < 0.4  # so that hands are given up
    rows: list[JsonObject] = []
    while not match.over:
        hand = match.begin()
        plan = random_plan(rng)
        if often_void and match.hand % 3 != 0 and rng.random() < 0.97:
            plan.auction, plan.throws_in = "pass", 0.95
        moves: list[str] = []
        while hand.phase != "over":
            moves.append(choose(rng, hand, plan))
            hand.apply(moves[-1])
        rows.append(match.end(hand, " ".join(moves)))
    return {
        "profile": profile,
        "overrides": overrides,
        "seed": seed.hex(),
        "commitment": match.commitment,
        "cut": match.cut,
        "rows": rows,
        "totals": [number(total) for total in match.totals],
        "pot": match.pot,
    }


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="A plain referee of Mighty.")
    parser.add_argument("--profiles", type=Path, help="profiles.json (default: those of the rules)")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="replay vectors or matches and print the differences")
    check.add_argument("file", type=Path, nargs="+")
    generate = commands.add_parser("generate", help="write fresh lines to standard output")
    generate.add_argument("--seed", type=int, required=True)
    generate.add_argument("--count", type=int, required=True)
    generate.add_argument("--matches", action="store_true", help="match lines instead of vector lines")
    arguments = parser.parse_args()
    profiles = load_profiles(arguments.profiles)
    if arguments.command == "check":
        return 1 if sum(check_file(path, profiles) for path in arguments.file) else 0
    make = generate_match if arguments.matches else generate_vector
    for at in range(arguments.count):
        line = make(random.Random(f"{arguments.seed}/{at}"), profiles)
        print(json.dumps(line))
    return 0


if __name__ == "__main__":
    sys.exit(main())
