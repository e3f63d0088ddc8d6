"""What each viewer of a match should be told, written down by replaying the match with the referee.

The sentences are those of the .proto comments: which events there are, who is told, what an observation holds.
Viewers are the seats 0 to 4 and SPECTATOR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import referee
from defaults import default_move
from mighty.v1 import event_pb2, move_pb2, observation_pb2
from notation import bid_of, call_of, card_of, cards_of, play_of, suit_of, text_of

SPECTATOR = 5
VIEWERS = range(6)
Event = event_pb2.Event
Observation = observation_pb2.Observation
Knowledge = observation_pb2.FriendKnowledge

STAGES = {
    "miss": Observation.STAGE_AUCTION,
    "auction": Observation.STAGE_AUCTION,
    "bury": Observation.STAGE_EXCHANGE,
    "contract": Observation.STAGE_CONTRACT,
    "friend": Observation.STAGE_FRIEND_CALL,
    "play": Observation.STAGE_PLAY,
    "over": Observation.STAGE_OVER,
}


def half_points(values: Iterable[Fraction]) -> list[int]:
    return [int(value * 2) for value in values]


@dataclass
class Decision:
    """A turn as the referee has it, before it is answered."""

    seat: int
    number: int
    hand: referee.Hand
    legal: list[str]
    default: str
    told: int
    observation: observation_pb2.Observation


# Says with which move a decision ends, and why the table made it, if the table did.
Answered = Callable[[Decision], tuple[str, int | None]]


@dataclass
class Public:
    """What has been said in the hand so far, and the referee does not keep."""

    started: event_pb2.HandStarted
    totals: list[int]
    calls: list[observation_pb2.AuctionCall] = field(default_factory=list)
    round: int = event_pb2.AUCTION_ROUND_FIRST
    won: event_pb2.AuctionWon | None = None
    opened: bool = False
    marked: str = ""
    call: move_pb2.CallFriend | None = None
    told_alone: bool = False
    revealed: bool = False
    tricks: list[observation_pb2.Trick] = field(default_factory=list)
    result: event_pb2.HandResult | None = None
    void: event_pb2.HandVoid | None = None


class Story:
    """Tells a whole match; `events` has what each viewer is told, `seen` its observation after so many events."""

    def __init__(self, rules: referee.Rules, seed: bytes, answered: Answered) -> None:
        self.match = referee.Match(rules, seed)
        self.rules = rules
        self.seed = seed
        self.answered = answered
        self.events: list[list[event_pb2.Event]] = [[] for _ in VIEWERS]
        self.seen: list[dict[int, observation_pb2.Observation]] = [{} for _ in VIEWERS]
        self.totals_then: dict[int, list[int]] = {}
        self.turns = [0] * 5
        self.rows: list[referee.JsonObject] = []

    def tell(self, audience: Iterable[int] = VIEWERS, **kind: Any) -> None:
        for viewer in audience:
            self.events[viewer].append(Event(sequence=len(self.events[viewer]) + 1, **kind))

    def play(self) -> None:
        """The match from the first deal to the end."""
        while not self.match.over:
            self.play_hand()
        totals = half_points(self.match.totals)
        self.tell(
            match_ended=event_pb2.MatchEnded(
                totals_half_points=totals,
                places=[1 + sum(other > total for other in totals) for total in totals],
                seed=self.seed,
            )
        )

    def play_hand(self) -> None:
        match = self.match
        hand = self.hand = match.begin()
        started = event_pb2.HandStarted(
            hand=match.hand,
            redeal=match.redeal,
            dealer=match.dealer,
            first_bidder=hand.first_bidder,
            pot=match.pot,
        )
        self.public = Public(started, half_points(match.totals))
        self.tell(hand_started=started)
        for seat in referee.SEATS:
            self.tell([seat], dealt=event_pb2.Dealt(seat=seat, cards=cards_of(hand.hands[seat])))
        self.ask_or_open()
        self.look()
        moves: list[str] = []
        while hand.phase != "over":
            moves.append(self.take_turn())
        row = match.end(hand, " ".join(moves))
        self.rows.append(row)
        self.end_hand(hand)
        self.look()

    def take_turn(self) -> str:
        """One move, and all that is told because of it."""
        hand = self.hand
        seat = hand.turn
        self.turns[seat] += 1
        decision = Decision(
            seat=seat,
            number=self.turns[seat],
            hand=hand,
            legal=hand.legal(),
            default=default_move(hand),
            told=len(self.events[seat]),
            observation=self.observe(seat),
        )
        token, cause = self.answered(decision)
        secret = hand.phase == "miss"
        if cause is not None:
            audience = [seat] if secret else VIEWERS
            self.tell(
                audience,
                default_made=event_pb2.DefaultMade(seat=seat, cause=event_pb2.DefaultMade.Cause.values()[cause]),
            )
        before = hand.phase
        made = {
            "miss": self.keep_or_throw_in,
            "auction": self.speak,
            "bury": self.bury,
            "contract": self.fix_contract,
            "friend": self.call_friend,
            "play": self.play_card,
        }[before]
        made(seat, token)
        if hand.phase != "over":
            self.look()
        return token

    # -- the stages

    def ask_or_open(self) -> None:
        hand = self.hand
        if hand.phase == "miss":
            self.tell([hand.turn], asked_to_keep=event_pb2.AskedToKeep(seat=hand.turn))
        else:
            self.public.opened = True
            self.tell([hand.first_bidder], auction_opened=event_pb2.AuctionOpened())

    def keep_or_throw_in(self, seat: int, token: str) -> None:
        self.hand.apply(token)
        if token == "=":
            self.tell([seat], kept=event_pb2.Kept(seat=seat))
            self.ask_or_open()

    def speak(self, seat: int, token: str) -> None:
        hand, public = self.hand, self.public
        round_before = hand.round
        hand.apply(token)
        if token == "-":
            public.calls.append(observation_pb2.AuctionCall(seat=seat))
            self.tell(passed=event_pb2.Passed(seat=seat))
        elif token != "x":
            public.calls.append(observation_pb2.AuctionCall(seat=seat, bid=bid_of(token)))
            self.tell(bid_made=event_pb2.BidMade(seat=seat, bid=bid_of(token)))
        if hand.round != round_before:
            lowered = self.rules.all_pass == "second_round_lowered"
            public.round = event_pb2.AUCTION_ROUND_LOWERED if lowered else event_pb2.AUCTION_ROUND_SECOND
            self.tell(auction_again=event_pb2.AuctionAgain(round=event_pb2.AuctionRound.values()[public.round]))
        if hand.phase == "bury":
            self.start_exchange()

    def start_exchange(self) -> None:
        hand = self.hand
        won = event_pb2.AuctionWon(declarer=hand.declarer)
        if hand.standing is None:
            won.dealer_declares_points = self.rules.minimum - 1
        else:
            won.bid.CopyFrom(bid_of(str(hand.standing)))
        self.public.won = won
        self.tell(auction_won=won)
        if self.rules.kitty_face_up:
            self.tell(kitty_shown=event_pb2.KittyShown(cards=cards_of(hand.kitty)))
        self.tell([hand.declarer], kitty_taken=event_pb2.KittyTaken(cards=cards_of(hand.kitty)))

    def bury(self, seat: int, token: str) -> None:
        hand = self.hand
        hand.apply(token)
        self.tell([seat], buried_cards=event_pb2.BuriedCards(cards=cards_of(hand.buried)))
        self.tell(buried=event_pb2.Buried())
        if hand.phase == "friend":
            self.tell_contract()

    def fix_contract(self, seat: int, token: str) -> None:
        self.hand.apply(token)
        self.tell_contract()

    def contract(self) -> event_pb2.Contract:
        hand = self.hand
        return event_pb2.Contract(
            bid=bid_of(str(hand.contract)), mighty=card_of(hand.mighty()), calling_card=card_of(hand.calling_card)
        )

    def tell_contract(self) -> None:
        self.tell(contract_fixed=event_pb2.ContractFixed(contract=self.contract()))

    def call_friend(self, seat: int, token: str) -> None:
        hand, public = self.hand, self.public
        hand.apply(token)
        public.call = call_of(token)
        if token.startswith("f:kitty:"):
            public.marked = token[-2:]
            public.call = call_of("f:kitty:")
        self.tell(friend_called=event_pb2.FriendCalled(call=public.call))
        if public.marked:
            self.tell([seat], kitty_marked=event_pb2.KittyMarked(card=card_of(public.marked)))
        if hand.called_kind == "card":
            knows = hand.declarer if hand.friend is None else hand.friend
            public.told_alone = hand.friend is None
            self.tell([knows], friend_told=event_pb2.FriendTold(friend=hand.friend))
        elif hand.called_kind in ("none", "kitty"):
            public.revealed = True  # the call itself says so

    def reveal_friend(self) -> None:
        self.public.revealed = True
        self.tell(friend_revealed=event_pb2.FriendRevealed(friend=self.hand.friend))

    def play_card(self, seat: int, token: str) -> None:
        hand, public = self.hand, self.public
        leads = not hand.trick
        trick_number = hand.trick_number()
        if leads:
            public.tricks.append(observation_pb2.Trick(number=trick_number, leader=seat))
        trick = public.tricks[-1]
        called = self.calls_joker_as_all_can_tell(token)
        power = hand.joker_has_power()
        before = [*hand.trick]
        hand.apply(token)
        play = play_of(token.removesuffix("+"))
        self.tell(card_played=event_pb2.CardPlayed(seat=seat, play=play, calls_joker=called))
        trick.cards.append(play.card)
        if play.says in (move_pb2.Play.SAYS_NAMES_SUIT, move_pb2.Play.SAYS_NAMES_NONE):
            trick.joker_says, trick.joker_suit = play.says, play.named_suit
        trick.joker_called |= called
        trick.joker_has_power = power and not trick.joker_called
        trick.led_suit = suit_of(self.led_suit(before, token, trick))
        if not public.revealed and hand.friend_known and hand.called_kind == "card":
            self.reveal_friend()
        if len(trick.cards) == 5:
            trick.winner = hand.winners[-1]
            self.tell(
                trick_taken=event_pb2.TrickTaken(
                    winner=trick.winner, points=referee.points([text_of(card) for card in trick.cards])
                )
            )
            if hand.called_kind == "first_trick" and trick_number == 1:
                self.reveal_friend()

    def led_suit(self, before: list[referee.Played], token: str, trick: observation_pb2.Trick) -> str:
        """The suit to follow after a play: of the first card, as a joker named, or of the second card."""
        cards = [played.card for played in before] + [token[:2]]
        if cards[0] != referee.JOKER:
            return referee.suit_of(cards[0])
        if trick.joker_says and not trick.joker_called:
            return "SCDH"[trick.joker_suit - 1] if trick.joker_suit else ""
        return referee.suit_of(cards[1]) if len(cards) > 1 else ""

    def calls_joker_as_all_can_tell(self, token: str) -> bool:
        """Whether a play calls the joker, as far as all can tell: not where the joker lies."""
        hand = self.hand
        if token[:2] != hand.calling_card:
            return False
        if hand.trick:
            return hand.second_seat_may_call()
        if self.rules.call_style == "optional_on_lead":
            return "!" in token
        if self.rules.call_style == "second_seat":
            return False
        first_trick_without = hand.trick_number() == 1 and not self.rules.call_first_trick
        return not (first_trick_without or hand.joker_forbidden() or hand.joker_fell)

    # -- the end of a hand

    def end_hand(self, hand: referee.Hand) -> None:
        match, public = self.match, self.public
        started = public.started
        if hand.void is not None:
            void = event_pb2.HandVoid(next_dealer=hand.void.next_dealer)
            if hand.void.seat is None:
                void.all_passed.SetInParent()
            else:
                void.deal_miss.seat = hand.void.seat
                void.deal_miss.cards.extend(cards_of(hand.hands[hand.void.seat]))
            public.void = void
            self.tell(hand_void=void)
        else:
            result = hand.result
            assert result is not None
            self.tell(buried_shown=event_pb2.BuriedShown(cards=cards_of(hand.buried), marked=card_of(public.marked)))
            public.result = event_pb2.HandResult(
                declarer=result.declarer,
                friend=result.friend,
                contract=bid_of(result.contract),
                taken=result.taken,
                made=result.made,
                factor=result.factor,
                scores_half_points=half_points(result.scores),
                pot=match.pot,
                next_dealer=result.next_dealer,
            )
            self.tell(hand_scored=event_pb2.HandScored(result=public.result))
        if match.over:
            follows = event_pb2.HandEnded.NEXT_OVER
        elif hand.void is None:
            follows = event_pb2.HandEnded.NEXT_HAND
        elif started.redeal < referee.REDEALS:
            follows = event_pb2.HandEnded.NEXT_REDEAL
        else:
            follows = event_pb2.HandEnded.NEXT_HAND_AFTER_GIVING_UP
        self.tell(
            hand_ended=event_pb2.HandEnded(
                hand=started.hand,
                redeal=started.redeal,
                next=follows,
                totals_half_points=half_points(match.totals),
                pot=match.pot,
            )
        )

    # -- observations

    def look(self) -> None:
        """Writes down what each viewer can see now."""
        for viewer in VIEWERS:
            self.seen[viewer][len(self.events[viewer])] = self.observe(viewer)
        self.totals_then[len(self.events[SPECTATOR])] = half_points(self.match.totals)

    def observe(self, viewer: int) -> observation_pb2.Observation:
        hand, public = self.hand, self.public
        over = hand.phase == "over"
        view = Observation(
            hand=public.started,
            stage=STAGES[hand.phase],
            cards_held=[len(cards) for cards in hand.hands],
            round=event_pb2.AuctionRound.values()[public.round],
            calls=public.calls,
            won=public.won,
            friend_call=public.call,
            friend=self.friend_knowledge(viewer),
            tricks=public.tricks,
            result=public.result,
            hand_void=public.void,
            totals_half_points=public.totals,
            asked_to_keep=hand.phase == "miss" and hand.turn == viewer,
            auction_opened=public.opened and viewer == hand.first_bidder,
        )
        if viewer != SPECTATOR:
            view.seat = viewer
            view.cards.extend(cards_of(hand.hands[viewer]))
        if not over:
            view.to_act = hand.first_bidder if hand.phase == "miss" else hand.turn
        if hand.standing is not None and hand.bidder is not None:
            view.standing.seat = hand.bidder
            view.standing.bid.CopyFrom(bid_of(str(hand.standing)))
        if public.won is not None and (self.rules.kitty_face_up or viewer == hand.declarer):
            view.kitty.extend(cards_of(hand.kitty))
        if hand.buried and (over or viewer == hand.declarer):
            view.buried.extend(cards_of(hand.buried))
            view.marked = card_of(public.marked)
        if hand.contract.trump:
            view.contract.CopyFrom(self.contract())
        if public.call is not None:
            view.captured_points.extend(referee.points(cards) for cards in hand.captured)
        if hand.phase == "play" and not hand.trick:
            view.tricks.append(self.empty_trick())
        return view

    def empty_trick(self) -> observation_pb2.Trick:
        hand = self.hand
        return observation_pb2.Trick(
            number=hand.trick_number(), leader=hand.turn, joker_has_power=hand.joker_has_power()
        )

    def friend_knowledge(self, viewer: int) -> observation_pb2.FriendKnowledge:
        hand, public = self.hand, self.public
        told = hand.called_kind == "card" and (hand.declarer if hand.friend is None else hand.friend) == viewer
        known = public.revealed or public.result is not None
        if public.call is None or not (known or told):
            return Knowledge(state=Knowledge.STATE_HIDDEN)
        state = Knowledge.STATE_NOBODY if hand.friend is None else Knowledge.STATE_KNOWN
        return Knowledge(state=state, seat=hand.friend, is_public=known)
