"""Real workers that are killed while they tally, and messages that are doubled: each game counts
once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from hutch.store.embedded import EmbeddedServer
from hutch.store.outbox import Note
from hutch.store.store import Store
from hutch.store.tallies import Measure, Spread
from hutch.workers.analytics import GROUP
from hutch.workers.celery_app import ANALYTICS, TALLY, celery_app
from tests.redis_servers import eventually, own_redis_server, paused
from tests.workers.arranging import finish

__all__ = ["own_redis_server"]

GAMES = 400
#: A worker takes a message every few milliseconds.
STILL_SECONDS = 0.3
TURNS = Measure("rabbit-space", "rivals", 2, "turns")
SETTINGS = {
    "HUTCH_ANALYTICS_BATCH": "2",
    "HUTCH_ANALYTICS_POLL_SECONDS": "0.1",
    "HUTCH_ANALYTICS_RETRY_SECONDS": "0.5",
    "HUTCH_LOG_LEVEL": "warning",
}


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """`python -m hutch.workers` with those arguments, killed at the end."""
    started = subprocess.Popen([sys.executable, "-m", "hutch.workers", *arguments])
    try:
        yield started
    finally:
        started.kill()
        started.wait()


async def tallied(store: Store) -> int:
    spread = (await store.tallies.read()).get(TURNS)
    return spread.count if spread else 0


@pytest.mark.slow
async def test_every_game_counts_once_though_workers_die_and_messages_come_twice(
    own_redis_server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncExitStack() as running:
        broker = running.enter_context(EmbeddedServer(tmp_path / "broker"))
        broker_url = broker.url.replace("unix://", "redis+socket://")
        addresses = {"HUTCH_REDIS_URL": own_redis_server.url, "HUTCH_BROKER_URL": broker_url}
        for name, value in {**SETTINGS, **addresses}.items():
            monkeypatch.setenv(name, value)
        store = await running.enter_async_context(await Store.open(own_redis_server.url))
        await store.outbox.ensure_group("witness")
        await asyncio.gather(*[finish(store, f"table-{number}") for number in range(GAMES)])
        notes = await store.outbox.read("witness", "one", GAMES)
        running.enter_context(process("dispatcher"))
        # Else a worker that is quicker than the dispatcher would have nothing left to take.
        await eventually(partial(is_full, broker), within_s=60)
        for _ in range(2):
            worker = running.enter_context(process("analytics"))
            least = await tallied(store) + 20
            await eventually(partial(has_tallied, store, least), within_s=30)
            with paused(own_redis_server):
                # It has taken a message by then, and cannot finish with it.
                await eventually(partial(stands_still, broker), within_s=30)
                worker.kill()
                worker.wait()
            assert await tallied(store) < GAMES, "the worker was to be killed in the middle"
        # Only what is settled is told again from here: what died with a worker has to come back
        # by the dispatcher.
        app = celery_app(broker_url)
        for note in await settled_of(store, notes):
            told = [[(note.shard, note.entry, note.table_id)] * 2]
            app.send_task(TALLY, args=told, queue=ANALYTICS, ignore_result=True)
        running.enter_context(process("bots", "analytics"))
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


async def is_full(broker: EmbeddedServer) -> bool:
    """Whether all games are on their way."""
    games_a_message = int(SETTINGS["HUTCH_ANALYTICS_BATCH"])
    return int(broker.ask("LLEN", ANALYTICS).removeprefix(":")) >= GAMES // games_a_message


async def stands_still(broker: EmbeddedServer) -> bool:
    """Whether nobody takes messages from the queue any more, though there are some."""
    before = broker.ask("LLEN", ANALYTICS)
    await asyncio.sleep(STILL_SECONDS)
    return before not in ("", ":0\r\n") and before == broker.ask("LLEN", ANALYTICS)


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
