"""A throng: players who cost next to nothing, so many actions a second over whichever gateways are
there, and who move on from one that goes away, as the SDK does.

They speak HTTP/2 by themselves and play games that were made up beforehand, see `bench.load`.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from random import Random
from time import perf_counter
from typing import Final

from bench.load.http2 import CallFailed, Connection, connect
from bench.load.seats import ScriptedTable
from bench.load.tables import deal_tables
from hutch.store.store import Store
from hutch.v1 import table_service_pb2 as service_pb
from hutch.wire.errors import Wrong
from hutch.wire.framing import field
from tests.oracle import judge

_PATH: Final = "/hutch.v1.TableService/Play"
_STREAMS: Final = 8
_RECONNECT_SECONDS: Final = 0.05
_TICK_SECONDS: Final = 0.002
#: Whoever has no answer after so long never gets one.
PATIENCE_SECONDS: Final = 60.0
# Of `PlayRequest`, and what a `PlayResponse` begins with.
_SUBMIT: Final = 2
_UPDATE, _SUBMITTED = field(1, b"")[0], field(2, b"")[0]
_NAME_BYTES: Final = len(f"tables/{'0' * 20}/seats/0")
#: Said in passing, and no fault: the same request is to be sent again.
_TRY_AGAIN: Final = {Wrong.BUSY, Wrong.OVERLOADED}


class _Player:
    """A table of which one player has every seat, with one action under way at most."""

    __slots__ = ("action", "line", "sent", "table", "table_id")

    def __init__(self, table: ScriptedTable, table_id: str) -> None:
        self.table = table
        self.table_id = table_id
        self.action = table.action()
        self.line: _Line | None = None
        self.sent = 0.0


class _Line:
    """The way to one gateway: open again as often as it comes back."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.connection: Connection | None = None
        self.streams: deque[int] = deque()


class Throng:
    """Players at so many tables. `acknowledged` by table; `seconds` that each answer took, with all
    its tries; `again` by what was the matter, how often an action was sent once more; `refused`,
    what nobody may be told."""

    def __init__(self, addresses: Sequence[str], token: str) -> None:
        self.acknowledged: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.again: Counter[str] = Counter()
        self.refused: list[str] = []
        self._token = token
        self._lines = [_Line(address) for address in addresses]
        self._idle: deque[_Player] = deque()
        self._stock: list[_Player] = []
        #: Of those with an action under way: whose is at a gateway, and whose waits for one.
        self._busy: dict[bytes, _Player] = {}
        self._stranded: deque[_Player] = deque()
        self._under_way = 0
        self._next_line = 0
        self._keeping: list[asyncio.Task[None]] = []

    async def gather(self, redis_url: str, player: str, tables: int, at_once: int) -> None:
        """Deal that many tables to that player, of which so many are played at once."""
        rng = Random(1)
        for dealt in await deal_tables(redis_url, player, tables, ruleset="rabbit-space", seats=4):
            self._stock.append(_Player(ScriptedTable(dealt, rng), dealt.table_id))
        for _ in range(min(at_once, tables)):
            self._idle.append(self._stock.pop())
        self._keeping = [asyncio.create_task(self._keep(line)) for line in self._lines]

    async def come(self, per_second: float, enough: asyncio.Event) -> None:
        """Send so many actions a second, or as many as there are players without one under way,
        until it is enough and all are answered."""
        began, sent = perf_counter(), 0
        while not enough.is_set():
            due = int(per_second * (perf_counter() - began))
            while sent < due and self._send_next():
                sent += 1
            sent = due
            await asyncio.sleep(_TICK_SECONDS)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self._under_way:
                await asyncio.sleep(_TICK_SECONDS)
        for task in self._keeping:
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)

    async def faults(self, redis_url: str) -> list[str]:
        """What the oracle finds at their tables, and what they were refused."""
        faults = list(self.refused)
        async with await Store.open(redis_url) as store:
            for table_id, acknowledged in self.acknowledged.items():
                verdict = await judge(store, table_id)
                faults += [f"{table_id}: {one}" for one in verdict.faults]
                if verdict.turns != acknowledged:
                    faults.append(
                        f"{table_id}: {acknowledged} were acknowledged, {verdict.turns} are stored"
                    )
        return faults

    async def _keep(self, line: _Line) -> None:
        """Keep a line open; what was under way on one that broke goes over another."""
        while True:
            with suppress(OSError):
                connection = await connect(line.address, _PATH, self._token)
                hear = partial(self._hear, line, connection)
                line.streams = deque(connection.open(hear) for _ in range(_STREAMS))
                line.connection = connection
                self._send_stranded()
                try:
                    with suppress(CallFailed):
                        await connection.failure()
                finally:
                    connection.close()
                    if line.connection is connection:
                        line.connection = None
                self._strand([one for one in self._busy.values() if one.line is line])
            await asyncio.sleep(_RECONNECT_SECONDS)

    def _strand(self, players: Sequence[_Player]) -> None:
        for player in players:
            del self._busy[player.table.acting]
            self.again["the gateway went away"] += 1
            self._stranded.append(player)
        self._send_stranded()

    def _send_stranded(self) -> None:
        while self._stranded and (line := self._open_line()) is not None:
            self._send(self._stranded.popleft(), line)

    def _send_next(self) -> bool:
        if not self._idle or (line := self._open_line()) is None:
            return False
        player = self._idle.popleft()
        player.sent = perf_counter()
        self._under_way += 1
        self._send(player, line)
        return True

    def _open_line(self) -> _Line | None:
        for _ in self._lines:
            self._next_line = (self._next_line + 1) % len(self._lines)
            if (line := self._lines[self._next_line]).connection is not None:
                return line
        return None

    def _send(self, player: _Player, line: _Line) -> None:
        assert player.action is not None
        assert line.connection is not None
        player.line = line
        self._busy[player.table.acting] = player
        line.streams.rotate()
        line.connection.send(line.streams[0], field(_SUBMIT, player.action))

    def _hear(self, line: _Line, connection: Connection, data: bytes) -> None:
        if data[0] == _UPDATE:  # nothing is watched: this says that the gateway is about to go
            if line.connection is connection:
                line.connection = None
            return
        player = self._busy.get(data[-_NAME_BYTES:])
        if data[0] != _SUBMITTED:
            self._take_refusal(service_pb.PlayResponse.FromString(data))
        elif player is not None and player.line is line:
            self._take_answer(player)

    def _take_answer(self, player: _Player) -> None:
        del self._busy[player.table.acting]
        self._under_way -= 1
        self.seconds.append(perf_counter() - player.sent)
        self.acknowledged[player.table_id] += 1
        player.action = player.table.action()
        if player.action is not None:
            self._idle.append(player)
        elif self._stock:
            self._idle.append(self._stock.pop())

    def _take_refusal(self, response: service_pb.PlayResponse) -> None:
        refusal = response.refusal
        player = self._busy.pop(response.name.encode(), None)
        if player is None:
            return
        if refusal.reason in _TRY_AGAIN:
            self.again[refusal.reason] += 1
            wait_seconds = int(refusal.metadata["retry_after_ms"]) / 1000
            asyncio.get_running_loop().call_later(wait_seconds, self._try_again, player)
        else:
            self._under_way -= 1
            self.refused.append(f"{response.name}: {refusal.reason}: {refusal.message}")

    def _try_again(self, player: _Player) -> None:
        self._stranded.append(player)
        self._send_stranded()
