"""One seat over gRPC: asks the bot, answers for it, and comes back when the connection is lost."""

from __future__ import annotations

import asyncio
import inspect
import logging
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar, assert_never

import grpc
from grpc import aio

from . import wire
from .bid import Bid
from .bot import Bot
from .card import Card
from .match import Match, MatchResult
from .place import Identity, Ladder, Place, Table
from .stopped import Counts, Stopped, Why
from .stream import DEFAULT_LIMITS, Limits, Stream
from .turn import Refusal, Turn
from .v1 import event_pb2, table_service_pb2

log = logging.getLogger("mighty")
Heard = TypeVar("Heard")

_MAY_PASS = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.DEADLINE_EXCEEDED,
    }
)
"""The ways to fail after which it helps to come back."""

_TRACEBACKS = 3
"""How many failures of the bot are logged."""


class Session:
    """One seat. `play` runs until there is a reason to stop; `leave` gives it one."""

    def __init__(
        self,
        channel: aio.Channel,
        bot: Bot,
        identity: Identity,
        place: Place,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """Nothing is sent before `play`."""
        self.counts = Counts()
        self.results: list[MatchResult] = []
        self._channel = channel
        self._bot = bot
        self._identity = identity
        self._place = place
        self._limits = limits
        self._leave = asyncio.Event()
        self._seat: _Seat | None = None
        self._lost_matches = 0
        self._attempts = 0
        self._last_word = time.monotonic()
        self._notice: _Notice | None = None
        self._was_heard = False
        self._has_waited = False

    async def play(self) -> Stopped:
        """Plays until the matches are over or something else ends it, and says what."""
        self._last_word = time.monotonic()
        while True:
            ending = await self._run_stream()
            if ending.stop is not None:
                return self._stopped(ending.stop, ending.message)
            if self.patience_left < 0:
                return self._stopped(Why.UNREACHABLE, f"no word of the server any more: {ending.message}")
            log.info("%s comes back: %s", self._identity.name, ending.message)
            self.counts.reconnects += ending.is_loss
            await self._back_off(ending.retry_after)
            if self._leave.is_set():
                return self._stopped(Why.LEFT, "left while it was not connected")

    @property
    def patience_left(self) -> float:
        """Seconds after which it stops, should it hear no word of the server."""
        return self._last_word + self._limits.patience - time.monotonic()

    def leave(self) -> None:
        """Leaves: no further match, and a house bot plays on in the present one."""
        self._leave.set()

    def _stopped(self, why: Why, message: str) -> Stopped:
        return Stopped(why, message, tuple(self.results), self.counts)

    async def _back_off(self, at_least: float) -> None:
        longest = min(self._limits.longest_backoff, self._limits.first_backoff * 2**self._attempts)
        self._attempts += 1
        delay = max(at_least, longest * random.uniform(0.5, 1.0))
        try:
            await asyncio.wait_for(self._leave.wait(), delay)
        except TimeoutError:
            return

    async def _run_stream(self) -> _Ending:
        """Opens a stream and serves it to its end."""
        self._notice = None
        self._was_heard = False
        resumes = self._seat is not None
        stream = Stream(self._channel)
        leaver: asyncio.Task[None] | None = None
        try:
            async with asyncio.timeout(self._limits.first_word) as deadline:
                leaver = asyncio.create_task(self._leave_when_asked(stream, deadline))
                await stream.send(table_service_pb2.PlayRequest(hello=self._hello()))
                async for update in stream.updates():
                    if not self._leave.is_set():
                        deadline.reschedule(None)
                    self._last_word = time.monotonic()
                    self._was_heard = True
                    await self._take(update, stream)
            return self._ended_well(resumes)
        except TimeoutError:
            if self._leave.is_set():
                return _Ending(Why.LEFT, "left without waiting for the end of the stream")
            return self._next(None, "the server did not answer the hello in time")
        except aio.AioRpcError as error:
            return self._failed(error.code(), error.details() or "", resumes)
        except ValueError as error:
            return _Ending(Why.REJECTED, f"the server is not understood: {error}")
        finally:
            if leaver is not None:
                leaver.cancel()
            stream.close()

    async def _leave_when_asked(self, stream: Stream, deadline: asyncio.Timeout) -> None:
        await self._leave.wait()
        deadline.reschedule(asyncio.get_running_loop().time() + self._limits.farewell)
        await stream.send(table_service_pb2.PlayRequest(leave=table_service_pb2.Leave()))

    def _hello(self) -> table_service_pb2.Hello:
        hello = table_service_pb2.Hello(
            name=self._identity.name, version=self._identity.version, token=self._identity.token
        )
        if self._seat is not None:
            hello.resume.resume_token = self._seat.resume_token
            hello.resume.after_sequence = self._seat.sequence
            return hello
        match self._place:
            case Table(table_id, seat):
                hello.table.table_id = table_id
                if seat is not None:
                    hello.table.seat = seat
            case Ladder(matches):
                hello.ladder.matches = matches and max(1, matches - self._played())
            case _:
                assert_never(self._place)
        return hello

    def _played(self) -> int:
        return len(self.results) + self._lost_matches

    def _is_finished(self) -> bool:
        match self._place:
            case Table():
                return self._played() > 0
            case Ladder(matches):
                return 0 < matches <= self._played()
            case _:
                assert_never(self._place)

    # How a stream ends.

    def _ended_well(self, resumes: bool) -> _Ending:
        notice = self._notice
        if self._leave.is_set():
            return _Ending(Why.LEFT, "left, as was asked")
        if notice is not None and notice.why is Why.TAKEN_OVER:
            return _Ending(Why.TAKEN_OVER, notice.message)
        ending = self._without_a_seat(notice)
        # A stream that resumed a seat ends with its match, whether there are others or not.
        if ending is None and notice is None and self._seat is None and not resumes:
            return _Ending(Why.FINISHED, "the server has no further match")
        return ending or self._next(notice, "the server ended the stream")

    def _failed(self, code: grpc.StatusCode, details: str, resumes: bool) -> _Ending:
        """Decides whether coming back can help."""
        message = f"{code.name}: {details}"
        notice = self._notice
        if self._leave.is_set():
            return _Ending(Why.LEFT, "left, as was asked")
        if code is grpc.StatusCode.ABORTED or (notice is not None and notice.why is Why.TAKEN_OVER):
            return _Ending(Why.TAKEN_OVER, details if notice is None else notice.message)
        if code in _MAY_PASS:
            return self._without_a_seat(notice) or self._next(notice, message)
        if resumes:
            # The server has forgotten the match, so it does not count as one of those that were asked for.
            self._seat = None
            if isinstance(self._place, Ladder):
                return self._next(None, message)
            return _Ending(Why.GIVEN_UP, f"the seat is not to be had any more: {message}")
        return _Ending(Why.REJECTED, message)

    def _without_a_seat(self, notice: _Notice | None) -> _Ending | None:
        """A reason to stop after the seat of a match was left or lost, if there is one."""
        if self._seat is not None and self._seat.is_given_up:
            self._seat = None
            self._lost_matches += 1
        if notice is not None and notice.why is not None and isinstance(self._place, Table):
            return _Ending(notice.why, notice.message)
        if self._seat is None and self._is_finished():
            return _Ending(Why.FINISHED, "all matches are played")
        return None

    def _next(self, notice: _Notice | None, message: str) -> _Ending:
        """Another stream: the seat is resumed, or the ladder entered again."""
        retry_after = 0.0 if notice is None else notice.retry_after
        is_loss = self._was_heard and (self._seat is not None or isinstance(self._place, Table))
        return _Ending(None, message if notice is None else notice.message, retry_after, is_loss)

    # What the server says.

    async def _take(self, update: table_service_pb2.Update, stream: Stream) -> None:
        match update.WhichOneof("kind"):
            case "waiting":
                # The first is a warning, so that it is seen where logging is not configured.
                level = logging.INFO if self._has_waited else logging.WARNING
                log.log(level, "%s waits: %s", self._identity.name, update.waiting.reason)
                self._has_waited = True
            case "match_start":
                self._start(update.match_start)
            case "snapshot":
                self._take_snapshot(update.snapshot)
            case "events":
                self._hear(update.events.events)
            case "turn":
                await self._answer(update.turn, stream)
            case "accepted":
                self._attempts = 0
            case "refused":
                await self._answer_again(update.refused, stream)
            case "match_over":
                self._match_over(update.match_over)
            case "notice":
                self._take_notice(update.notice)
            case None:
                log.warning("the server sent an update of a kind that this version does not know")

    def _start(self, start: table_service_pb2.MatchStart) -> None:
        if self._seat is not None and self._seat.match.match_id == start.match_id:
            self._seat.resume_token = start.resume_token
            return
        match = wire.match(start)
        self._seat = _Seat(match, start.resume_token)
        log.info("%s plays match %s at seat %d", self._identity.name, match.match_id, match.seat)
        self._tell(self._bot.match_started, match)

    def _take_snapshot(self, snapshot: table_service_pb2.Snapshot) -> None:
        if snapshot.missed:
            log.warning("%s missed %d events", self._identity.name, snapshot.missed)
        if self._seat is not None:
            self._seat.sequence = max(self._seat.sequence, snapshot.sequence)

    def _hear(self, events: Iterable[event_pb2.Event]) -> None:
        seat = self._seat
        if seat is None:
            return
        for event in events:
            # What came again with a resumed stream was told already.
            if event.sequence <= seat.sequence:
                continue
            seat.sequence = event.sequence
            if event.HasField("default_made") and event.default_made.seat == seat.match.seat:
                self.counts.defaults += 1
            self._tell(self._bot.saw, event)

    def _match_over(self, over: table_service_pb2.MatchOver) -> None:
        self._hear(over.events)
        seat = self._seat
        self._seat = None
        self._attempts = 0
        if seat is None:
            return
        for event in over.events:
            if event.HasField("match_ended"):
                result = wire.match_result(seat.match, event.match_ended, seat.is_given_up)
                self.results.append(result)
                log.info("%s ends with %g points, place %d", self._identity.name, result.points, result.place)
                self._tell(self._bot.match_over, result)
                return
        self._lost_matches += 1

    def _take_notice(self, notice: table_service_pb2.ServerNotice) -> None:
        kind = table_service_pb2.ServerNotice.Kind
        why = {
            kind.KIND_SEAT_GIVEN_UP: Why.GIVEN_UP,
            kind.KIND_TAKEN_OVER: Why.TAKEN_OVER,
            kind.KIND_BROKEN_OFF: Why.BROKEN_OFF,
        }.get(notice.kind)
        log.warning("%s is told: %s", self._identity.name, notice.message)
        self._notice = _Notice(why, notice.message, wire.seconds(notice.retry_after))
        if why is Why.GIVEN_UP and self._seat is not None:
            self._seat.is_given_up = True
        if why is Why.BROKEN_OFF:
            # Nothing is scored, so it does not count as a match either.
            self._seat = None

    # What the bot says.

    async def _answer(self, asked: table_service_pb2.Turn, stream: Stream) -> None:
        self._hear(asked.events)
        seat = self._seat
        if seat is None or asked.match_id != seat.match.match_id:
            log.warning("the server asked about match %s, in which this bot has no seat", asked.match_id)
            return
        answer = seat.answer
        if answer is None or answer.turn.number != asked.number:
            self.counts.turns += 1
            turn = wire.turn(asked, seat.match)
            answer = seat.answer = _Answer(turn, await self._ask(turn))
        # A turn that comes again after a loss gets the same answer again, which is safe.
        await self._send(answer, stream)

    async def _answer_again(self, refused: table_service_pb2.AnswerRefused, stream: Stream) -> None:
        """After a refusal the bot is asked once more, and then the default is sent."""
        seat = self._seat
        if seat is None or seat.answer is None or seat.answer.turn.number != refused.turn:
            self.counts.stale += 1
            return
        turn, move = seat.answer.turn, seat.answer.move
        if refused.reason == table_service_pb2.REFUSAL_REASON_TOO_MANY_ANSWERS:
            await asyncio.sleep(self._limits.too_many_answers)
            await self._send(seat.answer, stream)
            return
        reason = table_service_pb2.RefusalReason.Name(refused.reason).removeprefix("REFUSAL_REASON_")
        log.warning("%s: %s was refused (%s): %s", self._identity.name, move, reason, refused.message)
        if not refused.HasField("tries_left"):
            self.counts.stale += 1
            return
        self.counts.refused += 1
        if refused.tries_left == 0:
            return
        again = turn.default
        if turn.refusal is None:
            turn = replace(turn, refusal=Refusal(move, reason, refused.message, refused.tries_left))
            again = await self._ask(turn)
            if again == move:
                again = turn.default
        seat.answer = _Answer(turn, again)
        await self._send(seat.answer, stream)

    async def _ask(self, turn: Turn) -> str:
        """The bot's move in text; the default where the bot fails."""
        try:
            move = self._bot.act(turn)
            if inspect.isawaitable(move):
                move = await move
            if not isinstance(move, str | Card | Bid):
                raise TypeError(f"a bot returns a text, a card or a bid, not {move!r}")
            return str(move)
        except Exception as error:
            self._log_failure(error, f"turn {turn.number}, where the default move is made")
            return turn.default

    def _tell(self, hears: Callable[[Heard], None], what: Heard) -> None:
        """Tells the bot something to which it need not answer."""
        try:
            hears(what)
        except Exception as error:
            self._log_failure(error, "something it was told")

    def _log_failure(self, error: Exception, where: str) -> None:
        """Logs the first failures of the bot with their tracebacks; the same one every turn would bury the rest."""
        self.counts.errors += 1
        if self.counts.errors > _TRACEBACKS:
            return
        log.error("%s failed at %s", self._identity.name, where, exc_info=error)
        if self.counts.errors == _TRACEBACKS:
            log.error("%s: from now on such failures are only counted", self._identity.name)

    async def _send(self, answer: _Answer, stream: Stream) -> None:
        message = table_service_pb2.Answer(
            match_id=answer.turn.match.match_id, turn=answer.turn.number, text=answer.move
        )
        await stream.send(table_service_pb2.PlayRequest(answer=message))


@dataclass(slots=True)
class _Seat:
    """The seat in the match that goes on."""

    match: Match
    resume_token: str
    sequence: int = 0
    """The last event that was received."""
    answer: _Answer | None = None
    """The last answer that was given."""
    is_given_up: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    turn: Turn
    move: str


@dataclass(frozen=True, slots=True)
class _Notice:
    """What the server said about the seat before the stream ended."""

    why: Why | None
    message: str
    retry_after: float


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a stream ended: with a reason to stop, or with None to come back."""

    stop: Why | None
    message: str
    retry_after: float = 0.0
    is_loss: bool = False
    """Whether a seat's connection was lost, rather than the ladder left between two matches or nobody reached."""
