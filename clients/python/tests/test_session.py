"""Stories of one seat: what the server does, and what the session makes of it."""

from __future__ import annotations

import asyncio
import time

import grpc
import pytest

from fake_server import FakeServer, Seat, calls, observation, plays, telling
from mighty import (
    Bot,
    Counts,
    Identity,
    Ladder,
    Limits,
    Match,
    MatchResult,
    Place,
    PlayChoices,
    Session,
    Stopped,
    Table,
    Turn,
    Why,
    open_channel,
    play,
)
from mighty.v1 import event_pb2, move_pb2, table_service_pb2

LIMITS = Limits(first_backoff=0.01, longest_backoff=0.05, patience=8.0, first_word=5.0)
BOB = Identity("bob", "1.0")


class Highest(Bot):
    """Plays its highest legal card, and remembers what it was told."""

    def __init__(self) -> None:
        self.asked: list[Turn] = []
        self.seen: list[int] = []
        self.matches: list[Match] = []
        self.results: list[MatchResult] = []

    def play(self, turn: Turn, choices: PlayChoices) -> str:
        self.asked.append(turn)
        return str(max(choices.cards))

    def match_started(self, match: Match) -> None:
        self.matches.append(match)

    def saw(self, event: event_pb2.Event) -> None:
        self.seen.append(event.sequence)

    def match_over(self, result: MatchResult) -> None:
        self.results.append(result)


async def plays_at(server: FakeServer, bot: Bot, place: Place = Table("t1"), limits: Limits = LIMITS) -> Stopped:  # noqa: B008
    [stopped] = await play(lambda: bot, BOB, place, server=server.address, limits=limits)
    return stopped


def event(sequence: int) -> event_pb2.Event:
    return event_pb2.Event(sequence=sequence, auction_opened=event_pb2.AuctionOpened())


async def test_a_match_from_hello_to_result() -> None:
    async def story(seat: Seat) -> None:
        hello = await seat.hello()
        assert (hello.name, hello.version, hello.table.table_id, hello.table.seat) == ("bob", "1.0", "t1", 2)
        await seat.waits()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S", events=(event(1), event(2)))
        assert await seat.answer() == (1, "3S")
        await seat.accepts(1, "3S")
        await seat.ends_match()

    bot = Highest()
    async with telling(story) as server:
        stopped = await plays_at(server, bot, Table("t1", seat=2))
    assert stopped.why is Why.FINISHED and stopped.is_well
    assert stopped.counts == Counts(turns=1)
    [result] = stopped.results
    assert (result.points, result.place, result.totals) == (7.5, 1, (1.0, 2.0, 7.5, -4.0, 0.0))
    assert (result.record_id, result.seed, result.given_up) == ("r1", "01" * 32, False)
    assert bot.seen == [1, 2, 99] and bot.results == [result]
    [match] = bot.matches
    assert (match.seat, match.bank, match.increment, match.rules["match.hands"]) == (2, 60.0, 2.0, 10)


async def test_it_resumes_its_seat_after_a_loss_in_the_middle_of_a_turn() -> None:
    async def lost(seat: Seat) -> None:
        await seat.hello()
        await seat.starts(resume_token="secret")
        await seat.turn(1, plays("2S 3S"), "2S", events=(event(1), event(2)))
        assert await seat.answer() == (1, "3S")
        await seat.breaks(grpc.StatusCode.UNAVAILABLE)

    async def resumed(seat: Seat) -> None:
        hello = await seat.hello()
        assert (hello.resume.resume_token, hello.resume.after_sequence) == ("secret", 2)
        await seat.starts(resume_token="newer")
        await seat.turn(1, plays("2S 3S"), "2S", events=(event(2), event(3)))
        assert await seat.answer() == (1, "3S")
        await seat.breaks(grpc.StatusCode.UNKNOWN)

    async def resumed_again(seat: Seat) -> None:
        hello = await seat.hello()
        assert (hello.resume.resume_token, hello.resume.after_sequence) == ("newer", 3)
        await seat.starts()
        await seat.ends_match()

    bot = Highest()
    async with telling(lost, resumed, resumed_again) as server:
        stopped = await plays_at(server, bot)
    assert stopped.why is Why.FINISHED
    assert stopped.counts == Counts(turns=1, reconnects=2)
    assert len(bot.asked) == 1, "a turn that comes again is answered as before, and not asked again"
    assert bot.seen == [1, 2, 3, 99], "no event is told twice"
    assert len(bot.matches) == 1


async def test_events_that_the_server_has_forgotten_are_not_asked_for_again() -> None:
    async def lost(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.says(events={"events": [event(1)]})
        await seat.breaks(grpc.StatusCode.UNAVAILABLE)

    async def behind(seat: Seat) -> None:
        assert (await seat.hello()).resume.after_sequence == 1
        await seat.starts()
        await seat.says(snapshot=table_service_pb2.Snapshot(sequence=40, missed=39))
        await seat.breaks(grpc.StatusCode.RESOURCE_EXHAUSTED)

    async def up_to_date(seat: Seat) -> None:
        assert (await seat.hello()).resume.after_sequence == 40
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S", events=(event(41),))
        assert await seat.answer() == (1, "3S")
        await seat.ends_match()

    bot = Highest()
    async with telling(lost, behind, up_to_date) as server:
        stopped = await plays_at(server, bot)
    assert stopped.why is Why.FINISHED and bot.seen == [1, 41, 99]


async def test_a_server_of_another_age_is_said_not_to_be_understood() -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, move_pb2.Choices(), "-")

    async with telling(story) as server:
        stopped = await plays_at(server, Bot())
    assert stopped.why is Why.REJECTED and "this version does not know" in stopped.message


async def test_a_refused_bot_is_asked_once_more_and_then_the_default_is_played() -> None:
    class Stubborn(Highest):
        def play(self, turn: Turn, choices: PlayChoices) -> str:
            self.asked.append(turn)
            return "AH" if turn.refusal is None else "KH"

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S")
        assert await seat.answer() == (1, "AH")
        await seat.refuses(1, "CARD_NOT_HELD", tries_left=2)
        assert await seat.answer() == (1, "KH")
        await seat.refuses(1, "CARD_NOT_HELD", tries_left=1)
        assert await seat.answer() == (1, "2S")
        await seat.accepts(1, "2S")
        await seat.ends_match()

    bot = Stubborn()
    async with telling(story) as server:
        stopped = await plays_at(server, bot)
    assert stopped.counts == Counts(turns=1, refused=2)
    refusal = bot.asked[1].refusal
    assert refusal is not None
    assert (refusal.move, refusal.reason, refusal.tries_left) == ("AH", "CARD_NOT_HELD", 2)


async def test_a_bot_that_repeats_a_refused_move_plays_the_default_at_once() -> None:
    class Deaf(Bot):
        def play(self, turn: Turn, choices: PlayChoices) -> str:
            return "AH"

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S")
        assert await seat.answer() == (1, "AH")
        await seat.refuses(1, "CARD_NOT_HELD", tries_left=2)
        assert await seat.answer() == (1, "2S")
        await seat.ends_match()

    async with telling(story) as server:
        await plays_at(server, Deaf())


@pytest.mark.parametrize("reason", ["STALE_TURN", "CONFLICT", "UNKNOWN_TURN", "NOT_YOUR_TURN"])
async def test_a_late_answer_is_counted_and_not_repeated(reason: str) -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S")
        assert await seat.answer() == (1, "3S")
        await seat.refuses(1, reason)
        await seat.turn(2, plays("2S"), "2S")
        assert await seat.answer() == (2, "2S")
        await seat.ends_match()

    async with telling(story) as server:
        stopped = await plays_at(server, Highest())
    assert stopped.counts == Counts(turns=2, stale=1)


async def test_an_answer_after_the_end_of_the_stream_loses_nothing_of_what_was_said_before() -> None:
    stream_ended = asyncio.Event()

    class Late(Bot):
        async def play(self, turn: Turn, choices: PlayChoices) -> str:
            await stream_ended.wait()
            return "3S"

    async def story(seat: Seat) -> None:
        seat.context.add_done_callback(lambda _: stream_ended.set())  # type: ignore[arg-type]
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S")
        await seat.says(events={"events": [event(1)]})
        await seat.ends_match()

    async with telling(story) as server:
        stopped = await plays_at(server, Late(), Ladder())
    assert (stopped.why, stopped.message) == (Why.FINISHED, "the server has no further match")
    assert [result.points for result in stopped.results] == [7.5] and stopped.counts.reconnects == 0


async def test_an_answer_that_came_too_fast_is_sent_again() -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S")
        assert await seat.answer() == (1, "3S")
        await seat.refuses(1, "TOO_MANY_ANSWERS")
        assert await seat.answer() == (1, "3S")
        await seat.ends_match()

    bot = Highest()
    async with telling(story) as server:
        stopped = await plays_at(server, bot)
    assert stopped.counts == Counts(turns=1) and len(bot.asked) == 1


@pytest.mark.parametrize("how", ["raises", "returns nonsense", "raises later"])
async def test_a_bot_that_crashes_makes_the_default_move_and_plays_on(
    how: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Crashing(Bot):
        def play(self, turn: Turn, choices: PlayChoices) -> str:
            if turn.number == 2:
                return "3S"
            if how == "returns nonsense":
                return 42  # type: ignore[return-value]
            if how == "raises later":
                return self.crash_later()  # type: ignore[return-value]
            raise RuntimeError("a bug in the bot")

        async def crash_later(self) -> str:
            raise RuntimeError("a bug in the bot")

        def saw(self, event: event_pb2.Event) -> None:
            raise RuntimeError("another bug in the bot")

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S")
        assert await seat.answer() == (1, "2S")
        await seat.turn(2, plays("3S"), "2S", events=(event(1),))
        assert await seat.answer() == (2, "3S")
        await seat.ends_match()

    async with telling(story) as server:
        stopped = await plays_at(server, Crashing())
    assert stopped.why is Why.FINISHED
    assert stopped.counts == Counts(turns=2, errors=3)
    assert "Traceback" in caplog.text and "RuntimeError: another bug in the bot" in caplog.text


async def test_a_bot_that_always_crashes_is_logged_three_times_and_then_only_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Crashing(Bot):
        def play(self, turn: Turn, choices: PlayChoices) -> str:
            raise RuntimeError("a bug in the bot")

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        for number in range(1, 6):
            await seat.turn(number, plays("2S 3S"), "2S")
            assert await seat.answer() == (number, "2S")
        await seat.ends_match()

    async with telling(story) as server:
        stopped = await plays_at(server, Crashing())
    assert stopped.counts == Counts(turns=5, errors=5)
    assert caplog.text.count("RuntimeError: a bug in the bot") == 3
    assert caplog.text.count("bob failed at turn") == 3
    assert caplog.text.count("bob: from now on such failures are only counted") == 1


async def test_an_async_bot_is_awaited() -> None:
    class Patient(Bot):
        async def play(self, turn: Turn, choices: PlayChoices) -> str:
            await asyncio.sleep(0)
            return "3S"

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S")
        assert await seat.answer() == (1, "3S")
        await seat.ends_match()

    async with telling(story) as server:
        await plays_at(server, Patient())


@pytest.mark.parametrize("with_notice", [True, False])
async def test_a_seat_that_was_taken_over_is_left_alone(with_notice: bool) -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        if with_notice:
            await seat.notices("TAKEN_OVER")
        await seat.breaks(grpc.StatusCode.ABORTED, "another stream has the seat")

    async with telling(story) as server:
        stopped = await plays_at(server, Bot(), Ladder())
    assert stopped.why is Why.TAKEN_OVER and not stopped.is_well


async def test_the_ladder_goes_on_with_the_next_match_on_the_same_stream() -> None:
    async def story(seat: Seat) -> None:
        assert (await seat.hello()).ladder.matches == 2
        for match_id in ("m1", "m2"):
            await seat.starts(match_id)
            await seat.turn(1, plays("2S 3S"), "2S", events=(event(1),))
            assert await seat.answer() == (1, "3S")
            await seat.ends_match(another_follows=match_id == "m1")

    bot = Highest()
    async with telling(story) as server:
        stopped = await plays_at(server, bot, Ladder(2))
    assert stopped.why is Why.FINISHED
    assert [result.match_id for result in stopped.results] == ["m1", "m2"]
    assert bot.seen == [1, 99, 1, 99], "each match numbers its own events"


async def test_the_ladder_is_entered_again_for_the_matches_that_are_left() -> None:
    async def first(seat: Seat) -> None:
        assert (await seat.hello()).ladder.matches == 3
        await seat.starts("m1")
        await seat.ends_match(another_follows=True)
        await seat.notices("SHUTTING_DOWN")

    async def broken(seat: Seat) -> None:
        assert (await seat.hello()).ladder.matches == 2
        await seat.starts("m2", resume_token="of m2")
        await seat.breaks(grpc.StatusCode.INTERNAL)

    async def forgotten(seat: Seat) -> None:
        assert (await seat.hello()).resume.resume_token == "of m2"
        await seat.breaks(grpc.StatusCode.NOT_FOUND, "there is no such seat")

    async def last(seat: Seat) -> None:
        assert (await seat.hello()).ladder.matches == 2, "a match that the server forgot does not count"
        for match_id in ("m3", "m4"):
            await seat.starts(match_id)
            await seat.ends_match()

    async with telling(first, broken, forgotten, last) as server:
        stopped = await plays_at(server, Bot(), Ladder(3))
    assert stopped.why is Why.FINISHED
    assert [result.match_id for result in stopped.results] == ["m1", "m3", "m4"]
    assert stopped.counts.reconnects == 1


async def test_a_ladder_without_a_further_match_is_over() -> None:
    async def story(seat: Seat) -> None:
        assert (await seat.hello()).ladder.matches == 0
        await seat.starts()
        await seat.ends_match()

    async with telling(story) as server:
        stopped = await plays_at(server, Bot(), Ladder())
    assert (stopped.why, stopped.message) == (Why.FINISHED, "the server has no further match")


async def test_the_ladder_is_entered_again_after_a_match_that_was_resumed() -> None:
    async def lost(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.breaks(grpc.StatusCode.UNAVAILABLE)

    async def resumed(seat: Seat) -> None:
        assert (await seat.hello()).HasField("resume")
        await seat.starts()
        await seat.ends_match()

    async def entered_again(seat: Seat) -> None:
        assert (await seat.hello()).HasField("ladder")

    async with telling(lost, resumed, entered_again) as server:
        stopped = await plays_at(server, Bot(), Ladder())
    assert stopped.why is Why.FINISHED and len(stopped.results) == 1


async def test_a_stream_that_ends_in_the_middle_of_a_match_is_resumed() -> None:
    async def half(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()

    async def resumed(seat: Seat) -> None:
        assert (await seat.hello()).HasField("resume")
        await seat.starts()
        await seat.ends_match()

    async with telling(half, resumed) as server:
        stopped = await plays_at(server, Bot())
    assert stopped.why is Why.FINISHED and stopped.counts.reconnects == 1


async def test_a_seat_that_was_given_up_is_not_resumed() -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.notices("SEAT_GIVEN_UP", "three defaults in a row")
        await seat.breaks(grpc.StatusCode.UNAVAILABLE)

    async with telling(story) as server:
        stopped = await plays_at(server, Bot())
    assert (stopped.why, stopped.message) == (Why.GIVEN_UP, "three defaults in a row")


async def test_the_ladder_goes_on_after_a_seat_was_given_up() -> None:
    async def given_up(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.notices("SEAT_GIVEN_UP")
        await seat.ends_match(another_follows=True)
        await seat.starts("m2")
        await seat.ends_match()

    async with telling(given_up) as server:
        stopped = await plays_at(server, Bot(), Ladder(2))
    assert stopped.why is Why.FINISHED
    assert [result.given_up for result in stopped.results] == [True, False]


async def test_a_table_that_was_broken_off_ends_the_session() -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.notices("BROKEN_OFF", "the server failed")

    async with telling(story) as server:
        stopped = await plays_at(server, Bot())
    assert (stopped.why, stopped.message) == (Why.BROKEN_OFF, "the server failed")


async def test_a_server_that_shuts_down_is_waited_for() -> None:
    async def stopping(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.notices("SHUTTING_DOWN")

    async def back(seat: Seat) -> None:
        assert (await seat.hello()).HasField("resume")
        await seat.starts()
        await seat.ends_match()

    async with telling(stopping, back) as server:
        stopped = await plays_at(server, Bot())
    assert stopped.why is Why.FINISHED and stopped.counts.reconnects == 1


@pytest.mark.parametrize("code", ["NOT_FOUND", "INVALID_ARGUMENT", "PERMISSION_DENIED", "FAILED_PRECONDITION"])
async def test_a_bot_that_is_not_wanted_hears_why(code: str) -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.breaks(grpc.StatusCode[code], "there is no table t1")

    async with telling(story) as server:
        stopped = await plays_at(server, Bot())
    assert (stopped.why, stopped.message) == (Why.REJECTED, f"{code}: there is no table t1")


async def test_a_server_that_is_away_ends_the_patience() -> None:
    async with telling() as server:
        pass
    impatient = Limits(first_backoff=0.01, longest_backoff=0.05, patience=0.3)
    stopped = await plays_at(server, Bot(), limits=impatient)
    assert stopped.why is Why.UNREACHABLE and "UNAVAILABLE" in stopped.message
    assert stopped.counts.reconnects == 0


async def test_a_server_that_goes_away_in_the_middle_of_a_match_is_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    playing = asyncio.Event()

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        playing.set()
        await asyncio.Event().wait()

    impatient = Limits(first_backoff=0.01, longest_backoff=0.05, patience=0.5)
    async with telling(story) as server:
        session = asyncio.create_task(plays_at(server, Bot(), limits=impatient))
        await asyncio.wait_for(playing.wait(), 10)
        assert "no server answers" not in caplog.text
    stopped = await session
    assert stopped.why is Why.UNREACHABLE
    assert caplog.text.count(f"no server answers at {server.address}; start one with") == 1


async def test_a_server_that_never_answers_the_hello_is_left() -> None:
    async def silent(seat: Seat) -> None:
        await seat.hello()
        await asyncio.Event().wait()

    impatient = Limits(first_backoff=0.01, patience=0.1, first_word=0.2)
    async with telling(silent) as server:
        stopped = await plays_at(server, Bot(), limits=impatient)
    assert stopped.why is Why.UNREACHABLE and "hello" in stopped.message


async def test_a_half_open_connection_is_noticed_by_keep_alive() -> None:
    """The network swallows everything from one moment on, yet closes nothing."""
    swallowing = asyncio.Event()

    async def lost(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await seat.turn(1, plays("2S 3S"), "2S")
        assert await seat.answer() == (1, "3S")
        swallowing.set()
        await asyncio.Event().wait()

    async def resumed(seat: Seat) -> None:
        assert (await seat.hello()).HasField("resume")
        await seat.starts()
        await seat.ends_match()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, swallows: bool) -> None:
        while data := await reader.read(65536):
            if not (swallows and swallowing.is_set()):
                writer.write(data)

    connections = 0
    pumps: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        swallows = connections == 1
        host, port = server.address.split(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        pumps.add(asyncio.create_task(forward(reader, far_writer, swallows)))
        pumps.add(asyncio.create_task(forward(far_reader, writer, swallows)))

    async with telling(lost, resumed) as server:
        network = await asyncio.start_server(accept, "127.0.0.1", 0)
        address = "{}:{}".format(*network.sockets[0].getsockname())
        limits = Limits(keepalive=1.0, keepalive_timeout=0.5, first_backoff=0.01, longest_backoff=0.05)
        before = time.monotonic()
        [stopped] = await asyncio.wait_for(play(Highest, BOB, Table("t1"), server=address, limits=limits), 20)
        took = time.monotonic() - before
        network.close()
        for pump in pumps:
            pump.cancel()
    assert stopped.why is Why.FINISHED and stopped.counts.reconnects == 1
    assert took < 10, f"noticed and resumed within a few keep-alive intervals, not {took:.1f} s"


async def test_a_bot_that_leaves_says_so() -> None:
    leaving = asyncio.Event()

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        leaving.set()
        assert (await seat.reads()).WhichOneof("message") == "leave"

    async with telling(story) as server, open_channel(server.address, LIMITS) as channel:
        session = Session(channel, Bot(), BOB, Table("t1"), LIMITS)
        playing = asyncio.create_task(session.play())
        await leaving.wait()
        session.leave()
        stopped = await playing
    assert stopped.why is Why.LEFT and stopped.is_well


async def test_several_seats_share_a_connection() -> None:
    together = asyncio.Barrier(3)

    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        await asyncio.wait_for(together.wait(), 10)
        await seat.turn(1, calls(), "-", observation())
        assert await seat.answer() == (1, "-")
        await seat.ends_match()

    async with telling(story, story, story) as server:
        stopped = await play(Bot, BOB, Ladder(), server=server.address, seats=3, limits=LIMITS)
    assert [each.why for each in stopped] == [Why.FINISHED] * 3


async def test_a_default_that_the_table_made_is_counted() -> None:
    async def story(seat: Seat) -> None:
        await seat.hello()
        await seat.starts()
        made = [event_pb2.DefaultMade(seat=seat) for seat in (2, 3)]
        events = [event_pb2.Event(sequence=n, default_made=each) for n, each in enumerate(made, start=1)]
        await seat.says(events={"events": events})
        await seat.ends_match()

    async with telling(story) as server:
        stopped = await plays_at(server, Bot())
    assert stopped.counts == Counts(defaults=1)
