"""Hints that are lost, doubled and late: every game ends, every answer counts once, and what was
lost is made up for in time."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from tests.chaos.lossy import Fate, Faults, read_fates
from tests.oracle import judge
from tests.redis_servers import eventually, own_redis_server
from tests.turns.arranging import bot_table

__all__ = ["own_redis_server"]

#: Quick, and as shipped.
RETRY_SECONDS, RETRY_SECONDS_LONG = 0.25, 2.0
SETTINGS = {
    # So short that every answer takes a hint of its own.
    "HUTCH_BOTS_SLICE_SECONDS": "0.01",
    "HUTCH_BOTS_BATCH": "1",
    "HUTCH_LOG_LEVEL": "warning",
}
#: So few at once that it is losses that are waited for, not other tables.
TABLES = 3
ROUNDS_LONG = 10
#: So many of a hundred answers come in time. The short form has so few that a single one which
#: waits for five losses in a row, as one in some ten thousand does, would be the last hundredth.
IN_TIME, IN_TIME_LONG = 90, 99
#: So long a game takes at most, on a machine that does other things: it waits for each loss.
GAME_SECONDS = 300


@contextmanager
def lossy(
    role: str, faults: Faults, log: Path, redis_url: str, retry_seconds: float
) -> Iterator[subprocess.Popen[bytes]]:
    """A dispatcher or worker over a lossy broker, until the block ends."""
    environ = {
        **os.environ,
        **SETTINGS,
        "HUTCH_BOTS_HINT_RETRY_SECONDS": str(retry_seconds),
        "HUTCH_BOTS_ANSWER_SECONDS": str(retry_seconds),
        "HUTCH_REDIS_URL": redis_url,
        "LOSSY_FAULTS": msgspec.json.encode(faults).decode(),
        "LOSSY_LOG": str(log),
    }
    command = [sys.executable, "-m", "tests.chaos.lossy", role]
    with subprocess.Popen(command, env=environ) as started:
        try:
            yield started
        finally:
            started.kill()


@pytest.mark.timeout(3600)
async def test_lost_doubled_and_late_hints_do_no_harm(
    own_redis_server: EmbeddedServer, tmp_path: Path, is_long: bool
) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    retry_seconds = RETRY_SECONDS_LONG if is_long else RETRY_SECONDS
    faults = Faults(seed, lost=0.1, doubled=0.1, delayed=0.1, longest_s=2 * retry_seconds)
    log, url = tmp_path / "fates", own_redis_server.url
    async with await Store.open(url) as store:
        lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver())))
        # What the first games wait for is that the workers start.
        first = await bot_table(lobby)
        with ExitStack() as running:
            processes = [
                # Of one seed all would lose their messages at the same places.
                running.enter_context(
                    lossy(role, replace(faults, seed=seed + own), log, url, retry_seconds)
                )
                for own, role in enumerate(("bots", "bots", "dispatcher"))
            ]

            async def are_over() -> bool:
                assert all(process.poll() is None for process in processes)
                return await store.hints.size() == 0

            await eventually(are_over, within_s=60, every_s=0.1)
            tables: list[str] = []
            for _ in range(ROUNDS_LONG if is_long else 1):
                tables += [await bot_table(lobby) for _ in range(TABLES)]
                await eventually(are_over, within_s=GAME_SECONDS, every_s=0.1)
        assert not (await judge(store, first)).faults
        for table_id in tables:
            verdict = await judge(store, table_id)
            assert verdict.finished
            assert not verdict.faults, table_id
        assert await store.hints.dead_letters(10) == []
        fates = read_fates(log)
        waits = [wait for one in tables for wait in await waits_at(store, one, fates)]
    dropped = [fate for fate in fates if fate.fate == "lost"]
    # How many is chance; that it is none is less likely than 1 in a billion.
    assert dropped
    waits.sort()
    share = IN_TIME_LONG if is_long else IN_TIME
    in_time = waits[len(waits) * share // 100] / 1000
    print(
        f"{len(fates)} messages, {len(dropped)} lost; {len(waits)} answers waited for hints: "
        f"half {waits[len(waits) // 2]} ms, p{share} {in_time:.2f} s, longest {waits[-1]} ms"
    )
    assert in_time < retry_seconds + 1


async def waits_at(store: Store, table_id: str, fates: list[Fate]) -> list[int]:
    """For each answer at a table, the ms from the first hint that was sent for it."""
    sent = [fate.at_ms for fate in fates if table_id in fate.tables]
    commits = [entry.commit_ms for entry in await store.tables.read_log(table_id, 0, 10_000)]
    waits = []
    for before, after in pairwise(commits):
        hints = [at_ms for at_ms in sent if before <= at_ms < after]
        if hints:
            waits.append(after - hints[0])
    return waits
