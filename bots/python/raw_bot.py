"""A whole bot without the SDK: gRPC and the generated stubs, nothing else.

It plays one match of the ladder and any legal move, and does not come back when the connection is lost. It shows what
the wire asks of a bot in any language:

    python raw_bot.py 127.0.0.1:7435 bob

The stubs `mighty.v1` come with the package mighty-bots, or from `python -m grpc_tools.protoc` over `proto/`.
"""

import queue
import random
import sys
from collections.abc import Iterator

import grpc

from mighty.v1 import card_pb2, move_pb2, table_service_pb2, table_service_pb2_grpc


class Requests:
    """What the bot sends: an iterator that gRPC reads for as long as the stream is open."""

    def __init__(self) -> None:
        """Nothing is to be sent yet."""
        self._waiting: queue.SimpleQueue[table_service_pb2.PlayRequest] = queue.SimpleQueue()

    def send(self, request: table_service_pb2.PlayRequest) -> None:
        """Sends a message."""
        self._waiting.put(request)

    def __iter__(self) -> Iterator[table_service_pb2.PlayRequest]:
        # It never ends, since the end of it would say "no more answers".
        while True:
            yield self._waiting.get()


def play(server: str, name: str) -> None:
    """Plays one match of the ladder."""
    requests = Requests()
    hello = table_service_pb2.Hello(name=name, ladder=table_service_pb2.LadderPlace(matches=1))
    requests.send(table_service_pb2.PlayRequest(hello=hello))
    options = [
        ("grpc.keepalive_time_ms", 10_000),
        ("grpc.keepalive_timeout_ms", 5_000),
        ("grpc.http2.ping_timeout_ms", 5_000),
    ]
    with grpc.insecure_channel(server, options) as channel:
        for response in table_service_pb2_grpc.TableServiceStub(channel).Play(iter(requests)):
            update = response.update
            kind = update.WhichOneof("kind")
            if kind == "waiting":
                print("waiting:", update.waiting.reason)
            elif kind == "match_start":
                print("playing seat", update.match_start.seat, "of match", update.match_start.match_id)
            elif kind == "turn":
                turn = update.turn
                move = choose(turn.choices, turn.default_move)
                answer = table_service_pb2.Answer(match_id=turn.match_id, turn=turn.number, structured=move)
                requests.send(table_service_pb2.PlayRequest(answer=answer))
            elif kind == "refused":
                # Nothing has changed: the turn may be answered otherwise, or left to the default.
                print("refused:", update.refused.message)
            elif kind == "match_over":
                for event in update.match_over.events:
                    if event.HasField("match_ended"):
                        print("totals:", [half / 2 for half in event.match_ended.totals_half_points])


def choose(choices: move_pb2.Choices, default: move_pb2.Move) -> move_pb2.Move:
    """Any legal move, yet mostly a pass; the default where that is simpler."""
    kind = choices.WhichOneof("kind")
    if kind == "call":
        return call(choices.call)
    if kind == "bury":
        return move_pb2.Move(bury=move_pb2.Bury(cards=random.sample(choices.bury.cards, 3)))
    if kind == "play":
        return move_pb2.Move(play=play_card(choices.play))
    return default


def call(choices: move_pb2.CallChoices) -> move_pb2.Move:
    """Passes four times in five, and else makes one of the lowest bids."""
    if choices.may_pass and (not choices.bids or random.random() < 0.8):
        return move_pb2.Move(passing=move_pb2.Pass())
    bids = random.choice(choices.bids)
    return move_pb2.Move(bid=card_pb2.Bid(points=bids.from_points, trump=bids.trump))


def play_card(choices: move_pb2.PlayChoices) -> move_pb2.Play:
    """Any legal card; a joker that must name a suit names any."""
    card = random.choice(choices.cards)
    if card == card_pb2.CARD_JK and choices.joker_suits:
        suit = random.choice(choices.joker_suits)
        return move_pb2.Play(card=card, says=move_pb2.Play.SAYS_NAMES_SUIT, named_suit=suit)
    return move_pb2.Play(card=card)


if __name__ == "__main__":
    try:
        play(*sys.argv[1:3])
    except grpc.RpcError as error:
        sys.exit(f"the stream ended: {error.code().name}, {error.details()}")
