"""Real workers that are killed while they tally, and messages that are doubled: each game counts
once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import pytest

from hutch.runtime.settings import WorkerSettings
from hutch.runtime.variables import load
from hutch.store.embedded import EmbeddedServer
from hutch.store.outbox import Note
from hutch.store.store import Store
from hutch.store.tallies import Measure, Spread
from hutch.workers.analytics import GROUP
from hutch.workers.celery_app import ANALYTICS, TALLY, celery_app
from tests.redis_servers import eventually, own_redis_server
from tests.workers.arranging import finish

__all__ = ["own_redis_server"]

GAMES = 400
TURNS = Measure("rabbit-space", "rivals", 2, "turns")
SETTINGS = {
    "HUTCH_ANALYTICS_BATCH": "2",
    "HUTCH_ANALYTICS_POLL_SECONDS": "0.1",
    "HUTCH_ANALYTICS_RETRY_SECONDS": "0.5",
    "HUTCH_LOG_LEVEL": "warning",
}


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """`python -m hutch.workers` with those arguments, killed at the end."""
    process = subprocess.Popen([sys.executable, "-m", "hutch.workers", *arguments])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def tallied(store: Store) -> int:
    spread = (await store.tallies.read()).get(TURNS)
    return spread.count if spread else 0


async def test_every_game_counts_once_though_workers_die_and_messages_come_twice(
    own_redis_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**SETTINGS, "HUTCH_REDIS_URL": own_redis_server.url}.items():
        monkeypatch.setenv(name, value)
    app = celery_app(load(WorkerSettings).broker_url)
    async with await Store.open(own_redis_server.url) as store:
        with ExitStack() as processes:
            await store.outbox.ensure_group("witness")
            await asyncio.gather(*[finish(store, f"table-{number}") for number in range(GAMES)])
            notes = await store.outbox.read("witness", "one", GAMES)
            processes.enter_context(running("dispatcher"))
            before = 0
            for _ in range(2):
                worker = processes.enter_context(running("analytics"))
                await eventually(partial(has_tallied, store, before + 20), within_s=30)
                worker.kill()
                worker.wait()
                before = await tallied(store)
                assert before < GAMES, "the worker was to be killed in the middle"
            # Only what is settled is told again from here: what died with a worker has to come back
            # by the dispatcher.
            for note in await settled_of(store, notes):
                told = [[(note.shard, note.entry, note.table_id)] * 2]
                app.send_task(TALLY, args=told, queue=ANALYTICS, ignore_result=True)
            processes.enter_context(running("bots", "analytics"))
            processes.enter_context(running("analytics"))
            await eventually(partial(is_settled, store, notes), within_s=60)
        tallies = await store.tallies.read()
    assert {spread.count for spread in tallies.values()} == {GAMES}
    score = tallies[Measure("rabbit-space", "rivals", 2, "score", "greedy", 0)]
    assert score == Spread(GAMES, 7 * GAMES, 49 * GAMES, 7, 7)
    won = {
        seat: tallies[TURNS._replace(what="won", strategy=bot, seat=seat)].total
        for seat, bot in enumerate(("greedy", "random"))
    }
    assert won == {0: GAMES, 1: 0}


async def has_tallied(store: Store, least: int) -> bool:
    return await tallied(store) >= least


async def settled_of(store: Store, notes: list[Note]) -> list[Note]:
    """Those that the analytics have acknowledged."""
    left = set()
    for shard in {note.shard for note in notes}:
        (key,) = store.keys.of_shard(shard, "outbox")
        pending = await store.pipelining.call(shard, "XPENDING", key, GROUP, "-", "+", GAMES)
        left |= {(shard, entry.decode()) for entry, *_ in pending}
    return [note for note in notes if (note.shard, note.entry) not in left]


async def is_settled(store: Store, notes: list[Note]) -> bool:
    return len(await settled_of(store, notes)) == GAMES
