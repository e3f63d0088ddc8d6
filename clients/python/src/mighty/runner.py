"""Runs a bot at one seat or at several, with asyncio or without knowing of it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import Callable, Iterator
from typing import TypeAlias

import grpc
from grpc import aio

from .bot import Bot
from .place import Identity, Place
from .session import Session
from .stopped import Stopped
from .stream import DEFAULT_LIMITS, Limits, open_channel

log = logging.getLogger("mighty")

DEFAULT_SERVER = "127.0.0.1:7435"

MakeBot: TypeAlias = Callable[[], Bot]
"""What makes a bot for a seat: a class of bots, usually."""


def run(
    make_bot: MakeBot,
    identity: Identity,
    place: Place,
    *,
    server: str = DEFAULT_SERVER,
    seats: int = 1,
    limits: Limits = DEFAULT_LIMITS,
    credentials: grpc.ChannelCredentials | None = None,
) -> list[Stopped]:
    """Plays to the end, and says for each seat how it ended. Ctrl-C leaves, a second one breaks off.

    Where an event loop is running already, as in a notebook, use `await play(...)`. The logger `mighty` tells what it
    waits for, on stderr where logging is not configured: `logging.getLogger("mighty").setLevel("ERROR")` silences it.
    """
    return asyncio.run(
        play(make_bot, identity, place, server=server, seats=seats, limits=limits, credentials=credentials)
    )


async def play(
    make_bot: MakeBot,
    identity: Identity,
    place: Place,
    *,
    server: str = DEFAULT_SERVER,
    seats: int = 1,
    limits: Limits = DEFAULT_LIMITS,
    credentials: grpc.ChannelCredentials | None = None,
) -> list[Stopped]:
    """As `run`, for those who have an event loop. Each seat has its own bot and stream; all share one connection."""
    async with open_channel(server, limits, credentials) as channel:
        sessions = [Session(channel, make_bot(), identity, place, limits) for _ in range(seats)]
        with _leaving_on_signals(sessions), _telling_of_absence(channel, server, sessions):
            return await asyncio.gather(*(session.play() for session in sessions))


@contextlib.contextmanager
def _leaving_on_signals(sessions: list[Session]) -> Iterator[None]:
    """The first signal to stop lets every session leave; the next is handled as ever."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def leave() -> None:
        stop_listening()
        for session in sessions:
            session.leave()

    def stop_listening() -> None:
        for each in signals:
            loop.remove_signal_handler(each)

    try:
        for each in signals:
            loop.add_signal_handler(each, leave)
    except (NotImplementedError, RuntimeError, ValueError):
        # There are no such handlers on Windows, nor outside the main thread.
        yield
        return
    try:
        yield
    finally:
        stop_listening()


@contextlib.contextmanager
def _telling_of_absence(channel: aio.Channel, server: str, sessions: list[Session]) -> Iterator[None]:
    """Says when the server does not answer: once for all seats, and again only when it had answered in between."""

    async def watch() -> None:
        is_told = False
        while True:
            state = channel.get_state()
            if state is grpc.ChannelConnectivity.READY:
                is_told = False
            elif state is grpc.ChannelConnectivity.TRANSIENT_FAILURE and not is_told:
                is_told = True
                patience = max(session.patience_left for session in sessions)
                log.warning(
                    "no server answers at %s; start one with `make ladder` or `mighty-server`; trying again until %s",
                    server,
                    time.strftime("%H:%M:%S", time.localtime(time.time() + patience)),
                )
            await channel.wait_for_state_change(state)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
