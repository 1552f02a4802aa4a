"""Lines: a connection to a Redis server over which batches of commands are answered one by one.

redis-py connects, for it knows of users, databases and TLS. Then the line takes the socket over and
reads the replies itself, which costs a fraction: a commit spends more time in Python's way to
Redis and back than in Redis.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, Self

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import InvalidResponse

_NOTHING_YET: Final = object()


class Line(asyncio.Protocol):
    """An open connection. `answered` gets one reply after another, errors among them; `broken` is
    told once that no more will come."""

    def __init__(
        self,
        connection: AbstractConnection,
        answered: Callable[[Any], None],
        broken: Callable[[Exception], None],
    ) -> None:
        self._answered = answered
        self._broken = broken
        self._wanted = 0
        self._reader = hiredis.Reader(
            protocolError=InvalidResponse,
            replyError=connection._parser.parse_error,
            notEnoughData=_NOTHING_YET,
        )
        # The streams are kept, for one that is forgotten closes its socket.
        self._streams = connection._reader, connection._writer
        connection._reader = connection._writer = None
        _, writer = self._streams
        assert writer is not None
        self._transport = writer.transport
        self._transport.set_protocol(self)

    @classmethod
    async def open(
        cls,
        connection: AbstractConnection,
        answered: Callable[[Any], None],
        broken: Callable[[Exception], None],
    ) -> Self:
        """Connect, and take the connection over. Raises what redis-py raises."""
        await connection.connect()  # type: ignore[no-untyped-call]
        return cls(connection, answered, broken)

    def send(self, commands: bytes, replies: int) -> None:
        """Send packed commands that `replies` replies will come to."""
        self._wanted += replies
        if self._transport.is_closing():
            self._hang_up(ConnectionResetError("the server has closed the connection"))
        else:
            self._transport.write(commands)

    def close(self) -> None:
        """Close the connection; nobody is told."""
        self._broken = _tell_nobody
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Hand out what came."""
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not _NOTHING_YET:
                if not self._wanted:
                    raise InvalidResponse("the server answered what nobody asked")
                self._wanted -= 1
                self._answered(reply)
        except Exception as fault:  # whose reply is next would be a guess
            self._hang_up(fault)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell that nothing more will come."""
        self._hang_up(exc or ConnectionResetError("the server closed the connection"))

    def _hang_up(self, fault: Exception) -> None:
        broken = self._broken
        self.close()
        broken(fault)


def _tell_nobody(fault: Exception) -> None:
    """Nothing is left that could break."""
