"""A server that follows a script: each connection gets the next story, and what bots send is checked by it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from grpc import aio

from mighty import Card, wire
from mighty.v1 import card_pb2, event_pb2, move_pb2, observation_pb2, table_service_pb2, table_service_pb2_grpc

WAIT = 10.0
"""How long a story waits for a bot before it fails."""

PROFILES = json.loads(
    (Path(__file__).resolve().parents[3] / "rules" / "data" / "profiles.json").read_text(encoding="utf-8")
)

Story = Callable[["Seat"], Awaitable[None]]


def cards(text: str) -> list[card_pb2.Card.ValueType]:
    """Cards of the wire: `AS 2C JK`."""
    return [card_pb2.Card.Value(f"CARD_{card}") for card in text.split()]


def plays(text: str) -> move_pb2.Choices:
    """Choices: these cards may be played."""
    return move_pb2.Choices(play=move_pb2.PlayChoices(cards=cards(text)), count=len(text.split()))


def calls(lowest: int = 13) -> move_pb2.Choices:
    """Choices: pass, or bid from so many points on, in any trump."""
    bids = [
        move_pb2.BidRange(trump=trump, from_points=lowest, to_points=20)
        for trump in card_pb2.Trump.values()
        if trump != card_pb2.TRUMP_UNSPECIFIED
    ]
    return move_pb2.Choices(call=move_pb2.CallChoices(bids=bids, may_pass=True), count=1 + 5 * (21 - lowest))


def observation(hand: str = "2S 3S", **known: Any) -> observation_pb2.Observation:  # noqa: ANN401
    """What seat 2 knows: its cards, and what else is given."""
    known.setdefault("stage", observation_pb2.Observation.STAGE_PLAY)
    return observation_pb2.Observation(
        seat=2,
        hand=event_pb2.HandStarted(hand=1, dealer=0, first_bidder=1),
        to_act=2,
        cards=cards(hand),
        cards_held=[10] * 5,
        round=event_pb2.AUCTION_ROUND_FIRST,
        friend=observation_pb2.FriendKnowledge(state=observation_pb2.FriendKnowledge.STATE_HIDDEN),
        totals_half_points=[0] * 5,
        **known,
    )


@dataclass
class Seat:
    """One stream, as a story sees it."""

    context: aio.ServicerContext[table_service_pb2.PlayRequest, table_service_pb2.PlayResponse]
    match_id: str = "m1"

    async def hello(self) -> table_service_pb2.Hello:
        """The first message of the bot."""
        request = await self.reads()
        assert request.WhichOneof("message") == "hello", f"the first message is a hello, not {request}"
        return request.hello

    async def reads(self) -> table_service_pb2.PlayRequest:
        """The next message of the bot."""
        request = await asyncio.wait_for(self.context.read(), WAIT)
        assert isinstance(request, table_service_pb2.PlayRequest), "the bot closed its side"
        return request

    async def answer(self) -> tuple[int, str]:
        """The next answer of the bot: the turn and the move."""
        request = await self.reads()
        assert request.WhichOneof("message") == "answer", f"an answer was due, not {request}"
        assert request.answer.match_id == self.match_id
        return request.answer.turn, request.answer.text

    async def says(self, **update: Any) -> None:  # noqa: ANN401
        """Sends an update."""
        await self.context.write(table_service_pb2.PlayResponse(update=table_service_pb2.Update(**update)))

    async def waits(self) -> None:
        await self.says(waiting=table_service_pb2.Waiting(reason="three seats are open", seats_open=3))

    async def starts(self, match_id: str = "m1", resume_token: str = "secret", profile: str = "ripper") -> None:
        """A match begins, or goes on."""
        self.match_id = match_id
        start = table_service_pb2.MatchStart(
            match_id=match_id,
            table_id="t1",
            seat=2,
            cut=cards("2S 3S 4S 5S AH"),
            commitment="00" * 32,
            resume_token=resume_token,
            refusals_allowed=3,
        )
        start.rules.profile = profile
        start.rules.json = json.dumps(PROFILES[profile], sort_keys=True)
        start.clock.bank.seconds = 60
        start.clock.increment.seconds = 2
        await self.says(match_start=start)

    async def turn(
        self,
        number: int,
        choices: move_pb2.Choices,
        default: str,
        seen: observation_pb2.Observation | None = None,
        events: tuple[event_pb2.Event, ...] = (),
    ) -> None:
        """It is the bot's turn."""
        turn = table_service_pb2.Turn(
            match_id=self.match_id,
            number=number,
            events=events,
            observation=seen or observation(),
            choices=choices,
            default_text=default,
        )
        turn.time_left.seconds = 62
        await self.says(turn=turn)

    async def accepts(self, turn: int, text: str) -> None:
        await self.says(accepted=table_service_pb2.AnswerAccepted(turn=turn, text=text))

    async def refuses(self, turn: int, reason: str, tries_left: int | None = None) -> None:
        """Refuses an answer; without `tries_left` it does not count."""
        refused = table_service_pb2.AnswerRefused(
            turn=turn,
            reason=table_service_pb2.RefusalReason.Value(f"REFUSAL_REASON_{reason}"),
            message=f"refused because of {reason}",
            tries_left=tries_left,
        )
        await self.says(refused=refused)

    async def notices(self, kind: str, message: str = "as the story says") -> None:
        number = table_service_pb2.ServerNotice.Kind.Value(f"KIND_{kind}")
        await self.says(notice=table_service_pb2.ServerNotice(kind=number, message=message))

    async def ends_match(self, another_follows: bool = False, sequence: int = 99) -> None:
        """The match is over: the bot at seat 2 wins with 7.5 points."""
        ended = event_pb2.MatchEnded(
            totals_half_points=[2, 4, 15, -8, 0], places=[3, 2, 1, 5, 4], seed=b"\x01" * 32, record_id="r1"
        )
        await self.says(
            match_over=table_service_pb2.MatchOver(
                match_id=self.match_id,
                events=[event_pb2.Event(sequence=sequence, match_ended=ended)],
                another_follows=another_follows,
            )
        )

    async def breaks(self, code: grpc.StatusCode, details: str = "as the story says") -> None:
        """The stream ends with an error."""
        await self.context.abort(code, details)


@dataclass
class FakeServer:
    """The server: its address, and the stories that are still to be told."""

    address: str = ""
    stories: list[Story] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)
    streams: int = 0


class _Tables(table_service_pb2_grpc.TableServiceServicer):
    def __init__(self, fake: FakeServer) -> None:
        self.fake = fake

    async def Play(  # type: ignore[override]
        self,
        request_iterator: object,
        context: aio.ServicerContext[table_service_pb2.PlayRequest, table_service_pb2.PlayResponse],
    ) -> None:
        self.fake.streams += 1
        if not self.fake.stories:
            self.fake.failures.append(AssertionError("the bot came back, but the story is told"))
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the story is told")
        story = self.fake.stories.pop(0)
        try:
            await story(Seat(context))
        except (AssertionError, TimeoutError) as failure:
            self.fake.failures.append(failure)
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"the story failed: {failure}")


@asynccontextmanager
async def telling(*stories: Story) -> AsyncIterator[FakeServer]:
    """A server that tells these stories, one for each stream; all must be told, and hold."""
    fake = FakeServer(stories=list(stories))
    server = aio.server()
    table_service_pb2_grpc.add_TableServiceServicer_to_server(_Tables(fake), server)  # type: ignore[abstract]
    fake.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield fake
    finally:
        await server.stop(None)
    for failure in fake.failures:
        raise failure
    assert not fake.stories, f"{len(fake.stories)} stories were never asked for"


async def whole_hand(seat: Seat) -> None:
    """Asks everything that a seat can be asked, once, and checks that each answer was offered."""
    stages = observation_pb2.Observation
    ripper = event_pb2.Contract(
        bid=card_pb2.Bid(points=14, trump=card_pb2.TRUMP_HEARTS),
        mighty=card_pb2.CARD_AS,
        calling_card=card_pb2.CARD_3C,
    )
    won = event_pb2.AuctionWon(declarer=2, bid=ripper.bid)
    ten, kitty = "AH KH QH JH 5H AC KC 7D 4D 2S", "3S TD 9C"
    thirteen = f"{ten} {kitty}"
    contract = move_pb2.ContractRange(
        range=move_pb2.BidRange(trump=card_pb2.TRUMP_HEARTS, from_points=14, to_points=15),
        calling_cards=cards("2C 3C"),
    )
    trick = observation_pb2.Trick(number=1, leader=2, joker_has_power=True)
    asked = [
        (
            "=",
            move_pb2.Choices(weak_hand=move_pb2.WeakHandChoices()),
            observation(ten, stage=stages.STAGE_AUCTION, asked_to_keep=True),
        ),
        ("-", calls(), observation(ten, stage=stages.STAGE_AUCTION)),
        (
            "d:2S3S4D",
            move_pb2.Choices(bury=move_pb2.BuryChoices(cards=cards(thirteen))),
            observation(thirteen, stage=stages.STAGE_EXCHANGE, won=won, kitty=cards(kitty)),
        ),
        (
            "=14H?2C",
            move_pb2.Choices(contract=move_pb2.ContractChoices(contracts=[contract])),
            observation(ten, stage=stages.STAGE_CONTRACT, won=won, buried=cards(kitty)),
        ),
        (
            "f:AS",
            move_pb2.Choices(friend=move_pb2.FriendChoices(card=True, nobody=True)),
            observation(ten, stage=stages.STAGE_FRIEND_CALL, won=won, buried=cards(kitty), contract=ripper),
        ),
        (
            "2S",
            plays(ten),
            observation(ten, won=won, buried=cards(kitty), contract=ripper, tricks=[trick]),
        ),
    ]
    await seat.hello()
    await seat.starts()
    for number, (default, choices, seen) in enumerate(asked, start=1):
        await seat.turn(number, choices, default, seen)
        offered = wire.choices(choices).moves()
        turn, move = await seat.answer()
        # The three cards of a burial may come in any order.
        is_burial = move.startswith("d:") and len(set(Card.many(move[2:])) & set(Card.many(thirteen))) == 3
        assert turn == number and (move in offered or is_burial), f"{move} was not offered: {offered}"
        await seat.accepts(number, move)
    await seat.ends_match()
