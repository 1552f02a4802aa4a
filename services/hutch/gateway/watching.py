"""Watching: a table's updates as one seat, or the public, may see them."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, nullcontext
from zlib import crc32

from msgspec import Struct

from hutch.callers.caller import PLAYS, Caller
from hutch.gateway.feeds import Feed, Feeds
from hutch.gateway.quotas import Quotas
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.store.commits import LogEntry, Stored
from hutch.turns.attendance import require_seat
from hutch.turns.table_meta import TableMeta, table_message
from hutch.turns.telling import REWOUND, TABLE, batch_of
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong, refusal_fault
from hutch.wire.framing import field, number_field
from hutch.wire.names import TableName

#: Further behind than this, a watcher gets a fresh view instead of everything in between.
LAG_REVISIONS = 500

# Fields of `WatchTableResponse`.
_SNAPSHOT, _BATCH, _TABLE, _RESUME_TOKEN = 1, 2, 3, 6
# A field of `Table`.
_EPOCH = 6
HEARTBEAT = field(4, b"")
GOING_AWAY = field(5, b"")
_TOKEN = struct.Struct(">BIQQ")
_TOKEN_VERSION = 2
_CROWDED_MS = 5_000


class Cursor(Struct, frozen=True):
    """Where a watcher is: all up to `revision` is known. `mark` tells what is watched."""

    mark: int
    epoch: int
    revision: int

    def token(self) -> bytes:
        """As clients keep it."""
        return _TOKEN.pack(_TOKEN_VERSION, self.mark, self.epoch, self.revision)


def cursor_at(name: TableName, stored: Stored) -> Cursor:
    """Of a watcher who knows all that is stored."""
    return Cursor(_mark(name), stored.epoch, stored.revision)


def parse_cursor(token: bytes, name: TableName) -> Cursor:
    """A resume token. Raises `Fault` RESUME_TOKEN_INVALID, for that of another table or seat too:
    its watcher knows nothing of this one."""
    try:
        version, mark, epoch, revision = _TOKEN.unpack(token)
    except struct.error:
        version = mark = epoch = revision = 0
    if version != _TOKEN_VERSION or mark != _mark(name):
        raise Fault(
            Wrong.RESUME_TOKEN_INVALID,
            f"The resume token is none of {name}; watch again without one.",
        )
    return Cursor(mark, epoch, revision)


def _mark(name: TableName) -> int:
    return crc32(str(name).encode())


class Watching:
    """Opens watches. `stopping` is set when the server is about to stop."""

    def __init__(
        self,
        path: TurnPath,
        feeds: Feeds,
        quotas: Quotas,
        *,
        heartbeat_seconds: float,
        spectators: int,
    ) -> None:
        self._path = path
        self._quotas = quotas
        self._spectators = spectators
        self._feeds = feeds
        self._heartbeat = heartbeat_seconds
        self.stopping = asyncio.Event()

    async def view(self, name: TableName, caller: Caller) -> pb.View:
        """What a seat of that player, or the public, may see now."""
        stored, meta = await self._path.load(name.table_id)
        self.allow(meta, name, caller)
        return await self._view(name, stored, meta)

    async def updates(self, name: TableName, caller: Caller, token: bytes) -> AsyncIterator[bytes]:
        """`WatchTableResponse` messages, until the game is over or the server stops."""
        cursor = parse_cursor(token, name) if token else None
        async with self._counted(name):
            async for update in self._updates(name, caller, cursor):
                yield update

    async def _updates(
        self, name: TableName, caller: Caller, cursor: Cursor | None
    ) -> AsyncIterator[bytes]:
        async with self._feeds.watched(name.table_id) as feed:
            stored, meta = await self._path.load(name.table_id)
            self.allow(meta, name, caller)
            feed.exists(stored.epoch, stored.revision)
            over = meta.is_over
            resumes = (
                cursor is not None
                and cursor.epoch == stored.epoch
                and stored.revision - LAG_REVISIONS <= cursor.revision <= stored.revision
                # After the last revision nothing comes any more that would tell of the end.
                and not (over and cursor.revision == stored.revision)
            )
            if cursor is None or not resumes:
                cursor = cursor_at(name, stored)
                yield await self._snapshot(name, stored, meta)
                if over:
                    return
            async for update in self._follow(name, caller, feed, cursor):
                yield update

    def allow(self, meta: TableMeta, name: TableName, caller: Caller) -> None:
        """A seat's view is its player's alone, with a token to play; the public's is everybody's.
        Raises `Fault`."""
        if name.seat is not None:
            caller.require(PLAYS)
            require_seat(meta, name.seat, caller.player)

    def _counted(self, name: TableName) -> AbstractAsyncContextManager[None]:
        """Count who watches the public's view: many are as much work as many moves. Seats are few.
        Raises `Fault` TOO_MANY_SPECTATORS."""
        if name.seat is not None:
            return nullcontext()
        return self._quotas.one("spectators", name.table_id, self._spectators, self._crowded)

    def _crowded(self) -> Fault:
        return Fault(
            Wrong.TOO_MANY_SPECTATORS,
            f"{self._spectators} watch this table already; try again later.",
            retry_after_ms=_CROWDED_MS,
        )

    async def _follow(
        self, name: TableName, caller: Caller, feed: Feed, cursor: Cursor
    ) -> AsyncIterator[bytes]:
        while not self.stopping.is_set():
            entries = await feed.after(cursor.epoch, cursor.revision, self._heartbeat)
            if self.stopping.is_set():
                break
            if entries is None:
                cursor, update = await self._afresh(name, caller)
                feed.exists(cursor.epoch, cursor.revision)
                yield update
                continue
            if not entries:
                yield HEARTBEAT + field(_RESUME_TOKEN, cursor.token())
                continue
            first = entries[0].revision
            if first != cursor.revision + 1 or first + LAG_REVISIONS < entries[-1].revision:
                cursor, update = await self._afresh(name, caller)
                yield update
                continue
            for entry in entries:
                before, cursor = cursor, Cursor(cursor.mark, cursor.epoch, entry.revision)
                if REWOUND in entry.fields:
                    cursor, update = await self._afresh(name, caller)
                    yield update
                    break
                if name.seat is not None and TABLE in entry.fields:
                    # Given up, the seat may be somebody else's by now, with a hand of their own.
                    _, meta = await self._path.load(name.table_id)
                    self.allow(meta, name, caller)
                for update in _told(entry, name.seat, before, cursor):
                    yield update
                if _is_last(entry):
                    return
        yield GOING_AWAY + field(_RESUME_TOKEN, cursor.token())

    async def _afresh(self, name: TableName, caller: Caller) -> tuple[Cursor, bytes]:
        stored, meta = await self._path.load(name.table_id)
        self.allow(meta, name, caller)
        return cursor_at(name, stored), await self._snapshot(name, stored, meta)

    async def _snapshot(self, name: TableName, stored: Stored, meta: TableMeta) -> bytes:
        view = await self._view(name, stored, meta)
        token = cursor_at(name, stored).token()
        return field(_SNAPSHOT, view.SerializeToString()) + field(_RESUME_TOKEN, token)

    async def _view(self, name: TableName, stored: Stored, meta: TableMeta) -> pb.View:
        if stored.record is None:
            view = pb.View()
            view.view_time.FromMilliseconds(stored.now_ms)
        else:
            request = rules_pb.RenderRequest(
                record=stored.record,
                seat=-1 if name.seat is None else name.seat,
                at_ms=stored.now_ms,
            )
            response = await self._path.rules.render(request)
            if response.HasField("refusal"):
                raise refusal_fault(response.refusal)
            view = response.view
        view.revision = stored.revision
        view.epoch = stored.epoch
        view.table.CopyFrom(table_message(name.table_id, meta, stored.revision, stored.epoch))
        return view


def _told(entry: LogEntry, seat: int | None, before: Cursor, cursor: Cursor) -> list[bytes]:
    """An entry as updates. A token always names a revision that is told completely."""
    updates = []
    batch = batch_of(entry.fields, seat)
    table = entry.fields.get(TABLE)
    if table is not None:
        token = before if batch else cursor
        # What is stored has no epoch of its own; it is of this one for whoever reads it in it.
        told = table + number_field(_EPOCH, cursor.epoch)
        updates.append(field(_TABLE, told) + field(_RESUME_TOKEN, token.token()))
    if batch:
        updates.append(field(_BATCH, batch) + field(_RESUME_TOKEN, cursor.token()))
    return updates


def _is_last(entry: LogEntry) -> bool:
    table = entry.fields.get(TABLE)
    if table is None:
        return False
    state = pb.Table.FromString(table).state
    return state in (pb.TABLE_STATE_FINISHED, pb.TABLE_STATE_ABANDONED)
