"""`python -m tests.chaos.upgrade OLD NEW`: two releases at work on the same data.

Both are built from the history of this repository. While games of all kinds are played, processes
of the one are exchanged for those of the other: first all are old, then timekeeper, dispatcher and
worker are new, then gateways and rules are new and those old again, in the end all are new. Every
game is played to its end, and judged as in the other runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from time import monotonic
from typing import Final, Self

import uvloop
from msgspec import Struct

from hutch.client import Hutch
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from tests.chaos.people import Ledger, Playing, crowd, look_on, open_table
from tests.chaos.plan import Plan
from tests.chaos.releases import Release, installed, revision
from tests.chaos.run import ALARMING, tables_on
from tests.chaos.stage import ENVIRON
from tests.chaos.wishes import wish
from tests.oracle import judge
from tests.redis_servers import neighbours
from tests.services.processes import Served, serving

OUT: Final = Path(__file__).parent / "out"
GATEWAYS: Final = 2
RULES: Final = 2
PLAYERS: Final = 8
#: So many games are on at once.
AT_ONCE: Final = 24
#: All games are over so soon after the last table was opened, and tallied.
PATIENCE_SECONDS: Final = 120.0
LOOK_SECONDS: Final = 0.2


class Stage(Struct, frozen=True):
    """Which release gateways and rules are of, and which the others."""

    front: Release
    back: Release


class Mixed:
    """A stack of processes of either release, at addresses that stay."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._redis = EmbeddedServer(folder / "redis")
        self._ports = ExitStack()
        ports = self._ports.enter_context(neighbours(GATEWAYS + RULES))
        addresses = [f"127.0.0.1:{port}" for port in ports]
        self.gateways, self._rules = addresses[:GATEWAYS], addresses[GATEWAYS:]
        self._running: dict[str, tuple[ExitStack, Served]] = {}

    def __enter__(self) -> Self:
        self._redis.start()
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as all_of_it:
            all_of_it.callback(self._ports.close)
            all_of_it.callback(self._redis.stop)
            for exits, _ in self._running.values():
                all_of_it.callback(exits.close)

    @property
    def redis_url(self) -> str:
        """Where Redis is."""
        return self._redis.url

    async def become(self, stage: Stage) -> None:
        """Exchange whatever is of another release than in that stage, one after another."""
        for name, module in (
            ("timekeeper", "hutch.timekeeper"),
            ("dispatcher", "hutch.workers dispatcher"),
            ("worker", "hutch.workers bots analytics"),
        ):
            await self._exchange(name, module, stage.back)
        for kind, addresses in (("rules", self._rules), ("gateway", self.gateways)):
            for number, address in enumerate(addresses):
                bind = {f"HUTCH_{kind.upper()}_BIND": address}
                await self._exchange(f"{kind}-{number}", f"hutch.{kind}", stage.front, **bind)

    def alarms(self) -> list[str]:
        """What processes logged that an upgrade does not excuse."""
        found = []
        for log in sorted(self._folder.glob("*.log")):
            for line in log.read_text().splitlines():
                with suppress(json.JSONDecodeError):
                    if json.loads(line).get("event") in ALARMING:
                        found.append(f"{log.name}: {line[:2000]}")
        return found

    async def _exchange(self, name: str, module: str, release: Release, **variables: str) -> None:
        log = self._folder / f"{name}-{release.commit}.log"
        if name in self._running:
            exits, served = self._running[name]
            if served.log == log:
                return
            await asyncio.to_thread(exits.close)
            assert served.process.returncode == 0, served.log.read_text()[-4000:]
        exits = ExitStack()
        usual = {
            **ENVIRON,
            "PYTHONPATH": "",
            "HUTCH_REDIS_URL": self._redis.url,
            "HUTCH_RULES_ADDRESSES": ",".join(self._rules),
            "HUTCH_TOKEN_KEY_FILE": str(self._folder / "keys.json"),
            "HUTCH_LOG_LEVEL": "info",
        }
        entering = serving(module, log, python=str(release.python), **(usual | variables))
        self._running[name] = exits, await asyncio.to_thread(exits.enter_context, entering)


class Upgrade:
    """Games that are played while a stack changes its releases."""

    def __init__(self, stack: Mixed, seed: int, tables: int) -> None:
        self._stack = stack
        self._seed = seed
        self._tables = tables
        self._ledger = Ledger()
        self._names: list[str] = []
        self._clients: list[asyncio.Task[None]] = []

    async def run(self, stages: Sequence[Stage]) -> list[str]:
        """All stages, and what is wrong in the end."""
        await self._stack.become(stages[0])
        async with (
            await Store.open(self._stack.redis_url) as store,
            crowd(self._stack.gateways, PLAYERS) as players,
        ):
            for number, stage in enumerate(stages):
                on = len(await tables_on(store))
                await self._stack.become(stage)
                print(f"{on} games were on; gateways, rules: {stage.front}; others: {stage.back}")
                await self._open(store, players, Plan(seed=self._seed + number))
            faults = await self._settle(store)
            for name in self._names:
                verdict = await judge(
                    store,
                    name.removeprefix("tables/"),
                    self._ledger.answers[name],
                    self._ledger.told[name],
                )
                faults += [f"{name}: {sentence}" for sentence in verdict.faults]
        faults += [f"{name}: {sentence}" for name, sentence in self._ledger.problems]
        print(
            f"{len(self._names)} games, {self._ledger.acknowledged} answers acknowledged, "
            f"{self._ledger.refused} refused, {self._ledger.repeated} sent twice"
        )
        return faults + self._stack.alarms()

    async def _open(self, store: Store, players: Sequence[Hutch], plan: Plan) -> None:
        """Open the tables of one stage, no more at once than bots can play."""
        for number in range(self._tables):
            while len(await tables_on(store)) >= AT_ONCE:
                await asyncio.sleep(LOOK_SECONDS)
            wished = wish(plan, number)
            table, seats = await open_table(players, wished)
            self._names.append(table.name)
            everybody = [
                *(Playing(plan, wished, seat, self._ledger).play() for seat in seats.values()),
                *([look_on(table, self._ledger)] if wished.watched else []),
            ]
            self._clients += map(asyncio.create_task, everybody)

    async def _settle(self, store: Store) -> list[str]:
        """Wait until all is over and tallied: what is not."""
        deadline = monotonic() + PATIENCE_SECONDS
        while (on := await tables_on(store)) or await store.outbox.size():
            if monotonic() > deadline:
                return [f"tables/{table}: still on, at revision {on[table]}" for table in on] or [
                    "finished games are not tallied"
                ]
            await asyncio.sleep(LOOK_SECONDS)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.gather(*self._clients)
        return []


def stages(old: Release, new: Release) -> list[Stage]:
    """From all old to all new, and both mixtures on the way."""
    return [Stage(old, old), Stage(old, new), Stage(new, old), Stage(new, new)]


def main() -> None:
    """Upgrade; the status is 1 where the two do not go together."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.upgrade", description=__doc__)
    parser.add_argument("old", type=revision, help="a revision, as git calls it")
    parser.add_argument("new", type=revision, help="another", default="HEAD", nargs="?")
    parser.add_argument("--tables", type=int, default=60, help="in each of the four stages")
    parser.add_argument("--seed", type=int, default=20261130)
    arguments = parser.parse_args()
    old, new = (installed(one, OUT / "releases") for one in (arguments.old, arguments.new))
    folder = OUT / f"upgrade-{old.commit}-{new.commit}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    print(f"seed {arguments.seed}")
    with Mixed(folder) as stack:
        upgrade = Upgrade(stack, arguments.seed, arguments.tables)
        faults = uvloop.run(upgrade.run(stages(old, new)))
    for fault in faults:
        print(f"FAULT: {fault}")
    if faults:
        print(f"The data and the logs are in {folder}.")
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
