"""Notes of finished games, handed out to the workers that tally them.

A note is handed out once when it is left, and again when nobody has acknowledged it in time: the
message was lost, or whoever got it died. Who acknowledges is the worker, once the tally is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Final

import msgspec
from celery import Celery
from msgspec import Struct

from hutch.store.errors import StoreUnavailable
from hutch.store.outbox import Note
from hutch.store.store import Store
from hutch.workers.analytics import GROUP
from hutch.workers.celery_app import ANALYTICS, TALLY
from hutch.workers.dispatching import CLAIM, send

#: One name for all dispatchers: each takes on what another left behind.
CONSUMER: Final = "dispatcher"


class Finished(Struct, tag_field="kind", tag="finished"):
    """The body of a note that the turn path leaves with the end of a game."""

    table: str


class NoteDispatcher:
    """Hands notes out in batches. Any number may run: the outbox gives each note to one of them.

    It looks for them every `poll_seconds`, so that those of many games travel together. A note that
    comes back unacknowledged is handed out again after `retry_seconds`, and then later and later:
    without workers the queue must not fill up with doubles.
    """

    def __init__(
        self, store: Store, app: Celery, *, poll_seconds: float, retry_seconds: float, batch: int
    ) -> None:
        self._outbox = store.outbox
        self._app = app
        self._poll_seconds = poll_seconds
        self._retry_seconds = retry_seconds
        self._batch = batch
        self._look_again_at = 0.0

    async def join(self, stop: asyncio.Event) -> None:
        """Have every note kept that is left from now on. Where Redis is away it waits for that,
        unless `stop` is set."""
        while not stop.is_set():
            with suppress(StoreUnavailable):
                await self._outbox.ensure_group(GROUP)
                return
            await self._pause(stop)

    async def run(self, stop: asyncio.Event) -> None:
        """Hand notes out until `stop` is set."""
        while not stop.is_set():
            with suppress(StoreUnavailable):
                await self._look()
            await self._pause(stop)

    async def _pause(self, stop: asyncio.Event) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._poll_seconds):
                await stop.wait()

    async def _look(self) -> None:
        while notes := await self._outbox.read(GROUP, CONSUMER, CLAIM):
            await self._hand_out(notes)
        if monotonic() < self._look_again_at:
            return
        self._look_again_at = monotonic() + self._retry_seconds
        idle_ms = int(self._retry_seconds * 1000)
        await self._hand_out(await self._outbox.reclaim(GROUP, CONSUMER, CLAIM, idle_ms))

    async def _hand_out(self, notes: Sequence[Note]) -> None:
        if others := [note for note in notes if not _is_finished(note)]:
            await self._outbox.acknowledge(GROUP, others)
        ours = [note for note in notes if _is_finished(note)]
        for start in range(0, len(ours), self._batch):
            batch = ours[start : start + self._batch]
            told = [(note.shard, note.entry, note.table_id) for note in batch]
            await send(self._app, TALLY, ANALYTICS, told)


def _is_finished(note: Note) -> bool:
    try:
        msgspec.json.decode(note.body, type=Finished)
    except msgspec.DecodeError:  # of another kind: for another group
        return False
    return True
