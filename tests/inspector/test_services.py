"""The services from outside: profiles, lists and their pages, failures and their reasons, what else is on the port."""

from __future__ import annotations

import hashlib
import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

import referee
from errors import Failure, failure_of
from inspector import check_rules
from mighty.v1 import ladder_service_pb2, record_service_pb2, rules_service_pb2, table_service_pb2
from mighty.v1.ladder_service_pb2_grpc import LadderServiceStub
from mighty.v1.record_service_pb2_grpc import RecordServiceStub
from mighty.v1.rules_service_pb2_grpc import RulesServiceStub
from mighty.v1.table_service_pb2_grpc import TableServiceStub
from place import verify

Clock = table_service_pb2.Clock
Hello = table_service_pb2.Hello
SeatPlan = table_service_pb2.SeatPlan
PROFILES = referee.load_profiles()
PATIENCE = 20.0


@pytest.fixture
def channel(port: int) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel


@pytest.fixture
def tables(channel: grpc.Channel) -> TableServiceStub:
    return TableServiceStub(channel)


def failure(call: Callable[[], Any]) -> Failure:
    """The failure of a call that must fail."""
    try:
        told = call()
    except grpc.RpcError as error:
        found = failure_of(error)
        assert found.domain == "mighty.v1" and found.reason and found.text, found
        return found
    raise AssertionError(f"it was accepted: {told}")


def table_of(tables: TableServiceStub, *seats: str) -> str:
    """A new table with these house bots at its first seats."""
    request = table_service_pb2.CreateTableRequest(profile="korean", seats=[SeatPlan(house=name) for name in seats])
    return tables.CreateTable(request).table.table_id


# -- rules


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_that_of_the_rule_book(channel: grpc.Channel, name: str) -> None:
    told = RulesServiceStub(channel).DescribeProfile(rules_service_pb2.DescribeProfileRequest(profile=name))
    problems: list[str] = []
    check_rules(problems, name, told.rules, PROFILES[name])
    assert not problems
    for option in told.options:
        assert option.allowed and option.meaning
        value: Any = PROFILES[name]
        for part in option.path.split("."):
            value = None if value is None else value[part]
        if option.path.startswith("deal.miss.") and PROFILES[name]["deal"]["miss"] is None:
            assert option.value == ""
        else:
            assert json.loads(option.value) == value, option.path
    assert {option.path for option in told.options} == all_paths()


def all_paths() -> set[str]:
    """Every option of the rule book by its dotted path."""

    def paths(value: Any, path: str) -> set[str]:
        if not isinstance(value, dict):
            return {path}
        below = {one for name, inner in value.items() for one in paths(inner, f"{path}.{name}" if path else name)}
        return below | ({path} if path == "deal.miss" else set())

    return set().union(*(paths(profile, "") for profile in PROFILES.values()))


def test_the_profiles_are_listed(channel: grpc.Channel) -> None:
    told = RulesServiceStub(channel).ListProfiles(rules_service_pb2.ListProfilesRequest()).profiles
    texts = {name: json.dumps(options, sort_keys=True, separators=(",", ":")) for name, options in PROFILES.items()}
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    assert {profile.name: profile.hash for profile in told} == hashes
    assert all(profile.mark for profile in told)


def test_overrides_are_described(channel: grpc.Channel) -> None:
    overrides = {"auction.all_pass": "dealer_opens", "auction.minimum": "12", "scoring.doubles": '["run"]'}
    told = RulesServiceStub(channel).DescribeProfile(
        rules_service_pb2.DescribeProfileRequest(profile="korean", overrides=overrides)
    )
    right = {"auction.all_pass": "dealer_opens", "auction.minimum": 12, "scoring.doubles": ["run"]}
    problems: list[str] = []
    check_rules(problems, "korean", told.rules, referee.with_overrides(PROFILES["korean"], right))
    assert not problems
    assert {path: json.loads(text) for path, text in told.rules.overrides.items()} == right


@pytest.mark.parametrize(
    ("profile", "overrides", "reason", "says"),
    [
        ("bridge", {}, "UNKNOWN_PROFILE", [*PROFILES]),
        ("korean", {"auction.mini": "14"}, "UNKNOWN_OPTION", ["auction.mini", "auction.minimum", "auction.all_pass"]),
        ("korean", {"deal": "{}"}, "UNKNOWN_OPTION", ["deal.pattern"]),
        ("classic", {"deal.miss.ten": "1"}, "UNKNOWN_OPTION", ["deal.miss"]),
        ("korean", {"auction.all_pass": "again"}, "WRONG_VALUE", ["auction.all_pass", "second_round", "dealer_opens"]),
        ("korean", {"auction.minimum": '"many"'}, "WRONG_VALUE", ["auction.minimum"]),
        ("korean", {"auction.minimum": "21"}, "OPTIONS_DISAGREE", ["auction.minimum", "20"]),
        ("korean", {"match.hands": "0"}, "OPTIONS_DISAGREE", ["match.hands"]),
        ("korean", {"friend.calls": "[]"}, "OPTIONS_DISAGREE", ["friend.calls"]),
        ("korean", {"play.joker_call.card": "declared"}, "OPTIONS_DISAGREE", ["play.joker_call.card", "both"]),
    ],
)
def test_wrong_rules_are_refused_with_the_right_ones(
    channel: grpc.Channel, profile: str, overrides: dict[str, str], reason: str, says: list[str]
) -> None:
    describe = rules_service_pb2.DescribeProfileRequest(profile=profile, overrides=overrides)
    create = table_service_pb2.CreateTableRequest(profile=profile, overrides=overrides)
    described = failure(lambda: RulesServiceStub(channel).DescribeProfile(describe))
    created = failure(lambda: TableServiceStub(channel).CreateTable(create))
    assert (described.code, described.reason) == ("INVALID_ARGUMENT", reason), described
    assert described == created
    for word in says:
        assert word in described.text


# -- tables


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"seats": [SeatPlan(house="expert")]}, "NO_SUCH_HOUSE_BOT"),
        ({"seats": [SeatPlan()] * 6}, "INVALID_FIELD"),
        ({"clock": Clock()}, "INVALID_FIELD"),
        ({"clock": Clock(bank=Duration(seconds=-1))}, "INVALID_FIELD"),
        ({"clock": Clock(bank=Duration(seconds=10**9))}, "INVALID_FIELD"),
    ],
)
def test_a_wrong_table_is_refused(tables: TableServiceStub, request_: dict[str, Any], reason: str) -> None:
    found = failure(lambda: tables.CreateTable(table_service_pb2.CreateTableRequest(profile="korean", **request_)))
    assert (found.code, found.reason) == ("INVALID_ARGUMENT", reason), found


@pytest.mark.parametrize(
    ("place", "code", "reason"),
    [
        ({}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        ({"name": "", "table": {}}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        ({"name": "with blank", "table": {}}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        ({"name": "n" * 33, "table": {}}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        ({"version": "v" * 33, "table": {}}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        ({"table": {"table_id": "none"}}, "NOT_FOUND", "NO_SUCH_TABLE"),
        ({"table": {"seat": 5}}, "INVALID_ARGUMENT", "INVALID_FIELD"),
        ({"table": {"seat": 0}}, "FAILED_PRECONDITION", "SEAT_TAKEN"),
        ({"ladder": {}}, "FAILED_PRECONDITION", "NO_LADDER"),
        ({"resume": {"resume_token": "none"}}, "PERMISSION_DENIED", "UNKNOWN_RESUME_TOKEN"),
        ({"resume": {}}, "PERMISSION_DENIED", "UNKNOWN_RESUME_TOKEN"),
    ],
)
def test_a_wrong_hello_is_refused(tables: TableServiceStub, place: dict[str, Any], code: str, reason: str) -> None:
    if "table" in place:
        place = {**place, "table": {"table_id": table_of(tables, "random"), **place["table"]}}
    hello = Hello(**{"name": "somebody", **place})
    asked = iter([table_service_pb2.PlayRequest(hello=hello)])
    played = failure(lambda: list(tables.Play(asked, timeout=PATIENCE)))
    followed = failure(lambda: list(tables.Follow(table_service_pb2.FollowRequest(player=hello), timeout=PATIENCE)))
    assert (played.code, played.reason) == (code, reason), played
    assert (followed.code, followed.reason) == (code, reason), followed


def test_what_is_not_there_is_not_found(channel: grpc.Channel, tables: TableServiceStub) -> None:
    spectator = table_service_pb2.FollowRequest(spectator=table_service_pb2.Spectator(table_id="none"))
    records = RecordServiceStub(channel)
    for call in (
        lambda: tables.GetTable(table_service_pb2.GetTableRequest(table_id="none")),
        lambda: list(tables.Follow(spectator)),
        lambda: records.GetRecord(record_service_pb2.GetRecordRequest(record_id="none")),
    ):
        assert failure(call).code == "NOT_FOUND"


def test_a_stream_begins_with_a_hello(tables: TableServiceStub) -> None:
    leave = table_service_pb2.PlayRequest(leave=table_service_pb2.Leave())
    answer = table_service_pb2.PlayRequest(answer=table_service_pb2.Answer(turn=1, text="-"))
    for first in (leave, answer):
        found = failure(lambda first=first: list(tables.Play(iter([first]), timeout=PATIENCE)))  # type: ignore[misc]
        assert found.code == "INVALID_ARGUMENT"
    assert failure(lambda: list(tables.Follow(table_service_pb2.FollowRequest()))).code == "INVALID_ARGUMENT"


def test_act_needs_a_seat_and_an_answer(tables: TableServiceStub) -> None:
    answer = table_service_pb2.Answer(match_id="none", turn=1, text="-")
    found = failure(lambda: tables.Act(table_service_pb2.ActRequest(resume_token="none", answer=answer)))
    assert (found.code, found.reason) == ("PERMISSION_DENIED", "UNKNOWN_RESUME_TOKEN")
    assert failure(lambda: tables.Act(table_service_pb2.ActRequest())).code == "INVALID_ARGUMENT"


# -- lists


def test_tables_come_in_pages_newest_first(tables: TableServiceStub) -> None:
    made = [table_of(tables) for _ in range(7)]
    listed: list[str] = []
    token = ""
    for _ in range(100):
        page = tables.ListTables(table_service_pb2.ListTablesRequest(page_size=2, page_token=token))
        assert len(page.tables) <= 2
        listed += [table.table_id for table in page.tables]
        token = page.next_page_token
        if not token:
            break
    assert not token and len(listed) == len(set(listed))
    assert listed[:7] == made[::-1]
    assert len(tables.ListTables(table_service_pb2.ListTablesRequest()).tables) == 3, "the server's limit"
    assert len(tables.ListTables(table_service_pb2.ListTablesRequest(page_size=1000)).tables) == 3


def finished_match(tables: TableServiceStub) -> str:
    """Five house bots at a table play at once; the record of their match."""
    overrides = {"match.hands": "1"}
    seats = [SeatPlan(house="random")] * 5
    table = tables.CreateTable(
        table_service_pb2.CreateTableRequest(profile="hunter", overrides=overrides, seats=seats)
    ).table
    spectator = table_service_pb2.Spectator(table_id=table.table_id)
    *_, told = tables.Follow(table_service_pb2.FollowRequest(spectator=spectator), timeout=PATIENCE)
    assert told.update.HasField("match_over"), told
    return tables.GetTable(table_service_pb2.GetTableRequest(table_id=table.table_id)).table.record_id


def test_records_come_in_pages_and_as_a_stream(channel: grpc.Channel, tables: TableServiceStub) -> None:
    records = RecordServiceStub(channel)
    made = [finished_match(tables) for _ in range(4)]
    listed: list[str] = []
    token = ""
    for _ in range(100):
        request = record_service_pb2.ListRecordsRequest(name="random", page_size=3, page_token=token)
        page = records.ListRecords(request)
        assert not any(record.line for record in page.records)
        listed += [record.record_id for record in page.records]
        token = page.next_page_token
        if not token:
            break
    assert not token and listed[:4] == made[::-1]
    streamed = [one.record for one in records.StreamRecords(record_service_pb2.StreamRecordsRequest(name="random"))]
    assert [record.record_id for record in streamed] == listed[::-1]
    assert all(json.loads(record.line)["record"] == record.record_id for record in streamed)
    assert not list(records.StreamRecords(record_service_pb2.StreamRecordsRequest(name="nobody")))


def test_a_page_token_of_nowhere_is_refused(channel: grpc.Channel, tables: TableServiceStub) -> None:
    ladder, records = LadderServiceStub(channel), RecordServiceStub(channel)
    for call in (
        lambda: tables.ListTables(table_service_pb2.ListTablesRequest(page_token="nowhere")),
        lambda: records.ListRecords(record_service_pb2.ListRecordsRequest(page_token="nowhere")),
        lambda: ladder.ListMatches(ladder_service_pb2.ListMatchesRequest(page_token="nowhere")),
    ):
        assert failure(call).code == "INVALID_ARGUMENT"


def test_a_server_without_a_ladder_says_so(channel: grpc.Channel) -> None:
    status = LadderServiceStub(channel).GetStatus(ladder_service_pb2.GetStatusRequest())
    assert not status.enabled and not status.waiting and not status.table_ids


# -- what else is on the port


def test_health(channel: grpc.Channel) -> None:
    check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
    assert check(b"", timeout=PATIENCE) == b"\x08\x01", "SERVING"
    with pytest.raises(grpc.RpcError) as error:
        check(b"\x0a\x04none", timeout=PATIENCE)
    assert error.value.code() == grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_reflection(channel: grpc.Channel, version: str) -> None:
    info: Any = channel.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
    (listed,) = info(iter([b"\x3a\x00"]), timeout=PATIENCE)
    services = ("TableService", "RulesService", "RecordService", "LadderService")
    assert all(f"mighty.v1.{service}".encode() in listed for service in services)
    symbol = b"mighty.v1.TableService"
    (described,) = info(iter([b"\x22" + bytes([len(symbol)]) + symbol]), timeout=PATIENCE)
    assert b"mighty/v1/table_service.proto" in described


def test_grpc_web_over_plain_http(port: int) -> None:
    message = rules_service_pb2.ListProfilesRequest().SerializeToString()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"content-type": "application/grpc-web+proto", "x-grpc-web": "1"}
    frame = b"\0" + len(message).to_bytes(4, "big") + message
    connection.request("POST", "/mighty.v1.RulesService/ListProfiles", frame, headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    assert response.status == 200
    assert (response.getheader("content-type") or "").startswith("application/grpc-web")
    length = int.from_bytes(body[1:5], "big")
    told = rules_service_pb2.ListProfilesResponse.FromString(body[5 : 5 + length])
    assert {profile.name for profile in told.profiles} == set(PROFILES)
    trailers = body[5 + length :]
    assert trailers[0] == 0x80 and b"grpc-status:0" in trailers.replace(b" ", b"")


def test_a_match_that_goes_on_shows_its_finished_hands_and_no_seed(
    channel: grpc.Channel, tables: TableServiceStub
) -> None:
    seats = [SeatPlan(house="random")] * 4
    overrides = {"match.hands": "2", "auction.all_pass": "dealer_opens"}
    create = table_service_pb2.CreateTableRequest(profile="ripper", overrides=overrides, seats=seats)
    table_id = tables.CreateTable(create).table.table_id
    hello = Hello(name="reader", table=table_service_pb2.TablePlace(table_id=table_id, seat=4))
    told = tables.Follow(table_service_pb2.FollowRequest(player=hello), timeout=PATIENCE)
    start = table_service_pb2.MatchStart()
    finished = 0
    shown: dict[int, record_service_pb2.Record] = {}
    for followed in told:
        update = followed.update
        if update.HasField("match_start"):
            start = update.match_start
        events = [*update.events.events, *update.turn.events]
        finished += sum(event.HasField("hand_ended") for event in events)
        if update.HasField("turn"):
            if finished not in shown:
                request = record_service_pb2.GetRecordRequest(record_id=table_id)
                shown[finished] = RecordServiceStub(channel).GetRecord(request).record
            turn = update.turn
            answer = table_service_pb2.Answer(match_id=turn.match_id, turn=turn.number, text=turn.default_text)
            tables.Act(table_service_pb2.ActRequest(resume_token=start.resume_token, answer=answer))
    assert set(shown) == {0, 1}
    for hands, record in shown.items():
        line = json.loads(record.line)
        assert len(line["rows"]) == hands and "seed" not in line and not record.HasField("ended_at")
        assert line["commitment"] == start.commitment
        if hands:
            verdict = verify(record.line)
            assert verdict.returncode == 0, verdict.stderr
