"""Bots that raise, loop, sleep, eat memory, or end their process: they hold up their own tables,
for as long as it takes to give them up, and nobody else's; and no worker dies of them.

One whose strategy has earned trust before can end a worker once: the next one trusts nobody yet.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from time import monotonic

import pytest

from hutch.cli.launches import launch_python
from hutch.cli.ports import HOST, held_ports
from hutch.cli.probes import http_probe
from hutch.cli.supervisor import Child, Program, Supervisor
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from tests.chaos.poison import KINDS, betrays, known, poison
from tests.oracle import judge
from tests.redis_servers import eventually, own_redis_server
from tests.workers.test_playing import bot_table

__all__ = ["own_redis_server"]

ATTEMPTS = 3
PROBATION = 50
SETTINGS = {
    "HUTCH_BOTS_ATTEMPTS": str(ATTEMPTS),
    "HUTCH_BOTS_ANSWER_SECONDS": "0.1",
    "HUTCH_BOTS_HINT_RETRY_SECONDS": "2",
    "HUTCH_BOTS_PROBATION": str(PROBATION),
    "HUTCH_LOG_LEVEL": "error",
}
WORKERS = 2
HEALTHY = 12
#: Nobody else waits for longer, whatever these bots do.
HARMLESS_MS = 5_000


class Deaths(Counter[str]):
    """An observer that counts how often each program died."""

    def wrote(self, child: Child, line: str) -> None:
        """Nothing that matters here."""

    def changed(self, child: Child) -> None:
        """Nothing that matters here."""

    def died(self, child: Child, how: str, pause_seconds: float) -> None:
        """One more."""
        self[child.name] += 1


@asynccontextmanager
async def running(redis_url: str, log: Path) -> AsyncIterator[Deaths]:
    """A dispatcher, and workers that know poison, under the supervisor of `hutch up`."""
    with held_ports([0] * (1 + WORKERS)) as ports:
        deaths = Deaths()
        supervisor = Supervisor(programs(redis_url, log, ports), deaths)
        stop = asyncio.Event()
        keeping = asyncio.create_task(supervisor.run(stop))
        try:
            await supervisor.all_ready.wait()
            yield deaths
        finally:
            stop.set()
            await keeping


def programs(redis_url: str, log: Path, ports: Sequence[int]) -> list[Program]:
    modules = {
        "dispatcher": ("hutch.workers", "dispatcher"),
        **{f"worker-{number}": ("tests.chaos.poison", "bots") for number in range(WORKERS)},
    }

    def program(name: str, port: int) -> Program:
        address = f"{HOST}:{port}"
        environ = {
            **SETTINGS,
            "HUTCH_REDIS_URL": redis_url,
            "HUTCH_METRICS_BIND": address,
            "POISON_LOG": str(log),
        }
        return Program(
            name=name,
            launch=launch_python("-m", *modules[name], environ=lambda: environ),
            ready=http_probe(address, "/readyz"),
            alive=http_probe(address, "/livez"),
            stage=0,
        )

    return [program(name, port) for name, port in zip(modules, ports, strict=True)]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where poison, known to this process from now on, writes that it was asked."""
    log = tmp_path / "poison"
    for name, strategy in poison(log).items():
        monkeypatch.setitem(known(), name, strategy)
    return log


def names_in(log: Path) -> list[str]:
    """Which poison was asked, in turn."""
    return log.read_text().split()


async def all_over(store: Store, *, within_s: float) -> None:
    """Wait until no bot is awaited anywhere."""

    async def are_over() -> bool:
        return await store.hints.size() == 0

    await eventually(are_over, within_s=within_s, every_s=0.1)


async def test_poison_is_given_up_and_harms_nobody_else(
    own_redis_server: EmbeddedServer, log: Path
) -> None:
    async with await Store.open(own_redis_server.url) as store:
        lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver())))
        async with running(own_redis_server.url, log) as deaths:
            started = monotonic()
            ill = {kind.__name__: await bot_table(lobby, kind.__name__, "random") for kind in KINDS}
            healthy = [await bot_table(lobby, "random", "greedy") for _ in range(HEALTHY)]
            await all_over(store, within_s=240)
            took = monotonic() - started
        for table_id in (*ill.values(), *healthy):
            verdict = await judge(store, table_id)
            assert verdict.finished
            assert not verdict.faults, table_id
        letters = await store.hints.dead_letters(100)
        assert {letter.table_id for letter in letters} == set(ill.values())
        assert max(letter.attempts for letter in letters) == ATTEMPTS
        longest = {name: await longest_wait_ms(store, table) for name, table in ill.items()}
        healthy_ms = max([await longest_wait_ms(store, table) for table in healthy])
    asked = Counter(names_in(log))
    print(
        f"{took:.1f} s; asked {dict(asked)}; deaths {dict(deaths)}; "
        f"longest waits: {longest} ms, at healthy tables {healthy_ms} ms"
    )
    # An attempt fewer each time, and in the end none. Workers may be told of the same question.
    assert asked.keys() == ill.keys()
    assert max(asked.values()) <= WORKERS * sum(range(ATTEMPTS + 1))
    assert not deaths
    assert healthy_ms < HARMLESS_MS


async def test_a_strategy_that_betrays_trust_costs_a_worker_once_for_each_probation(
    own_redis_server: EmbeddedServer, log: Path
) -> None:
    async with await Store.open(own_redis_server.url) as store:
        lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver())))
        async with running(own_redis_server.url, log) as deaths:
            # Games enough for trust, however the workers share them: it answers 20 times in each.
            games = 1 + WORKERS * PROBATION // 20
            tables = [await bot_table(lobby, betrays.__name__, "random") for _ in range(games)]
            await all_over(store, within_s=120)
        for table_id in tables:
            assert not (await judge(store, table_id)).faults
        assert await store.hints.dead_letters(1) == []
    asked = len(names_in(log))
    print(f"asked {asked} times; deaths {dict(deaths)}")
    assert 0 < deaths.total() <= asked / PROBATION


async def longest_wait_ms(store: Store, table_id: str) -> int:
    """How long a table waited for an answer, at most."""
    commits = [entry.commit_ms for entry in await store.tables.read_log(table_id, 0, 10_000)]
    return max(after - before for before, after in pairwise(commits))
