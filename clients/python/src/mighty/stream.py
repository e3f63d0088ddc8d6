"""The connection to a server, and one stream on it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import grpc
from grpc import aio

from .v1 import table_service_pb2
from .v1.table_service_pb2_grpc import TableServiceStub


@dataclass(frozen=True, slots=True)
class Limits:
    """Every wait of a session, in seconds."""

    keepalive: float = 10.0
    """After so long without a word the server is asked whether it lives."""
    keepalive_timeout: float = 5.0
    """If it says nothing for so long, the connection counts as lost."""
    first_word: float = 10.0
    """How long a new stream waits for the first word of the server."""
    first_backoff: float = 0.25
    """The longest first wait before a new stream; each further one is twice as long. Half of it is left to chance."""
    longest_backoff: float = 10.0
    patience: float = 300.0
    """The session stops after so long without a word of the server."""
    too_many_answers: float = 0.2
    """How long to wait before an answer that came too fast is sent again."""
    farewell: float = 5.0
    """How long a bot that leaves waits for the end of the stream."""


DEFAULT_LIMITS = Limits()


def open_channel(
    server: str, limits: Limits = DEFAULT_LIMITS, credentials: grpc.ChannelCredentials | None = None
) -> aio.Channel:
    """A connection to a server, for any number of seats.

    The server is `host:port` or `http://host:port`, in plain text where there are no credentials; `https://host:port`
    has those of the machine.
    """
    address, is_secure = read_server(server)
    if is_secure and credentials is None:
        credentials = grpc.ssl_channel_credentials()
    options = [
        ("grpc.keepalive_time_ms", int(limits.keepalive * 1000)),
        ("grpc.keepalive_timeout_ms", int(limits.keepalive_timeout * 1000)),
        # Without this one a server that answers no ping is noticed only after a minute, whatever the one above says.
        ("grpc.http2.ping_timeout_ms", int(limits.keepalive_timeout * 1000)),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        # The session waits by itself. The least wait of the channel is also the time that a handshake may take.
        ("grpc.initial_reconnect_backoff_ms", int(limits.first_backoff * 1000)),
        ("grpc.min_reconnect_backoff_ms", int(limits.keepalive_timeout * 1000)),
        ("grpc.max_reconnect_backoff_ms", int(limits.longest_backoff * 1000)),
    ]
    if credentials is None:
        return aio.insecure_channel(address, options)
    return aio.secure_channel(address, credentials, options)


def read_server(server: str) -> tuple[str, bool]:
    """The address `host:port` of a server, and whether it wants TLS; ValueError where it is none."""
    scheme, _, address = server.rpartition("://")
    host, _, port = address.rpartition(":")
    if scheme not in ("", "http", "https") or not host or not port.isdecimal():
        raise ValueError(f"{server!r} is no server: write host:port, http://host:port or https://host:port")
    return address, scheme == "https"


class Stream:
    """One `Play` stream."""

    def __init__(self, channel: aio.Channel) -> None:
        """Opens it; the first thing to send is a hello."""
        self._call = TableServiceStub(channel).Play()
        self._writing = asyncio.Lock()

    async def send(self, request: table_service_pb2.PlayRequest) -> None:
        """Sends a message. On a stream that has ended it is lost: `updates` tells how it ended."""
        async with self._writing:
            with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
                await self._call.write(request)

    async def updates(self) -> AsyncIterator[table_service_pb2.Update]:
        """What the server sends, to the end of the stream; raises AioRpcError when it does not end well."""
        # Unlike `read`, this goes on to the end after a message was written in vain.
        async for response in self._call:
            yield response.update

    def close(self) -> None:
        """Gives the stream up, whatever its state."""
        self._call.cancel()
