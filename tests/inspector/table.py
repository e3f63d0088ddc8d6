"""A whole match under inspection: five inspectors at a table of random rules, spectators, and the referee."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import grpc

import referee
from inspector import Checker, Hello, Inspector, Log, Style, check_rules, look_on, short, sorted_burial
from mighty.v1 import event_pb2, record_service_pb2, table_service_pb2
from mighty.v1.record_service_pb2_grpc import RecordServiceStub
from mighty.v1.table_service_pb2_grpc import TableServiceStub
from place import verify
from story import Story, half_points

if TYPE_CHECKING:
    pass

PATIENCE = 120.0
Table = table_service_pb2.Table


@dataclass
class Inspected:
    """What an inspection found."""

    title: str
    problems: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    options: referee.JsonObject = field(default_factory=dict)
    logs: list[Log] = field(default_factory=list)
    seed: bytes = b""


def random_style(rng: random.Random, errs: float, breaks: float) -> Style:
    return Style(
        by_act=rng.random() < 0.2,
        delivery=rng.choice(Hello.Delivery.values()),
        without_observation=rng.random() < 0.2,
        text=rng.random(),
        errs=errs,
        passes=rng.choice([0.6, 0.8, 0.95, 1.0]),
        throws_in=rng.random(),
        breaks=breaks,
    )


async def inspect(port: int, number: int) -> Inspected:
    """Plays and checks match `number`; the number decides rules and moves, the server's seed the cards."""
    rng = random.Random(number)
    profiles = referee.load_profiles()
    profile, overrides, _ = referee.random_rules(rng, profiles, {})
    if number < 2 * len(profiles):
        profile, overrides = list(profiles)[number % len(profiles)], {}
    overrides["match.hands"] = rng.choice([1, 2, 3])
    errs, breaks = rng.choice([0.0, 0.05, 0.3]), rng.choice([0.0, 0.0, 0.05])
    found = Inspected(f"match {number}: {profile} {json.dumps(overrides)}")
    found.options = referee.with_overrides(profiles[profile], overrides)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        tables = TableServiceStub(channel)
        texts = {path: json.dumps(value) for path, value in overrides.items()}
        made = await tables.CreateTable(table_service_pb2.CreateTableRequest(profile=profile, overrides=texts))
        table = made.table
        check_table(found, table, Table.STATE_WAITING)
        if {path: json.loads(text) for path, text in table.rules.overrides.items()} != overrides:
            found.problems.append(f"overrides: told {table.rules.overrides}")
        inspectors = [
            Inspector(tables, table.table_id, seat, random.Random(f"{number}/{seat}"), random_style(rng, errs, breaks))
            for seat in referee.SEATS
        ]
        there = asyncio.Event()
        watching = asyncio.create_task(look_on(tables, table.table_id, there, rng.randrange(1, 60)))
        await asyncio.wait_for(there.wait(), PATIENCE)
        await asyncio.wait_for(asyncio.gather(*(inspector.play() for inspector in inspectors)), PATIENCE)
        spectators = await asyncio.wait_for(watching, PATIENCE)
        found.logs = [inspector.log for inspector in inspectors] + spectators
        found.seed = spectators[0].events[-1].match_ended.seed
        record_id = spectators[0].events[-1].match_ended.record_id
        request = record_service_pb2.GetRecordRequest(record_id=record_id)
        record = (await RecordServiceStub(channel).GetRecord(request)).record
        over = (await tables.GetTable(table_service_pb2.GetTableRequest(table_id=table.table_id))).table
    checker = Checker(found.options, found.logs)
    story = checker.check(found.seed)
    found.problems += checker.problems
    found.counts = checker.counts
    check_table(found, over, Table.STATE_OVER)
    found_totals = list(over.totals_half_points)
    if found_totals != half_points(story.match.totals) or over.record_id != record_id:
        found.problems.append(f"the table at the end: {short(over)}")
    check_record(found, record, story)
    return found


def check_table(found: Inspected, table: table_service_pb2.Table, state: int) -> None:
    """A table as anybody sees it."""
    if table.state != state:
        found.problems.append(f"the table is in {Table.State.Name(table.state)}")
    check_rules(found.problems, "table", table.rules, found.options)
    hands = found.options["match"]["hands"]
    hand = 0 if state == Table.STATE_WAITING else hands
    names = ["" if state == Table.STATE_WAITING else f"inspector-{seat}" for seat in referee.SEATS]
    told = (table.hand, table.hands, [info.name for info in table.seats], len(table.totals_half_points), table.ladder)
    right = (hand, hands, names, 5, False)
    if told != right:
        found.problems.append(f"table: told {told}, right would be {right}")
    if bool(table.record_id) != (state == Table.STATE_OVER) or not table.created_at.seconds:
        found.problems.append(f"table: record {table.record_id!r}, made at {table.created_at}")


def check_record(found: Inspected, record: record_service_pb2.Record, story: Story) -> None:
    """The record equals what was told, and verifies."""
    line = json.loads(record.line)
    match = story.match

    def same(what: str, told: object, right: object) -> None:
        if told != right:
            found.problems.append(f"record, {what}: told {short(told)}, right would be {short(right)}")

    names = [f"inspector-{seat}" for seat in referee.SEATS]
    same("names", [list(record.names), line["players"]], [names, names])
    same("profile", record.profile, line["profile"])
    same("rules", line["rules"], found.options)
    same("seed", line["seed"], found.seed.hex())
    same("commitment", line["commitment"], match.commitment)
    same("cut", line["cut"], match.cut)
    same("totals", line["totals"], [referee.number(total) for total in match.totals])
    same("totals in half points", list(record.totals_half_points), half_points(match.totals))
    same("pot", line["pot"], match.pot)
    same("ended_at set", record.HasField("ended_at"), True)
    same("number of rows", len(line["rows"]), len(story.rows))
    for told, right in zip(line["rows"], story.rows, strict=False):
        where = f"hand {right['hand']}/{right['redeal']}"
        told["moves"] = " ".join(map(sorted_burial, told["moves"].split()))
        right["moves"] = " ".join(map(sorted_burial, right["moves"].split()))
        for name, value in right.items():
            same(f"{where}, {name}", told.get(name), value)
        deck = "".join(referee.shuffled(found.seed, right["hand"], right["redeal"]))
        same(f"{where}, deck", told["deck"], deck)
    refused = sum(
        reply.refused is not None and reply.refused.HasField("tries_left")
        for log in found.logs
        for heard in log.turns
        for reply in heard.replies
    )
    same("refusals", sum(len(row.get("refusals", [])) for row in line["rows"]), refused)
    defaults = sum(event.HasField("default_made") for log in found.logs[:1] for event in log.events)
    secret = sum(is_secret(log, event) for log in found.logs[1:5] for event in log.events)
    same("defaults", sum(len(row.get("defaults", [])) for row in line["rows"]), defaults + secret)
    verdict = verify(record.line)
    if verdict.returncode:
        found.problems.append(f"mighty verify: {verdict.stderr}")


def is_secret(log: Log, event: event_pb2.Event) -> bool:
    """Whether a default was told to its seat alone: the seat was asked whether it keeps its hand."""
    if not event.HasField("default_made") or event.default_made.seat != log.viewer:
        return False
    at = log.events.index(event)
    return log.events[at + 1].HasField("kept")
