"""Feeds: what happens at watched tables, for as many watchers as there are.

Watchers hold a cursor, not a queue: each reads on from its own place when it can, from the entries
kept here or else from the log in Redis. A slow watcher costs nothing but its own delay.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context

import structlog

from hutch.store.commits import LogEntry
from hutch.store.doorbell import Doorbell
from hutch.store.errors import StoreUnavailable
from hutch.store.tables import TableStore

log = structlog.get_logger(__name__)

KEPT = 64
PAGE = 100


class Feed:
    """The latest entries of one table's log, and who waits for the next."""

    def __init__(self, table_id: str, store: TableStore) -> None:
        self.table_id = table_id
        self.watchers = 0
        self.listening = asyncio.Event()
        self._store = store
        self._epoch = 0
        self._last = 0  # the highest revision known to exist; 0 until the table was loaded
        self._entries: deque[LogEntry] = deque(maxlen=KEPT)
        self._waiting: set[asyncio.Future[None]] = set()

    def exists(self, epoch: int, revision: int) -> None:
        """That revision was seen: what comes later is news. In a new epoch nothing that is kept
        counts any more."""
        if epoch != self._epoch:
            self._epoch = epoch
            self._entries.clear()
            self._last = revision
            self.wake()
        elif revision > self._last:
            self._last = revision
            self.wake()

    def tell(self, entry: LogEntry) -> None:
        """An entry of the log, as soon as it is known here."""
        if entry.epoch != self._epoch:
            self.exists(entry.epoch, entry.revision)
        if self._entries and entry.revision > self._entries[-1].revision + 1:
            self._entries.clear()  # told out of order: those in between are read from the log
        self._keep(entry)
        self.exists(entry.epoch, entry.revision)

    def wake(self) -> None:
        """Let every watcher look up."""
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    async def after(
        self, epoch: int, revision: int, patience_seconds: float
    ) -> list[LogEntry] | None:
        """Entries beyond that revision; waits for one if there is none. Empty: none came. None: the
        epoch is another one, and the revision means nothing in it."""
        if epoch == self._epoch and revision >= self._last:
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(waiting)
            try:
                async with asyncio.timeout(patience_seconds):
                    await waiting
            except TimeoutError:
                return []
            finally:
                self._waiting.discard(waiting)
        if epoch != self._epoch:
            return None
        if revision >= self._last:
            return []
        entries = self._entries
        if entries and entries[0].revision <= revision + 1 <= entries[-1].revision:
            return [entry for entry in entries if entry.revision > revision]
        told_in, older = await self._store.read_news(self.table_id, revision, PAGE)
        return older if told_in == epoch else None

    async def run(self, doorbell: Doorbell) -> None:
        """Listen for commits made elsewhere, for ever."""
        async with doorbell.listen(self.table_id) as bell:
            self.listening.set()
            while True:
                rung = await bell.wait()
                if 0 < rung <= self._last or not self._last:
                    continue  # our own commit; or nobody has looked at the table yet
                try:
                    await self._catch_up()
                except StoreUnavailable:
                    pass  # the bell rings again once it is back
                except Exception:  # watchers would wait for ever
                    log.exception("feed_failed", table=self.table_id)

    async def _catch_up(self) -> None:
        """Tell what the log has beyond the highest revision known."""
        epoch, entries = await self._store.read_news(self.table_id, self._last, PAGE)
        if epoch != self._epoch:
            stored = await self._store.load(self.table_id)
            # One that is lost has no revision; whoever watches it finds out by looking.
            self.exists(stored.epoch if stored else epoch, stored.revision if stored else 0)
            return
        for entry in entries:
            self.tell(entry)

    def _keep(self, entry: LogEntry) -> None:
        """What is kept has no gaps: an entry that does not follow is left in the log."""
        if not self._entries or entry.revision == self._entries[-1].revision + 1:
            self._entries.append(entry)


class Feeds:
    """The feeds of all tables watched through this process."""

    def __init__(self, store: TableStore, doorbell: Doorbell) -> None:
        self._store = store
        self._doorbell = doorbell
        self._feeds: dict[str, Feed] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def watched(self, table_id: str) -> AsyncIterator[Feed]:
        """The feed of a table, for as long as it is watched."""
        feed = self._feeds.get(table_id)
        if feed is None:
            feed = self._feeds[table_id] = Feed(table_id, self._store)
            # For all who watch: it is not of the call that happened to be first.
            self._tasks[table_id] = asyncio.create_task(feed.run(self._doorbell), context=Context())
        feed.watchers += 1
        try:
            await feed.listening.wait()
            yield feed
        finally:
            feed.watchers -= 1
            if not feed.watchers:
                del self._feeds[table_id]
                self._tasks.pop(table_id).cancel()

    def tell(self, table_id: str, entry: LogEntry) -> None:
        """A commit made by this process."""
        feed = self._feeds.get(table_id)
        if feed is not None:
            feed.tell(entry)

    def wake_all(self) -> None:
        """Let every watcher look up: the server is about to stop."""
        for feed in self._feeds.values():
            feed.wake()
