"""Lanes: the way to one Redis server, where commands travel together.

A lane also knows the *epoch*: a number for the history that the server tells of. Redis marks it by
its replication id, which is another one whenever a server starts, or a replica takes over: whenever
commits that somebody has seen may be lost. It is asked for with the first batch over a connection,
and again every second, for a server can become a replica and a primary once more meanwhile.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from hiredis import pack_command
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import InvalidResponse, MasterDownError, ReadOnlyError, RedisError

from hutch.store.contact import Contact
from hutch.store.lines import Line

Argument = str | bytes | int

#: Calls that travel together at most.
BATCH_MOST: Final = 512

_TIME: Final = pack_command(("TIME",))
_ASKING: Final = pack_command(("ASKING",))
_INFO: Final = pack_command(("INFO", "replication"))  # type: ignore[arg-type]
_HISTORY: Final = re.compile(rb"^master_replid:([0-9a-f]{13})", re.MULTILINE)
_EPOCH_S: Final = 1.0
#: What a server says that was the primary and is no more.
_DEMOTED: Final = (ReadOnlyError, MasterDownError)


class Call:
    """One command on its way, and the future its caller waits on."""

    __slots__ = (
        "arguments",
        "asking",
        "contact",
        "dated",
        "deadline",
        "future",
        "script",
        "sent",
        "shard",
        "timed",
    )

    def __init__(
        self,
        shard: int,
        arguments: tuple[Argument, ...],
        future: asyncio.Future[Any],
        deadline: float,
        contact: Contact,
        *,
        script: str = "",
        timed: bool = False,
        dated: bool = False,
    ) -> None:
        self.shard = shard
        self.arguments = arguments
        self.future = future
        #: The last moment, by the loop's clock, at which it is worth sending.
        self.deadline = deadline
        #: Is told how it went.
        self.contact = contact
        #: The text of the script, where the command runs one by its digest.
        self.script = script
        #: The reply comes with the server's time and the epoch: (ms, epoch, reply).
        self.timed = timed
        #: The reply comes with the epoch: (epoch, reply).
        self.dated = dated
        #: The slot is on the move: the server must be told that it is to serve the command.
        self.asking = False
        #: How often it was sent.
        self.sent = 0

    def settle(self, reply: Any) -> None:
        """Hand the caller its reply, unless it has gone away."""
        if self.contact.is_lost:
            self.contact.answered()
        if not self.future.done():
            self.future.set_result(reply)

    def fail(self, fault: BaseException) -> None:
        """Tell the caller what went wrong, unless it has gone away."""
        error = self.contact.noted(fault)
        if not self.future.done():
            self.future.set_exception(error)


class Lane:
    """The way to one server, one batch after another.

    Whatever is issued while a batch is under way travels with the next: the busier the server, the
    less each command costs, and the more commits share an fsync. A reply is handed out as soon as
    it comes: of a large batch the server answers the first calls while it carries out the others.

    `connect` makes a connection. `mishap` is told of calls that were not carried out, or of which
    nobody knows whether they were. A batch has `timeout_s` for its replies.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractConnection],
        mishap: Callable[[list[Call], Exception], None],
        *,
        timeout_s: float,
    ) -> None:
        self._connect = connect
        self._mishap = mishap
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._queue: list[Call] = []
        #: The batch that waits for a connection.
        self._stranded: list[Call] = []
        #: What replies are to come to: calls, and what takes the replies to our own commands.
        self._due: deque[Call | Callable[[Any], None]] = deque()
        self._patience: asyncio.TimerHandle | None = None
        self._line: Line | None = None
        self._opening: asyncio.Task[None] | None = None
        self._epoch = 0
        self._ask_epoch_at = 0.0
        #: Another server may be at the address by now, which only a new connection finds.
        self._is_demoted = False
        #: Why nobody knows of what epoch the replies are.
        self._undated: RedisError | None = None
        #: What the server last said to TIME.
        self._time: Any = (0, 0)
        self._scheduled = False
        self._quiet = asyncio.Event()
        self._quiet.set()

    def issue(self, call: Call) -> None:
        """Put a call in the batch that leaves next: when this tick of the loop ends, or later."""
        self._queue.append(call)
        if not self._scheduled and self._is_free():
            self._scheduled = True
            self._quiet.clear()
            self._loop.call_soon(self._launch)

    def is_busy(self) -> bool:
        """Whether anything is on its way."""
        return not self._quiet.is_set()

    async def drained(self) -> None:
        """Wait until nothing is on its way."""
        await self._quiet.wait()

    async def aclose(self) -> None:
        """Close the connection. Wait for `drained` first."""
        self._hang_up()

    # Batches

    def _is_free(self) -> bool:
        """Whether no batch is under way."""
        return not self._due and not self._stranded

    def _launch(self) -> None:
        """Send what has gathered."""
        self._scheduled = False
        waiting = self._queue[:BATCH_MOST]
        self._queue = self._queue[BATCH_MOST:]
        batch = self._still_wanted(waiting)
        if not batch:
            self._go_on()
            return
        for call in batch:
            call.sent += 1
        self._patience = self._loop.call_later(self._timeout_s, self._too_late)
        if self._line is None:
            self._stranded = batch
            self._opening = self._loop.create_task(self._open())
        else:
            self._send(self._line, batch)

    def _landed(self) -> None:
        """Nothing is under way any more, which makes room for the next batch."""
        assert self._patience is not None
        self._patience.cancel()
        if self._is_demoted:
            self._hang_up()
        self._go_on()

    def _go_on(self) -> None:
        if self._queue:
            self._launch()
        else:
            self._quiet.set()

    def _still_wanted(self, calls: list[Call]) -> list[Call]:
        """Those that somebody waits for, and that have not waited too long."""
        now = self._loop.time()
        late = [call for call in calls if call.deadline < now]
        for call in late:
            call.fail(TimeoutError("too much is waiting to be sent"))
        return [call for call in calls if call.sent or not call.future.done()]

    async def _open(self) -> None:
        try:
            line = await Line.open(self._connect(), self._answered, self._broken)
        except Exception as fault:
            self._broken(fault)
        else:
            self._opening, self._line = None, line
            batch, self._stranded = self._stranded, []
            self._send(line, batch)

    def _send(self, line: Line, batch: list[Call]) -> None:
        packed = []
        now = self._loop.time()
        if now >= self._ask_epoch_at:
            self._ask_epoch_at = now + _EPOCH_S
            packed.append(_INFO)
            self._due.append(self._learn_epoch)
        if any(call.timed for call in batch):
            packed.append(_TIME)
            self._due.append(self._learn_time)
        for call in batch:
            if call.asking:
                packed.append(_ASKING)
                self._due.append(_ignore)
            packed.append(pack_command(call.arguments))  # type: ignore[arg-type]
            self._due.append(call)
        line.send(b"".join(packed), len(packed))

    # Replies

    def _answered(self, reply: Any) -> None:
        """Hand a reply to whom it is for; a command that the server refused has the error for one.

        After the last of a batch the next leaves first: the server is to have it meanwhile.
        """
        one = self._due.popleft()
        if isinstance(reply, _DEMOTED):
            self._is_demoted = True
        if not self._due:
            self._landed()
        if not isinstance(one, Call):
            one(reply)
        elif isinstance(reply, Exception):
            self._mishap([one], reply)
        elif self._undated is not None:
            self._mishap([one], self._undated)
        elif not one.timed:
            one.settle((self._epoch, reply) if one.dated else reply)
        elif isinstance(self._time, Exception):
            self._mishap([one], self._time)
        else:
            one.settle((in_ms(self._time), self._epoch, reply))

    def _learn_epoch(self, reply: Any) -> None:
        try:
            self._epoch = _epoch(reply)
        except RedisError as fault:
            self._undated, self._ask_epoch_at = fault, 0.0
        else:
            self._undated = None

    def _learn_time(self, reply: Any) -> None:
        self._time = reply

    def _broken(self, fault: Exception) -> None:
        """What is under way will not be answered."""
        opening, self._opening = self._opening, None
        if opening is not None and opening is not asyncio.current_task():
            opening.cancel()
        self._hang_up()
        lost = [*self._stranded, *[one for one in self._due if isinstance(one, Call)]]
        if lost:
            self._stranded = []
            self._due.clear()
            self._landed()
            self._mishap(lost, fault)

    def _too_late(self) -> None:
        self._broken(TimeoutError("the server does not answer in time"))

    def _hang_up(self) -> None:
        line, self._line = self._line, None
        self._ask_epoch_at = 0.0
        self._undated = None
        self._is_demoted = False
        if line is not None:
            line.close()


def in_ms(time: Any) -> int:
    """A reply to TIME in milliseconds since 1970."""
    seconds, microseconds = time
    return int(seconds) * 1000 + int(microseconds) // 1000


def _epoch(reply: Any) -> int:
    """The epoch, from what the server says of its replication: 52 bits, which any program can hold
    in a number. Raises what the server refused with, or `InvalidResponse`."""
    if isinstance(reply, RedisError):
        raise reply
    if (found := _HISTORY.search(reply)) is None:
        raise InvalidResponse("the server does not tell its replication id")
    return int(found[1], 16)


def _ignore(reply: Any) -> None:
    """It is of no interest."""
