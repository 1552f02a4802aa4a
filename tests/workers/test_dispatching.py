"""Handing hints out: many together, and those alone that a worker may have died of."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from celery import Celery

from hutch.store.commits import Commit
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.workers.celery_app import BOTS, celery_app
from hutch.workers.dispatching import Dispatcher
from tests.redis_servers import eventually

TABLES = [f"table-{number}" for number in range(10)]


class Messages:
    """What the dispatcher sent: the tables of each message, in order."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self.tables: list[list[str]] = []
        self.expiries: list[datetime] = []

    async def are(self, count: int) -> bool:
        """Whether so many have come."""
        with self._app.connection_for_read() as connection:
            queue = connection.SimpleQueue(BOTS, no_ack=True)
            while len(self.tables) < count and queue.qsize():
                message = queue.get(timeout=1)
                (tables,), _, _ = message.payload
                self.tables.append(sorted(tables))
                self.expiries.append(datetime.fromisoformat(message.headers["expires"]))
        return len(self.tables) == count


@contextmanager
def dispatching(store: Store, retry_seconds: float = 0.5) -> Iterator[Messages]:
    """A dispatcher that hands hints out again, to workers that nobody has started."""
    app = celery_app("memory://")
    with app.connection_for_write() as connection:
        connection.SimpleQueue(BOTS).clear()
    dispatcher = Dispatcher(store, app, retry_seconds=retry_seconds, batch=64)
    running = asyncio.create_task(dispatcher.run(asyncio.Event()))
    try:
        yield Messages(app)
    finally:
        running.cancel()


async def test_tables_whose_message_was_lost_travel_together_again(store: Store) -> None:
    for table_id in TABLES:
        await store.tables.commit(Commit(table_id=table_id, expected_revision=0, hint=True))
    # They wait for each other for a sixteenth of it, in which a busy machine claims them all.
    with dispatching(store, retry_seconds=4) as messages:
        await eventually(lambda: messages.are(2))
    assert messages.tables == [TABLES, TABLES]


async def test_what_was_lost_is_handed_out_again_in_time_and_not_when_it_is_looked_for(
    redis_server: EmbeddedServer, namespace: str
) -> None:
    async with await Store.open(redis_server.url, namespace=namespace, poll_s=600) as store:
        with dispatching(store, retry_seconds=4) as messages:
            await store.tables.commit(Commit(table_id="answered", expected_revision=0, hint=True))
            await eventually(lambda: messages.are(1))
            await store.tables.commit(Commit(table_id="answered", expected_revision=1))
            await store.tables.commit(Commit(table_id="lost", expected_revision=0, hint=True))
            await eventually(lambda: messages.are(3))
    assert messages.tables == [["answered"], ["lost"], ["lost"]]


async def test_a_table_that_a_worker_has_tried_travels_alone(store: Store) -> None:
    for table_id in TABLES:
        await store.tables.commit(Commit(table_id=table_id, expected_revision=0, hint=True))
    await store.hints.begin("table-3", 0)
    with dispatching(store) as messages:
        await eventually(lambda: messages.are(2))
    assert messages.tables == [[one for one in TABLES if one != "table-3"], ["table-3"]]


async def test_a_table_that_a_worker_has_tried_is_on_its_way_once_at_a_time(store: Store) -> None:
    for table_id in TABLES:
        await store.tables.commit(Commit(table_id=table_id, expected_revision=0, hint=True))
    await store.hints.begin("table-3", 0)
    with dispatching(store, retry_seconds=60) as messages:
        await eventually(lambda: messages.are(2))
    # The next one comes after a minute; the others' messages may be lost, and wait for long.
    assert messages.expiries[0] - messages.expiries[1] > timedelta(minutes=8)
