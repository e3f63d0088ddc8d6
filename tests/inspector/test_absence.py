"""Seats that answer late or never, that are taken over, and that are asked in secret, from outside."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

import referee
from errors import failure_of
from inspector import Checker, Heard, Hello, Inspector, Log, Style, look_on, next_update, sorted_burial
from mighty.v1 import event_pb2, record_service_pb2, table_service_pb2
from mighty.v1.record_service_pb2_grpc import RecordServiceStub
from mighty.v1.table_service_pb2_grpc import TableServiceStub

if TYPE_CHECKING:
    from mighty.v1.table_service_pb2_grpc import TableServiceAsyncStub

PATIENCE = 60.0
Notice = table_service_pb2.ServerNotice
Reason = table_service_pb2.RefusalReason


class Silent(Inspector):
    """Never answers in time: to its first turn once it hears of the default, to no other at all."""

    def __init__(self, *of: Any) -> None:
        super().__init__(*of)
        self.log.silent = True
        self.is_late = False
        self.too_late: table_service_pb2.AnswerRefused | None = None

    async def answer(self, heard: Heard) -> None:
        pass

    async def hear(self, update: table_service_pb2.Update) -> None:
        await super().hear(update)
        if update.HasField("refused"):
            self.too_late = update.refused
        if not self.is_late and any(event.HasField("default_made") for event in update.events.events):
            self.is_late = True
            turn = self.log.turns[0].turn
            answer = table_service_pb2.Answer(match_id=turn.match_id, turn=turn.number, text=turn.default_text)
            await self.stream.write(table_service_pb2.PlayRequest(answer=answer))


@asynccontextmanager
async def table(
    port: int, profile: str, overrides: referee.JsonObject, clock: table_service_pb2.Clock | None = None
) -> AsyncIterator[tuple[TableServiceAsyncStub, str, grpc.aio.Channel]]:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        tables = TableServiceStub(channel)
        texts = {path: json.dumps(value) for path, value in overrides.items()}
        request = table_service_pb2.CreateTableRequest(profile=profile, overrides=texts, clock=clock)
        yield tables, (await tables.CreateTable(request)).table.table_id, channel


async def play_out(tables: TableServiceAsyncStub, table_id: str, inspectors: list[Inspector]) -> list[Log]:
    """The logs of a whole match: the five seats, then a spectator."""
    there = asyncio.Event()
    watching = asyncio.create_task(look_on(tables, table_id, there))
    await asyncio.wait_for(there.wait(), PATIENCE)
    await asyncio.wait_for(asyncio.gather(*(inspector.play() for inspector in inspectors)), PATIENCE)
    return [inspector.log for inspector in inspectors] + await asyncio.wait_for(watching, PATIENCE)


def check(profile: str, overrides: referee.JsonObject, logs: list[Log], moves: list[list[str]] | None = None) -> None:
    options = referee.with_overrides(referee.load_profiles()[profile], overrides)
    checker = Checker(options, logs, moves)
    checker.check(logs[-1].events[-1].match_ended.seed)
    assert not checker.problems, "\n".join(checker.problems[:20])


def test_a_silent_seat_plays_defaults_and_is_given_up(port: int) -> None:
    async def story() -> None:
        overrides = {"match.hands": 1, "auction.all_pass": "dealer_opens"}
        clock = table_service_pb2.Clock(increment=Duration(nanos=700_000_000))
        async with table(port, "classic", overrides, clock) as (tables, table_id, channel):
            style = Style(errs=0.0)
            at_once = replace(style, delivery=Hello.DELIVERY_AT_ONCE)
            silent = Silent(tables, table_id, 2, Random(2), at_once)
            others = [Inspector(tables, table_id, seat, Random(seat), style) for seat in (0, 1, 3, 4)]
            logs = await play_out(tables, table_id, [*others, silent])
            request = record_service_pb2.GetRecordRequest(record_id=table_id)
            record = (await RecordServiceStub(channel).GetRecord(request)).record
        rows = json.loads(record.line)["rows"]
        check("classic", overrides, logs, [list(map(sorted_burial, row["moves"].split())) for row in rows])
        for log in logs:
            defaults = [event.default_made for event in log.events if event.HasField("default_made")]
            right = event_pb2.DefaultMade(seat=2, cause=event_pb2.DefaultMade.CAUSE_TIME)
            assert defaults == [right] * 3
            given_up = [event.seat_given_up for event in log.events if event.HasField("seat_given_up")]
            assert given_up == [event_pb2.SeatGivenUp(seat=2, stand_in="cautious")]
        assert [notice.kind for notice in silent.log.notices] == [Notice.KIND_SEAT_GIVEN_UP]
        assert silent.too_late is not None and silent.too_late.reason == Reason.REFUSAL_REASON_STALE_TURN
        assert not silent.too_late.HasField("tries_left")
        turns = [heard.turn for heard in silent.log.turns]
        assert not turns[0].HasField("last_late") and any(turn.HasField("last_late") for turn in turns[1:])
        assert not any(turn.HasField("last_took") for turn in turns)

    asyncio.run(story())


def test_three_refusals_are_a_default_that_all_see(port: int) -> None:
    async def story() -> None:
        overrides = {"match.hands": 1, "deal.miss.at_most": 60}
        async with table(port, "korean", overrides) as (tables, table_id, _):
            calm = Style(errs=0.02, throws_in=0.0, passes=0.5)
            wild = replace(calm, errs=0.7)
            styles = [wild, replace(wild, by_act=True), calm, calm, calm]
            seats = [Inspector(tables, table_id, seat, Random(seat), styles[seat]) for seat in referee.SEATS]
            logs = await play_out(tables, table_id, seats)
        given_up = [log for log in logs if log.notices]
        if not given_up:
            check("korean", overrides, logs)
        secret = [event for log in logs[:5] for event in log.events if event.HasField("asked_to_keep")]
        assert len(secret) == 5, "each seat was asked, and only by its own stream"
        assert not any(event.HasField("asked_to_keep") or event.HasField("kept") for event in logs[-1].events)

    asyncio.run(story())


def test_a_newer_stream_takes_a_seat_over(port: int) -> None:
    async def story() -> None:
        overrides = {"match.hands": 1}
        async with table(port, "ripper", overrides) as (tables, table_id, _):
            others = [Inspector(tables, table_id, seat, Random(seat), Style(errs=0.0)) for seat in range(1, 5)]
            playing = [asyncio.create_task(other.play()) for other in others]
            place = table_service_pb2.TablePlace(table_id=table_id, seat=0)
            hello = table_service_pb2.Hello(name="inspector-0", table=place, delivery=2)  # type: ignore[arg-type]
            older = tables.Follow(table_service_pb2.FollowRequest(player=hello))
            while (update := await next_update(older)) and not update.HasField("match_start"):
                pass
            assert update is not None
            start = update.match_start
            newer = Inspector(tables, table_id, 0, Random(0), Style(errs=0.0))
            newer.hello.resume.resume_token = start.resume_token
            resumed = asyncio.create_task(newer.play())
            notices = []
            failure = None
            try:
                while update := await next_update(older):
                    if update.HasField("notice"):
                        notices.append(update.notice.kind)
            except grpc.aio.AioRpcError as error:
                failure = failure_of(error)
            assert notices == [Notice.KIND_TAKEN_OVER]
            assert failure is not None and (failure.code, failure.reason) == ("ABORTED", "TAKEN_OVER")
            await asyncio.wait_for(asyncio.gather(resumed, *playing), PATIENCE)
        newer.log.starts.insert(0, start)
        newer.log.resumes = 1
        check("ripper", overrides, [newer.log, *(other.log for other in others)][::-1])

    asyncio.run(story())


@pytest.mark.parametrize("calls", [["kitty", "none"], ["none", "kitty"], ["kitty", "first_trick"]])
def test_the_default_friend_call_follows_the_order_of_the_calls(port: int, calls: list[str]) -> None:
    async def story() -> None:
        overrides = {"match.hands": 2, "friend.calls": calls, "auction.all_pass": "dealer_opens"}
        async with table(port, "classic", overrides) as (tables, table_id, _):
            seats = [Inspector(tables, table_id, seat, Random(seat), Style(errs=0.0)) for seat in referee.SEATS]
            logs = await play_out(tables, table_id, seats)
        check("classic", overrides, logs)
        defaults = [
            heard.turn.default_text for log in logs for heard in log.turns if heard.turn.choices.HasField("friend")
        ]
        assert defaults and all(default.startswith(f"f:{calls[0]}") for default in defaults)

    asyncio.run(story())
