"""Dispatching: turn what Redis says of awaited bots into hints for the workers."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from math import inf
from time import monotonic

import structlog
from celery import Celery
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from hutch.runtime import metrics
from hutch.store.doorbell import ShardBell
from hutch.store.errors import StoreUnavailable
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from hutch.workers.celery_app import BOTS, PLAY

log = structlog.get_logger(__name__)

CLAIM = 1024
RETRY_SECONDS = 0.5
#: Of the time after which a hint comes again, so much it waits for others: what was lost together
#: shall travel together again.
GATHER = 1 / 16


class Dispatcher:
    """Hands awaited bots out in batches. Any number may run: a claimed hint is nobody else's."""

    def __init__(self, store: Store, app: Celery, *, retry_seconds: float, batch: int) -> None:
        self._store = store
        self._app = app
        self._retry_ms = int(retry_seconds * 1000)
        self._gather_seconds = GATHER * retry_seconds
        self._batch = batch
        #: By shard, when its next hint is due, by our own clock.
        self._next: dict[int, float] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Dispatch until `stop` is set."""
        shards: Collection[int] = ALL_SHARDS
        async with self._store.doorbell.listen_to_shards("hints") as bell:
            while not stop.is_set():
                try:
                    if not await self._dispatch(shards):
                        shards = await self._due(bell)
                except StoreUnavailable:
                    shards = ALL_SHARDS
                    await asyncio.sleep(RETRY_SECONDS)

    async def _due(self, bell: ShardBell) -> Collection[int]:
        """Wait until a hint is due, or may be: the shards to look at."""
        first = min(self._next.values(), default=inf)
        wakes = await bell.wait(first + self._gather_seconds - monotonic())
        if wakes.missed:
            return ALL_SHARDS
        now = monotonic()
        return wakes.by_shard.keys() | {shard for shard, at in self._next.items() if at <= now}

    async def _dispatch(self, shards: Collection[int]) -> bool:
        """Hand out what is due in those shards: whether anything was."""
        hints, next_in_ms = await self._store.hints.claim_hints(shards, CLAIM, self._retry_ms)
        now = monotonic()
        for shard in shards:
            self._next.pop(shard, None)
        for shard, in_ms in next_in_ms.items():
            self._next[shard] = now + in_ms / 1000
        untried = [hint.table_id for hint in hints if not hint.tried]
        for start in range(0, len(untried), self._batch):
            # By then they were sent again, more than once.
            await self._call(untried[start : start + self._batch], 10 * self._retry_ms)
        for hint in hints:
            if hint.tried:
                # Alone, in case it is what killed a worker; and one at a time, for else there would
                # be one for each worker that is starting again.
                await self._call([hint.table_id], hint.next_ms(self._retry_ms))
        return bool(hints)

    async def _call(self, tables: list[str], expire_ms: int) -> None:
        if await send(self._app, PLAY, BOTS, tables, expires=expire_ms / 1000):
            metrics.HINTS_ISSUED.labels().inc(len(tables))


async def send(
    app: Celery, task: str, queue: str, argument: Sequence[object], *, expires: float | None = None
) -> bool:
    """Send a task: whether the broker took it. What it does not take is found again in Redis."""
    try:
        await asyncio.to_thread(
            app.send_task,
            task,
            args=[argument],
            queue=queue,
            expires=expires,
            ignore_result=True,
            retry=False,
        )
    except (KombuError, RedisError, OSError) as fault:
        log.warning("broker_unavailable", error=str(fault)[:200])
        return False
    return True
