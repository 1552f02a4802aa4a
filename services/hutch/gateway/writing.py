"""Writing to a stream, for as long as its client reads."""

from __future__ import annotations

import asyncio

import grpc

from hutch.runtime import metrics
from hutch.wire.errors import Fault, Wrong

_RETRY_MS = 100


class Writing:
    """Writes to one stream, one message after another.

    A client that takes `slow_seconds` to make room for a message does not read. One timer runs for
    many messages: to start one for each takes as long as to write it.
    """

    def __init__(
        self, context: grpc.aio.ServicerContext[bytes, bytes], slow_seconds: float
    ) -> None:
        self._context = context
        self._slow_seconds = slow_seconds
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        #: Who writes just now, and since when.
        self._writer: asyncio.Task[object] | None = None
        self._since = 0.0
        self._is_slow = False

    async def write(self, data: bytes) -> None:
        """Write a message. Raises `Fault` SLOW_READER where the client does not read."""
        writer = self._writer = asyncio.current_task()
        assert writer is not None
        self._since = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._slow_seconds, self._look)
        try:
            await self._context.write(data)
        except asyncio.CancelledError:
            if not self._is_slow or writer.uncancel():
                raise  # or somebody else cancels it as well
            metrics.STREAM_CUTOFFS.labels(cause="slow").inc()
            raise Fault(
                Wrong.SLOW_READER,
                "Updates were not read in time; open the stream again with the last resume token.",
                retry_after_ms=_RETRY_MS,
            ) from None
        finally:
            self._writer = None

    def _look(self) -> None:
        """Whether somebody has been writing for too long."""
        self._timer = None
        if self._writer is None:
            return
        left = self._since + self._slow_seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
        else:
            self._is_slow = True
            self._writer.cancel()
