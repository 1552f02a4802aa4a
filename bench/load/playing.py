"""Playing: keeping so many actions under way, over unary calls or over streams.

Every answer sends the next action from within its callback; there are no tasks.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from itertools import cycle

from bench.load.http2 import Connection
from bench.load.seats import Acting, Echo, ScriptedTable, WatchedTable
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.framing import field

# Fields of `PlayRequest`.
_WATCH, _SUBMIT = 1, 2
#: What a `PlayResponse` to an action begins with, and how long the name is that it ends with.
_SUBMITTED = field(2, b"")[0]
_NAME_BYTES = len(f"tables/{'0' * 20}/seats/0")


class Load(ABC):
    """Keeps a server busy until `stop`, and counts what is `answered`.

    `starved` says that the stock of those who act ran out meanwhile.
    """

    def __init__(self) -> None:
        self.answered = 0
        self.starved = False
        self.stopping = False
        self.under_way = 0
        self._quiet = asyncio.Event()

    @abstractmethod
    def start(self) -> None:
        """Send the first actions."""

    async def stop(self) -> None:
        """Send no more, and wait for what is under way."""
        self.stopping = True
        async with asyncio.timeout(10):
            await self._quiet.wait()

    def give_up(self) -> None:
        """One of those under way has nothing more to do."""
        self.starved |= not self.stopping
        self.under_way -= 1
        if not self.under_way:
            self._quiet.set()


class UnaryLoad(Load):
    """A unary call for each action. One whose game is over makes room for the next."""

    def __init__(self, connection: Connection, stock: Sequence[Acting], concurrent: int) -> None:
        super().__init__()
        self._connection = connection
        self._stock = list(stock)
        self._concurrent = concurrent

    def start(self) -> None:
        """Send the first actions."""
        for _ in range(self._concurrent):
            self.under_way += 1
            self.act(self._stock.pop())

    def act(self, acting: Acting) -> None:
        """Send the next action, of this one or of a fresh one."""
        action = None if self.stopping else acting.action()
        if action is None and self._stock and not self.stopping:
            acting = self._stock.pop()
            action = acting.action()
        if action is None:
            self.give_up()
        else:
            self.send(acting, action)

    def send(self, acting: Acting, action: bytes) -> None:
        """Send an action."""
        self._connection.call(action, partial(self._answered, acting))

    def _answered(self, acting: Acting, response: bytes) -> None:
        self.answered += 1
        acting.hear(response)
        self.act(acting)


class EchoStreamLoad(UnaryLoad):
    """The same bytes over streams."""

    def __init__(self, connection: Connection, concurrent: int, streams: int) -> None:
        super().__init__(connection, [Echo()] * concurrent, concurrent)
        self._stream = connection
        self._streams = cycle([connection.open(self._echoed) for _ in range(streams)])

    def send(self, acting: Acting, action: bytes) -> None:
        """Send them."""
        self._stream.send(next(self._streams), action)

    def _echoed(self, response: bytes) -> None:
        self._answered(_ECHO, response)


class PlayLoad(UnaryLoad):
    """Actions over Play streams."""

    def __init__(
        self, connection: Connection, stock: Sequence[ScriptedTable], concurrent: int, streams: int
    ) -> None:
        super().__init__(connection, stock, concurrent)
        self._stream = connection
        self._streams = cycle([connection.open(self._told) for _ in range(streams)])
        #: By the seat whose action is under way.
        self._acting: dict[bytes, ScriptedTable] = {}

    def send(self, acting: Acting, action: bytes) -> None:
        """Send an action over the stream whose turn it is."""
        assert isinstance(acting, ScriptedTable)
        self._acting[acting.acting] = acting
        self._stream.send(next(self._streams), field(_SUBMIT, action))

    def _told(self, data: bytes) -> None:
        # What happened first, the seat's name last: more need not be read of what is expected.
        if data[0] != _SUBMITTED:
            refusal = service_pb.PlayResponse.FromString(data).refusal
            raise RuntimeError(f"an action was refused: {refusal.message}")
        self.answered += 1
        self.act(self._acting.pop(data[-_NAME_BYTES:]))


class TableLoad(Load):
    """Whole tables over Play streams: every seat is watched, and one acts once all know the last
    action."""

    def __init__(
        self, connection: Connection, stock: Sequence[WatchedTable], concurrent: int, streams: int
    ) -> None:
        super().__init__()
        self._connection = connection
        self._stock = list(stock)
        self._concurrent = concurrent
        self._streams = cycle([connection.open(self._told) for _ in range(streams)])
        self._tables: dict[str, tuple[WatchedTable, int]] = {}

    def start(self) -> None:
        """Watch the first tables."""
        for _ in range(self._concurrent):
            self.under_way += 1
            self._sit_down()

    def _sit_down(self) -> None:
        table, stream = self._stock.pop(), next(self._streams)
        for name in table.names:
            self._tables[name] = table, stream
            watch = service_pb.WatchTableRequest(name=name).SerializeToString()
            self._connection.send(stream, field(_WATCH, watch))

    def _told(self, data: bytes) -> None:
        response = service_pb.PlayResponse.FromString(data)
        match response.WhichOneof("response"):
            case "submitted":
                self.answered += 1
            case "update":
                table, stream = self._tables[response.name]
                if table.see(response.name, response.update):
                    self._act(table, stream)
            case _:
                raise RuntimeError(f"an action was refused: {response.refusal.message}")

    def _act(self, table: WatchedTable, stream: int) -> None:
        action = None if self.stopping else table.action()
        if action is not None:
            self._connection.send(stream, field(_SUBMIT, action))
        elif self._stock and not self.stopping:
            self._sit_down()
        else:
            self.give_up()


_ECHO = Echo()
