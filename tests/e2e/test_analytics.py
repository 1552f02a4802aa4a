"""The statistics of a whole stack: games that bots finish are all in `hutch stats`, each once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hutch.client import Retries, Table, connect
from tests.redis_servers import eventually
from tests.stacks import RunningStack, bot_table, running_stack

TABLES = 8
QUICK = {"HUTCH_ANALYTICS_POLL_SECONDS": "0.1", "HUTCH_ANALYTICS_RETRY_SECONDS": "1"}


def stats(stack: RunningStack, *arguments: str) -> str:
    """What `hutch stats` prints of that stack."""
    return subprocess.run(
        [sys.executable, "-m", "hutch.cli", "stats", "--data", str(stack.data), *arguments],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout


async def test_every_finished_game_is_in_the_statistics_once_though_the_worker_is_killed(
    tmp_path: Path,
) -> None:
    with running_stack(tmp_path / "data", "--workers", "1", environ=QUICK) as stack:
        async with connect(stack.gateway, retries=Retries(give_up_after=60)) as hutch:
            await hutch.guest("Ada")
            tables = [await bot_table(hutch) for _ in range(TABLES)]
            await asyncio.gather(*[table.start() for table in tables])
            await finished(tables[0])
            stack.kill("worker-1")
            await asyncio.gather(*[finished(table) for table in tables])
            scores = await scores_of(tables)

        async def settled() -> bool:
            page = await asyncio.to_thread(stack.scrape, "timekeeper")
            return "hutch_notes_waiting 0.0" in page

        await eventually(settled, within_s=30, every_s=0.1)
        told: list[dict[str, Any]] = json.loads(stats(stack, "--json"))
        shown = stats(stack)
    (games,) = told
    assert (games["ruleset"], games["seats"], games["games"]) == ("rabbit-space", 4, TABLES)
    assert games["turns"]["least"] > 0
    (line,) = games["lines"]
    assert (line["strategy"], line["seats"]) == ("random", 4 * TABLES)
    assert line["score"]["mean"] == pytest.approx(sum(scores) / len(scores))
    assert (line["score"]["least"], line["score"]["most"]) == (min(scores), max(scores))
    assert f"{TABLES} games" in shown


async def finished(table: Table) -> None:
    """Wait for the end of the game."""
    async for _ in table.watch():
        pass


async def scores_of(tables: list[Table]) -> list[int]:
    """The scores of all seats."""
    return [score for table in tables for score in (await table.get()).result.scores]
