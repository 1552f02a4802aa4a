"""Lanes: the way to one Redis server, where all commands of one tick travel together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from hiredis import pack_command
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from hutch.store.errors import translated

Argument = str | bytes | int

_TIME: Final = pack_command(("TIME",))
_ASKING: Final = pack_command(("ASKING",))


class Call:
    """One command on its way, and the future its caller waits on."""

    __slots__ = ("arguments", "asking", "deadline", "future", "script", "sent", "shard", "timed")

    def __init__(
        self,
        shard: int,
        arguments: tuple[Argument, ...],
        future: asyncio.Future[Any],
        deadline: float,
        *,
        script: str = "",
        timed: bool = False,
    ) -> None:
        self.shard = shard
        self.arguments = arguments
        self.future = future
        #: The last moment, by the loop's clock, at which it is worth sending.
        self.deadline = deadline
        #: The text of the script, where the command runs one by its digest.
        self.script = script
        #: The reply comes with the server's time: (ms, reply).
        self.timed = timed
        #: The slot is on the move: the server must be told that it is to serve the command.
        self.asking = False
        #: How often it was sent.
        self.sent = 0

    def settle(self, reply: Any) -> None:
        """Hand the caller its reply, unless it has gone away."""
        if not self.future.done():
            self.future.set_result(reply)

    def fail(self, fault: BaseException) -> None:
        """Tell the caller what went wrong, unless it has gone away."""
        if not self.future.done():
            self.future.set_exception(translated(fault))


class Lane:
    """The way to one server.

    `open_line` makes a connection. `mishap` is told of calls that were not carried out, or of which
    nobody knows whether they were. At most `batches` are under way at once, each on a connection of
    its own, each of at most `batch_limit` calls, and each for at most `timeout_s`.
    """

    def __init__(
        self,
        open_line: Callable[[], AbstractConnection],
        mishap: Callable[[list[Call], Exception], None],
        *,
        batches: int,
        batch_limit: int,
        timeout_s: float,
    ) -> None:
        self._open_line = open_line
        self._mishap = mishap
        self._batches = batches
        self._batch_limit = batch_limit
        self._timeout_s = timeout_s
        self._queue: list[Call] = []
        self._idle: list[AbstractConnection] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._scheduled = False

    def issue(self, call: Call) -> None:
        """Put a call in the batch that leaves at the end of this tick of the loop."""
        self._queue.append(call)
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._launch)

    def is_busy(self) -> bool:
        """Whether anything is on its way."""
        return bool(self._queue or self._under_way)

    async def drained(self) -> None:
        """Wait until nothing is on its way."""
        while self.is_busy():
            await asyncio.sleep(0)
            if self._under_way:
                await asyncio.wait(self._under_way)

    async def aclose(self) -> None:
        """Close the connections. Wait for `drained` first."""
        while self._idle:
            await self._idle.pop().disconnect()

    def _launch(self) -> None:
        self._scheduled = False
        while self._queue and len(self._under_way) < self._batches:
            waiting, self._queue = (
                self._queue[: self._batch_limit],
                self._queue[self._batch_limit :],
            )
            batch = self._still_wanted(waiting)
            if not batch:
                continue
            task = asyncio.get_running_loop().create_task(self._carry(batch))
            self._under_way.add(task)
            task.add_done_callback(self._arrived)

    def _still_wanted(self, calls: list[Call]) -> list[Call]:
        """Those that somebody waits for, and that have not waited too long."""
        now = asyncio.get_running_loop().time()
        late = [call for call in calls if call.deadline < now]
        for call in late:
            call.fail(TimeoutError("too much is waiting to be sent"))
        return [call for call in calls if call.sent or not call.future.done()]

    def _arrived(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if self._queue and not self._scheduled:
            self._launch()

    async def _carry(self, batch: list[Call]) -> None:
        for call in batch:
            call.sent += 1
        try:
            replies = await self._exchange(batch)
        except Exception as fault:
            self._mishap(batch, fault)
            return
        except BaseException as fault:  # the loop is being torn down
            for call in batch:
                call.fail(fault)
            raise
        for call, reply in zip(batch, replies, strict=True):
            if isinstance(reply, Exception):
                self._mishap([call], reply)
            else:
                call.settle(reply)

    async def _exchange(self, batch: list[Call]) -> list[Any]:
        """The replies to a batch; a command that the server refused has the error for a reply."""
        timed = any(call.timed for call in batch)
        packed = [_TIME] if timed else []
        for call in batch:
            if call.asking:
                packed.append(_ASKING)
            packed.append(pack_command(call.arguments))  # type: ignore[arg-type]
        connection = self._idle.pop() if self._idle else self._open_line()
        try:
            async with asyncio.timeout(self._timeout_s):
                await connection.send_packed_command(b"".join(packed), check_health=False)
                now_ms = in_ms(await connection.read_response()) if timed else 0
                replies = []
                for call in batch:
                    if call.asking:
                        await connection.read_response()
                    reply = await _reply(connection)
                    if call.timed and not isinstance(reply, Exception):
                        reply = (now_ms, reply)
                    replies.append(reply)
        except BaseException:
            # What may still come over this line belongs to nobody. The idle ones may have met the
            # same fate, and each would cost another try to find out.
            for line in (connection, *self._idle):
                with suppress(Exception):
                    await line.disconnect(nowait=True)
            self._idle.clear()
            raise
        self._idle.append(connection)
        return replies


def in_ms(time: Any) -> int:
    """A reply to TIME in milliseconds since 1970."""
    seconds, microseconds = time
    return int(seconds) * 1000 + int(microseconds) // 1000


async def _reply(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response(disconnect_on_error=False)
    except ResponseError as refusal:
        return refusal
