"""An outside checker: sits at every seat of a table, believes nothing, and compares all it is told with the referee.

While a match is played the inspectors choose moves and wrong answers at random and write down all that they hear.
When it is over and the seed is published, the referee replays the match, and each message is compared with what it
should have been.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import grpc

import referee
from errors import failure_of
from mighty.v1 import event_pb2, observation_pb2, rules_service_pb2, table_service_pb2
from notation import move_of, offered, texts_of
from story import SPECTATOR, Decision, Story
from wrong import LONGEST_TEXT, Attempt, why_wrong, wrong_answer

if TYPE_CHECKING:
    from mighty.v1.table_service_pb2_grpc import TableServiceAsyncStub

Answer = table_service_pb2.Answer
Hello = table_service_pb2.Hello
Reason = table_service_pb2.RefusalReason
PATIENCE = 60.0

# Events about connections and absences: when they come is no matter of the rules.
UNFORETOLD = ("seat_presence", "seat_given_up")

# What an attempt is that does not answer the open turn: to one that never was, an earlier one, an answered one.
UNKNOWN, OLD, OTHER = "unknown turn", "old turn", "other move"


@dataclass
class Reply:
    """What came back to an attempt: accepted with a text, or refused with a reason; nothing when the match was over."""

    attempt: Attempt
    accepted: table_service_pb2.AnswerAccepted | None = None
    refused: table_service_pb2.AnswerRefused | None = None
    code: str = ""


@dataclass
class Heard:
    """A turn, how many events were known when it came, and what was answered."""

    turn: table_service_pb2.Turn
    told: int
    replies: list[Reply] = field(default_factory=list)

    def made(self) -> str | None:
        """The text of the move that was accepted; None where there was none."""
        accepted = [reply.accepted for reply in self.replies if reply.accepted is not None]
        return next((one.text for one in accepted if one.turn == self.turn.number), None)


@dataclass
class Log:
    """All that one viewer was told."""

    viewer: int
    delivery: int = Hello.DELIVERY_WITH_TURNS
    without_observation: bool = False
    by_act: bool = False
    silent: bool = False
    starts: list[table_service_pb2.MatchStart] = field(default_factory=list)
    events: list[event_pb2.Event] = field(default_factory=list)
    batches: list[tuple[int, str, list[event_pb2.Event]]] = field(default_factory=list)
    snapshots: list[table_service_pb2.Snapshot] = field(default_factory=list)
    turns: list[Heard] = field(default_factory=list)
    over: table_service_pb2.MatchOver | None = None
    kinds: list[str] = field(default_factory=list)
    notices: list[table_service_pb2.ServerNotice] = field(default_factory=list)
    waits: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    first: int = 0
    resumes: int = 0

    def take(self, update: table_service_pb2.Update) -> None:
        """Writes an update down, and the events that ride with it."""
        kind = update.WhichOneof("kind")
        self.kinds.append(kind or "")
        if kind == "match_start":
            self.starts.append(update.match_start)
        elif kind == "snapshot":
            self.snapshots.append(update.snapshot)
            if self.viewer == SPECTATOR:
                self.first = update.snapshot.sequence
            elif update.snapshot.sequence != len(self.events):
                self.problems.append(f"resumed after event {len(self.events)}, but told {update.snapshot.sequence}")
        elif kind == "events":
            self.add(kind, update.events.events)
        elif kind == "turn":
            self.add(kind, update.turn.events)
            self.take_turn(update.turn)
        elif kind == "match_over":
            self.over = update.match_over
            self.add(kind, update.match_over.events)
        elif kind == "waiting":
            self.waits.append(update.waiting.seats_open)
        elif kind == "notice":
            self.notices.append(update.notice)
        elif kind is None:
            self.problems.append("an update without a kind")

    def take_turn(self, turn: table_service_pb2.Turn) -> None:
        """A turn that is told again after a resumption must be the same."""
        heard = Heard(turn, len(self.plain()))
        if not self.turns or self.turns[-1].turn.number != turn.number:
            self.turns.append(heard)
            return
        before = self.turns[-1]
        if without_clock(before.turn) != without_clock(turn) or before.told != heard.told:
            self.problems.append(f"told again, turn {turn.number} is another: {before.turn} / {turn}")

    def rewind(self, after: int) -> None:
        """The seat is to be resumed after this event."""
        del self.events[after:]
        self.resumes += 1

    def add(self, kind: str, events: Any) -> None:
        for event in events:
            wanted = self.first + len(self.events) + 1
            if event.sequence != wanted:
                self.problems.append(f"event {event.sequence} comes where {wanted} should")
            self.events.append(event)
        self.batches.append((len(self.events), kind, list(events)))

    def plain(self) -> list[event_pb2.Event]:
        """The events without those about connections, which no rule foretells."""
        return [event for event in self.events if event.WhichOneof("kind") not in UNFORETOLD]

    def is_given_up(self) -> bool:
        return any(notice.kind == table_service_pb2.ServerNotice.KIND_SEAT_GIVEN_UP for notice in self.notices)

    def unforetold(self) -> list[event_pb2.Event]:
        return [bare(event) for event in self.events if event.WhichOneof("kind") in UNFORETOLD]


@dataclass(frozen=True)
class Style:
    """How a seat is played."""

    by_act: bool = False
    delivery: int = Hello.DELIVERY_WITH_TURNS
    without_observation: bool = False
    text: float = 0.5
    errs: float = 0.15
    passes: float = 0.6
    throws_in: float = 0.2
    breaks: float = 0.0


async def next_update(stream: Any) -> table_service_pb2.Update | None:
    """The next update of a Play or Follow; None when the stream has ended."""
    told = await stream.read()
    if told is grpc.aio.EOF:
        return None
    update: table_service_pb2.Update = told.update
    return update


class Inspector:
    """Plays one seat at random, and writes down all that it is told."""

    def __init__(self, stub: TableServiceAsyncStub, table_id: str, seat: int, rng: random.Random, style: Style) -> None:
        self.stub = stub
        self.rng = rng
        self.style = style
        self.seat = seat
        self.log = Log(seat, style.delivery, style.without_observation, style.by_act)
        self.hello = Hello(
            name=f"inspector-{seat}",
            table=table_service_pb2.TablePlace(table_id=table_id, seat=seat),
            delivery=Hello.Delivery.values()[style.delivery],
            omit_observation=style.without_observation,
        )
        self.waiting: list[Heard] = []
        self.held: list[str] = []

    async def play(self) -> None:
        """From the hello to the end of the stream, with breaks in between."""
        while await self.listen():
            after = self.rng.choice([len(self.log.events), self.rng.randrange(len(self.log.events) + 1)])
            self.hello.resume.resume_token = self.log.starts[-1].resume_token
            self.hello.resume.after_sequence = after
            self.log.rewind(after)

    async def listen(self) -> bool:
        """Hears and answers until the stream ends; true when it was broken off on purpose."""
        if self.style.by_act:
            told: grpc.aio.Call = self.stub.Follow(table_service_pb2.FollowRequest(player=self.hello))
        else:
            told = self.stream = self.stub.Play()
            await self.stream.write(table_service_pb2.PlayRequest(hello=self.hello))
        while update := await next_update(told):
            await self.hear(update)
            if self.waiting and self.rng.random() < self.style.breaks:
                self.waiting.clear()
                told.cancel()
                return True
            await self.answer_all()
        return False

    async def hear(self, update: table_service_pb2.Update) -> None:
        self.log.take(update)
        if update.HasField("turn"):
            self.waiting.append(self.log.turns[-1])

    async def answer_all(self) -> None:
        while self.waiting:
            heard = self.waiting.pop(0)
            await self.answer(heard)

    def fold_hand(self) -> list[str]:
        """The seat's cards as it heard of them."""
        cards: list[str] = []
        for event in self.log.events:
            kind = event.WhichOneof("kind")
            if kind == "dealt":
                cards = texts_of(event.dealt.cards)
            elif kind == "kitty_taken":
                cards += texts_of(event.kitty_taken.cards)
            elif kind == "buried_cards":
                cards = [card for card in cards if card not in texts_of(event.buried_cards.cards)]
            elif kind == "card_played" and event.card_played.seat == self.seat:
                cards.remove(texts_of([event.card_played.play.card])[0])
        return cards

    # -- answering

    async def answer(self, heard: Heard) -> None:
        """Wrong answers now and then, then a right one, then perhaps the same again or another."""
        rng, turn = self.rng, heard.turn
        counted = 0
        self.held = self.fold_hand()
        while rng.random() < self.style.errs:
            if rng.random() < 0.3:
                await self.send(heard, self.uncounted(turn))
                continue
            reply = await self.send(heard, wrong_answer(rng, turn.choices, self.held))
            if reply.accepted is not None:
                await self.after(heard)
                return
            counted += reply.refused is not None and reply.refused.HasField("tries_left")
            if reply.refused is not None and reply.refused.HasField("tries_left") and not reply.refused.tries_left:
                return
        token = self.choose(turn)
        if rng.random() < self.style.text:
            attempt = Attempt(Answer(text=token), token)
        else:
            attempt = Attempt(Answer(structured=move_of(token, turn.choices.HasField("call"))), token)
        await self.send(heard, attempt)
        await self.after(heard)

    async def after(self, heard: Heard) -> None:
        """Sometimes the accepted answer again, or another for the same turn; nothing once the match is over."""
        last = heard.replies[-1]
        if len(self.held) == 1 or self.log.over is not None or self.is_last_deal():
            return
        if self.rng.random() < self.style.errs:
            await self.send(heard, Attempt(copy_of(last.attempt.answer), last.attempt.text))
        if self.rng.random() < self.style.errs:
            others = [token for token in offered(heard.turn.choices) if token != last.attempt.text]
            if others:
                await self.send(heard, Attempt(Answer(text=self.rng.choice(others)), OTHER))

    def is_last_deal(self) -> bool:
        """Whether the hand is not dealt again when it is void."""
        started = [event.hand_started for event in self.log.events if event.HasField("hand_started")]
        return bool(started) and started[-1].redeal == referee.REDEALS

    def uncounted(self, turn: table_service_pb2.Turn) -> Attempt:
        """An answer to another turn than the open one."""
        token = offered(turn.choices)[0]
        way = self.rng.choice(["future", "zero", "match", "old", "old"])
        if way == "match":
            return Attempt(Answer(match_id="no-such-match", turn=turn.number, text=token), UNKNOWN)
        if way == "old" and len(self.log.turns) > 1:
            old = self.log.turns[-2] if self.rng.random() < 0.5 else self.rng.choice(self.log.turns[:-1])
            right = [reply.attempt for reply in old.replies if reply.accepted is not None]
            if right and self.rng.random() < 0.5:
                return Attempt(copy_of(right[0].answer), OLD)
            text = self.rng.choice(["hello", "-", "2C", ""])
            return Attempt(Answer(match_id=turn.match_id, turn=old.turn.number, text=text), OLD)
        number = 0 if way == "zero" else turn.number + self.rng.choice([1, 2, 1000, 2**63])
        return Attempt(Answer(match_id=turn.match_id, turn=number, text=token), UNKNOWN)

    async def send(self, heard: Heard, attempt: Attempt) -> Reply:
        """Sends an answer and waits for what comes back to it."""
        answer = attempt.answer
        answer.match_id = answer.match_id or heard.turn.match_id
        if attempt.text != UNKNOWN:
            answer.turn = answer.turn or heard.turn.number
        reply = await (self.act(attempt) if self.style.by_act else self.exchange(attempt))
        heard.replies.append(reply)
        return reply

    async def exchange(self, attempt: Attempt) -> Reply:
        try:
            await self.stream.write(table_service_pb2.PlayRequest(answer=attempt.answer))
        except grpc.aio.AioRpcError:
            return Reply(attempt)  # the stream has ended; whether it might is checked afterwards
        while True:
            update = await asyncio.wait_for(next_update(self.stream), PATIENCE)
            if update is None:
                return Reply(attempt)
            await self.hear(update)
            if update.HasField("accepted"):
                return Reply(attempt, accepted=update.accepted)
            if update.HasField("refused"):
                return Reply(attempt, refused=update.refused)

    async def act(self, attempt: Attempt) -> Reply:
        token = self.log.starts[-1].resume_token
        try:
            response = await self.stub.Act(table_service_pb2.ActRequest(resume_token=token, answer=attempt.answer))
            return Reply(attempt, accepted=response.accepted)
        except grpc.aio.AioRpcError as error:
            failure = failure_of(error)
            refused = table_service_pb2.AnswerRefused(turn=attempt.answer.turn, message=failure.text)
            if f"REFUSAL_REASON_{failure.reason}" in Reason.DESCRIPTOR.values_by_name:
                refused.reason = Reason.Value(f"REFUSAL_REASON_{failure.reason}")
            else:
                self.log.problems.append(f"Act failed without a reason of RefusalReason: {failure}")
            if "tries_left" in failure.metadata:
                refused.tries_left = int(failure.metadata["tries_left"])
            return Reply(attempt, refused=refused, code=failure.code)

    # -- choosing

    def choose(self, turn: table_service_pb2.Turn) -> str:
        """A legal move, biased towards what is rare."""
        rng = self.rng
        moves = offered(turn.choices)
        if "x" in moves:
            if rng.random() < self.style.throws_in:
                return "x"
            moves.remove("x")
        if "-" in moves and (len(moves) == 1 or rng.random() < self.style.passes):
            return "-"
        rare = [
            move for move in moves if move[:2] == referee.JOKER or move[-1] in "!-" or ">" in move or "kitty" in move
        ]
        if turn.choices.HasField("bury"):
            rare = [move for move in moves if referee.JOKER in move]
        if turn.choices.HasField("friend"):
            rare += [move for move in moves if move[2:] in self.held or move in ("f:1st", "f:none")]
            rare += [f"f:{referee.JOKER}", "f:AS"] * turn.choices.friend.card
        move = rng.choice(rare) if rare and rng.random() < 0.4 else rng.choice(moves)
        if turn.choices.HasField("play") and turn.choices.play.may_reveal and rng.random() < 0.2:
            move += "+"
        return move


async def look_on(stub: TableServiceAsyncStub, table_id: str, there: asyncio.Event, others_after: int = 0) -> list[Log]:
    """Follows a table as a spectator to the end, and says when it is there.

    Another spectator joins when so many events were told.
    """
    log = Log(SPECTATOR, Hello.DELIVERY_AT_ONCE)
    spectator = table_service_pb2.Spectator(table_id=table_id)
    late: asyncio.Task[list[Log]] | None = None
    stream = stub.Follow(table_service_pb2.FollowRequest(spectator=spectator))
    while update := await next_update(stream):
        log.take(update)
        there.set()
        if others_after and late is None and len(log.events) >= others_after:
            late = asyncio.create_task(look_on(stub, table_id, there))
    return [log, *(await late if late else [])]


class Checker:
    """Compares the logs of a match with what the referee says should have been told."""

    def __init__(self, options: referee.JsonObject, logs: list[Log], moves: list[list[str]] | None = None) -> None:
        """`moves` are those of the record, which stand in for seats that no inspector plays."""
        self.logs = {log.viewer: log for log in logs if log.viewer != SPECTATOR}
        self.all = logs
        self.moves = [token for row in moves or [] for token in row]
        self.problems: list[str] = []
        self.options = options
        self.rules = referee.make_rules(options)
        self.counts: Counter[str] = Counter()

    def say(self, where: str, problem: str) -> None:
        self.problems.append(f"{where}: {problem}")

    def same(self, where: str, what: str, told: Any, right: Any) -> None:
        if told != right:
            self.say(where, f"{what}: told {short(told)}, right would be {short(right)}")

    def check(self, seed: bytes) -> Story:
        self.story = Story(self.rules, seed, self.answered)
        try:
            self.story.play()
        except (referee.IllegalMove, IndexError, AssertionError) as error:
            self.say("match", f"the replay broke off: {error!r}")
            return self.story
        for log in self.all:
            self.check_log(log)
        return self.story

    # -- turns

    def answered(self, decision: Decision) -> tuple[str, int | None]:
        made = self.moves.pop(0) if self.moves else None
        log = self.logs.get(decision.seat)
        if log is None:
            assert made is not None, "no record has this move"
            return made, None
        where = f"seat {decision.seat}, turn {decision.number}"
        if len(log.turns) < decision.number:
            if log.is_given_up():
                assert made is not None, "no record has this move"
                return made, None
            raise AssertionError(f"{where} was never told")
        heard = log.turns[decision.number - 1]
        self.check_turn(where, log, heard, decision)
        token, cause = self.check_replies(where, log, heard, decision)
        if made is not None:
            self.same(where, "the move in the record", made, token)
        return token, cause

    def check_turn(self, where: str, log: Log, heard: Heard, decision: Decision) -> None:
        turn = heard.turn
        self.same(where, "match", turn.match_id, log.starts[-1].match_id)
        self.same(where, "number", turn.number, decision.number)
        self.same(where, "events before the turn", heard.told, decision.told)
        self.same(where, "choices", offered(turn.choices), decision.legal)
        self.same(where, "count", turn.choices.count, len(decision.legal))
        self.same(
            where,
            "may_reveal",
            turn.choices.play.may_reveal,
            decision.hand.phase == "play" and decision.hand.can_reveal(),
        )
        self.same(where, "default text", sorted_burial(turn.default_text), decision.default)
        default = move_of(turn.default_text, decision.hand.phase == "auction")
        self.same(where, "default move", turn.default_move, default)
        if log.without_observation:
            self.same(where, "observation left out", turn.HasField("observation"), False)
        else:
            self.check_observation(where, turn.observation, decision.observation)
        self.check_time(where, log, turn, decision.number)

    def check_time(self, where: str, log: Log, turn: table_service_pb2.Turn, number: int) -> None:
        clock = log.starts[0].clock
        left = turn.time_left.ToTimedelta()
        increment = clock.increment.ToTimedelta()
        earlier = [heard.made() is not None for heard in log.turns[: number - 1]]
        self.same(where, f"last_took set after {earlier}", turn.HasField("last_took"), any(earlier))
        if not log.silent:
            self.same(where, "last_late set", turn.HasField("last_late"), False)
        if number == 1:
            full = clock.bank.ToTimedelta() + increment
            if left != full and not (log.resumes and left < full):
                self.say(where, f"time left: told {left}, right would be {full}")
            return
        before = log.turns[number - 2].turn.time_left.ToTimedelta()
        beyond = turn.last_took.ToTimedelta() - increment
        right = before - max(beyond, beyond * 0)
        # A turn that is told again has less time left by then, so that the next may have more again.
        if abs((left - right).total_seconds()) > 0.002 and not (log.resumes and left > right):
            self.say(where, f"time left: told {left}, right would be {right}")

    def check_observation(
        self, where: str, told: observation_pb2.Observation, right: observation_pb2.Observation
    ) -> None:
        told, right = in_order(told), in_order(right)
        if told == right:
            return
        for name in sorted(right.DESCRIPTOR.fields_by_name):
            self.same(where, f"observation.{name}", getattr(told, name), getattr(right, name))
        self.same(where, "observation.seat set", told.HasField("seat"), right.HasField("seat"))
        self.same(where, "observation.to_act set", told.HasField("to_act"), right.HasField("to_act"))

    def check_replies(self, where: str, log: Log, heard: Heard, decision: Decision) -> tuple[str, int | None]:
        allowed = log.starts[0].refusals_allowed
        counted = 0
        made: str | None = None
        for reply in heard.replies:
            here = f"{where}, answer {text_of_answer(reply.attempt.answer)}"
            if reply.accepted is None and reply.refused is None:
                if made is None or log.over is None:
                    self.say(here, "the stream ended without a word")
                continue
            if made is not None:
                self.check_after(here, reply, made)
                continue
            text = reply.attempt.text
            if text in (UNKNOWN, OLD):
                self.check_uncounted(here, reply, log.turns[decision.number - 2])
                continue
            reasons = reasons_for(decision.hand, reply.attempt)
            if reply.accepted is not None:
                made = reply.attempt.text or ""
                self.counts["accepted"] += 1
                self.same(
                    here, "accepted", "accepted", "refused for " + "/".join(sorted(reasons)) if reasons else "accepted"
                )
                self.same(here, "accepted text", sorted_burial(reply.accepted.text), sorted_burial(made))
                self.same(here, "accepted turn", reply.accepted.turn, decision.number)
                self.same(here, "repeated_answer", reply.accepted.repeated_answer, False)
                continue
            assert reply.refused is not None
            counted += 1
            self.check_refusal(here, reply, reasons, allowed - counted)
            self.same(here, "turn", reply.refused.turn, decision.number)
            if counted == allowed:
                return decision.default, event_pb2.DefaultMade.CAUSE_REFUSALS
        if made is None:
            return decision.default, event_pb2.DefaultMade.CAUSE_TIME
        return made, None

    def check_refusal(self, here: str, reply: Reply, reasons: set[str], tries_left: int | None) -> None:
        refused = reply.refused
        assert refused is not None
        reason = Reason.Name(refused.reason).removeprefix("REFUSAL_REASON_")
        self.counts[reason] += 1
        if reason not in reasons:
            self.say(
                here, f"refused for {reason} ({refused.message}), right would be {sorted(reasons) or 'to accept it'}"
            )
        left = refused.tries_left if refused.HasField("tries_left") else None
        self.same(here, f"tries_left of {reason}", left, tries_left)
        if not refused.message or refused.message.strip() != refused.message:
            self.say(here, f"no sentence says what would be right: {refused.message!r}")
        if reply.code:
            self.same(here, f"code of {reason}", reply.code, act_code(reason))

    def check_after(self, here: str, reply: Reply, made: str) -> None:
        """After a turn was answered: the same again, or another move."""
        if reply.attempt.text == OTHER:
            if reply.accepted is not None:
                self.say(here, "another move was accepted for an answered turn")
            else:
                self.check_refusal(here, reply, {"CONFLICT"}, None)
        elif reply.accepted is None:
            self.say(here, f"the same answer again was refused: {reply.refused}")
        else:
            self.counts["repeated"] += 1
            self.same(here, "repeated_answer", reply.accepted.repeated_answer, True)
            self.same(here, "accepted text", sorted_burial(reply.accepted.text), sorted_burial(made))

    def check_uncounted(self, here: str, reply: Reply, newest: Heard) -> None:
        """Answers to other turns than the open one; `newest` is the turn before it."""
        answer = reply.attempt.answer
        if reply.attempt.text == UNKNOWN:
            reasons = {"UNKNOWN_TURN"}
        elif answer.turn == newest.turn.number and newest.made():
            same = any(one.accepted is not None and one.attempt.answer == answer for one in newest.replies)
            reasons = (
                set() if same or sorted_burial(answer.text) == sorted_burial(newest.made() or "") else {"CONFLICT"}
            )
        else:
            reasons = {"STALE_TURN"}
        if reply.refused is not None:
            self.check_refusal(here, reply, reasons, None)
        elif reply.accepted is not None:
            if reasons or not reply.accepted.repeated_answer:
                self.say(here, f"accepted as {reply.accepted}, though it answers no open turn")
            self.counts["repeated later"] += 1

    # -- what a viewer was told

    def check_log(self, log: Log) -> None:
        where = "spectator" if log.viewer == SPECTATOR else f"seat {log.viewer}"
        for problem in log.problems:
            self.say(where, problem)
        told = log.plain()
        right = self.story.events[log.viewer]
        if log.first:
            right = right[len(right) - len(told) :]
        for at, (one, other) in enumerate(zip(told, right, strict=False)):
            self.same(where, f"event {at + 1}", bare(one), bare(other))
            if bare(one) != bare(other):
                break
        self.same(where, "number of events", len(told), len(right))
        if log.viewer != SPECTATOR and not log.is_given_up():
            self.same(where, "number of turns", len(log.turns), self.story.turns[log.viewer])
        self.check_batches(where, log)
        self.check_kinds(where, log)
        self.check_snapshots(where, log)
        self.check_starts(where, log, self.story.seed)
        everybody = max((one.unforetold() for one in self.all), key=len)
        mine = log.unforetold()
        self.same(where, "connections", mine, everybody[len(everybody) - len(mine) :] if log.first > 1 else everybody)
        if log.over is None:
            self.say(where, "no MatchOver")

    def check_kinds(self, where: str, log: Log) -> None:
        """Replies come on the stream that carried the answer: to Act never on the stream."""
        replied = {"accepted", "refused"} & set(log.kinds)
        if replied and (log.by_act or log.viewer == SPECTATOR):
            self.say(where, f"was told {replied} on a stream that carries no answers")

    def check_batches(self, where: str, log: Log) -> None:
        """When events came: with turns and when a hand ends, or each at once."""
        for _, kind, events in log.batches:
            if kind != "events":
                continue
            if not events:
                self.say(where, "an Events without events")
            elif log.delivery != Hello.DELIVERY_AT_ONCE and log.viewer != SPECTATOR and not log.resumes:
                self.same(where, "Events without a turn end with", events[-1].WhichOneof("kind"), "hand_ended")

    def check_snapshots(self, where: str, log: Log) -> None:
        for snapshot in log.snapshots:
            fullest = max((one for one in self.all if one.viewer == log.viewer), key=lambda one: len(one.events))
            aside = [
                e for e in fullest.events if e.sequence <= snapshot.sequence and e.WhichOneof("kind") in UNFORETOLD
            ]
            seen = self.story.seen[log.viewer].get(snapshot.sequence - len(aside))
            self.same(where, "missed", snapshot.missed, 0)
            if seen is not None:
                self.counts["snapshot"] += 1
                self.check_observation(f"{where}, snapshot {snapshot.sequence}", snapshot.observation, seen)

    def check_starts(self, where: str, log: Log, seed: bytes) -> None:
        """What the match start says, each time that it is told."""
        if len(log.starts) != 1 + log.resumes:
            self.say(where, f"{len(log.starts)} match starts, {log.resumes} resumptions")
        for start in log.starts:
            self.same(where, "commitment", start.commitment, hashlib.sha256(seed).hexdigest())
            self.same(where, "cut", texts_of(start.cut), referee.cut_for_deal(seed))
            self.same(where, "seat set", start.HasField("seat"), log.viewer != SPECTATOR)
            self.same(where, "seat", start.seat, 0 if log.viewer == SPECTATOR else log.viewer)
            self.same(where, "a resume token", bool(start.resume_token), log.viewer != SPECTATOR)
            self.same(where, "duplicate", start.duplicate, False)
            self.same(where, "ladder", start.ladder, False)
            self.same(
                where, "seats", [info.name for info in start.seats], [info.name for info in self.all[0].starts[0].seats]
            )
            check_rules(self.problems, where, start.rules, self.options)
            if log.viewer != SPECTATOR:
                self.same(where, "resume token", start.resume_token, log.starts[0].resume_token)


def check_rules(problems: list[str], where: str, rules: rules_service_pb2.Rules, options: referee.JsonObject) -> None:
    """The rules in full: compact JSON with sorted keys, and its hash."""
    right = json.dumps(options, sort_keys=True, separators=(",", ":"))
    if rules.json != right:
        problems.append(f"{where}: rules: told {rules.json}, right would be {right}")
    if rules.hash != hashlib.sha256(right.encode()).hexdigest():
        problems.append(f"{where}: the hash of the rules is {rules.hash}")


def without_clock(turn: table_service_pb2.Turn) -> table_service_pb2.Turn:
    copy = table_service_pb2.Turn()
    copy.CopyFrom(turn)
    for name in ("events", "time_left", "last_took", "last_late"):
        copy.ClearField(name)
    return copy


def copy_of(answer: table_service_pb2.Answer) -> table_service_pb2.Answer:
    copy = Answer()
    copy.CopyFrom(answer)
    return copy


def act_code(reason: str) -> str:
    """The status code of Act for a reason, as the comment of Act has it."""
    if reason in ("CONFLICT", "STALE_TURN", "UNKNOWN_TURN"):
        return "ABORTED"
    return "INVALID_ARGUMENT" if reason in ("MALFORMED", "UNREADABLE") else "FAILED_PRECONDITION"


def reasons_for(hand: referee.Hand, attempt: Attempt) -> set[str]:
    """The reasons for which an attempt may be refused; a text is read as a move of the stage that is open."""
    as_text = attempt.answer.WhichOneof("move") == "text"
    if attempt.text is None:
        return {"UNREADABLE"} if as_text and len(attempt.answer.text) <= LONGEST_TEXT else {"MALFORMED"}
    reasons = why_wrong(hand, attempt.text, attempt.stage)
    return {"UNREADABLE"} if as_text and reasons == {"WRONG_STAGE"} else reasons


def text_of_answer(answer: table_service_pb2.Answer) -> str:
    if answer.WhichOneof("move") == "structured":
        return " ".join(str(answer.structured).split()) or "(empty)"
    return repr(answer.text)


def sorted_burial(text: str) -> str:
    return "d:" + "".join(sorted(referee.read_cards(text[2:]))) if text.startswith("d:") else text


def short(value: Any) -> str:
    text = " ".join(str(value).split()) or "nothing"
    return text if len(text) < 1500 else text[:1500] + "…"


def in_order(observation: observation_pb2.Observation) -> observation_pb2.Observation:
    """An observation whose sets of cards are in order."""
    copy = observation_pb2.Observation()
    copy.CopyFrom(observation)
    for cards in (copy.cards, copy.kitty, copy.buried):
        cards.sort()
    if copy.hand_void.HasField("deal_miss"):
        copy.hand_void.deal_miss.cards.sort()
    return copy


def bare(event: event_pb2.Event) -> event_pb2.Event:
    """An event without its number and record, and whose sets of cards are in order."""
    copy = event_pb2.Event()
    copy.CopyFrom(event)
    copy.sequence = 0
    kind = copy.WhichOneof("kind")
    if kind == "match_ended":
        copy.match_ended.record_id = ""
    elif kind == "hand_void":
        if copy.hand_void.HasField("deal_miss"):
            copy.hand_void.deal_miss.cards.sort()
    elif kind in ("dealt", "kitty_taken", "kitty_shown", "buried_cards", "buried_shown"):
        getattr(copy, kind).cards.sort()
    return copy
