"""Timers while timekeepers are killed: each fires once, none early, none never.

    python -m tests.chaos.timers --timers 100000

Three timekeepers race over real tables, dealt by the lobby, at which nobody plays: every move is
the clock's. First they are let be, then one of them is killed with SIGKILL again and again, and a
supervisor starts another. Afterwards the logs tell of every timer that was armed when it was due
and when its default was stored, both by Redis' clock. Ends with status 1 where a promise is broken.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import monotonic
from typing import Final, Self

from msgspec import Struct

from hutch.cli.launches import launch_python
from hutch.cli.ports import HOST, held_ports
from hutch.cli.supervisor import Child, Patience, Program, State, Supervisor
from hutch.store.commits import LogEntry
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreUnavailable
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from tests.redis_servers import eventually

TIMEKEEPERS: Final = 3
#: What is promised: how late all but one timer in a hundred may be, and how late while timekeepers
#: are killed.
STEADY_MS: Final = 250
KILLED_MS: Final = 2_000
#: A timer is in a timekeeper's hands no longer than this before and after it is due.
AT_HAND_MS: Final = 50
_AT_ONCE: Final = 64
#: What dealing a table may take, before it is known.
_DEAL_SECONDS: Final = 0.002
#: No clock is faster.
_LEAST_MS: Final = 100
_LOG_PAGE: Final = 10_000
#: So many of them are worth a line of progress.
_TOLD_TABLES: Final = 5_000
_TOLD_KILLS: Final = 30


class Plan(Struct, frozen=True, kw_only=True):
    """What to do.

    All `tables` are dealt first. Their first timers are due at random in the `seconds` after that,
    as far as can be told before; a timer that fires arms the next, as far away. Kills begin after
    `quiet_seconds` and go on until all have fired that were armed when the last table was dealt.
    """

    tables: int
    seconds: float
    quiet_seconds: float
    kill_every_seconds: float = 1.0
    seed: int


class Fired(Struct, frozen=True):
    """A timer: when it was due, and when its default was stored, in ms since 1970."""

    due_ms: int
    commit_ms: int

    @property
    def late_ms(self) -> int:
        """How late it was; less than 0 is early."""
        return self.commit_ms - self.due_ms


class History(Struct, frozen=True):
    """What is stored of a table at which only the clock moved."""

    table_id: str
    log: list[LogEntry]
    turns: int

    @classmethod
    async def of(cls, store: Store, table_id: str) -> Self:
        """The history of that table."""
        log, turns = await asyncio.gather(
            store.tables.read_log(table_id, 0, _LOG_PAGE), store.tables.count_inputs(table_id)
        )
        return cls(table_id, log, turns)

    def told(self) -> list[tuple[int, int | None]]:
        """For the deal and each default: when it was stored, and when the next one is due."""
        return [
            (entry.commit_ms, _due_ms(entry.fields["s"]))
            for entry in self.log
            if "s" in entry.fields
        ]

    def fired(self) -> list[Fired]:
        """The timers that fired."""
        told = self.told()
        return [Fired(due_ms or 0, commit_ms) for (_, due_ms), (commit_ms, _) in pairwise(told)]

    def faults(self, armed_ms: int | None) -> list[str]:
        """What is wrong with it, where the timer that is armed now is due then."""
        faults = []
        told = self.told()
        if [entry.revision for entry in self.log] != list(range(1, len(self.log) + 1)):
            faults.append("the log has gaps")
        if self.turns != len(told):
            faults.append(f"{self.turns} turns are stored and {len(told)} were told")
        if any(one.due_ms == 0 or one.late_ms < 0 for one in self.fired()):
            faults.append("a default was played before its time, or twice")
        if armed_ms != told[-1][1]:
            faults.append(f"due at {told[-1][1]}, armed for {armed_ms}")
        return [f"{self.table_id}: {fault}" for fault in faults]


def _due_ms(shared: bytes) -> int | None:
    """When the clock acts next, as all players are told."""
    told = pb.EventBatch.FromString(shared)
    return min(
        (one.due_time.ToMilliseconds() for one in told.deadlines if one.HasField("due_time")),
        default=None,
    )


class Promise(Struct, frozen=True):
    """How late all but one in a hundred of some timers may be, and how late each of them was."""

    timers: str
    within_ms: int
    late_ms: list[int]

    @property
    def is_kept(self) -> bool:
        """Whether it is kept; of too few timers nobody can tell."""
        return len(self.late_ms) > 1 and p99(self.late_ms) <= self.within_ms

    def __str__(self) -> str:
        return (
            f"{verdict(self.is_kept)} p99 of those due {self.timers} within {self.within_ms} ms: "
            f"{spread(self.late_ms)}"
        )


class Report(Struct, frozen=True):
    """What came of it. `faults` is empty where every timer fired once and none early."""

    fired: tuple[Fired, ...]
    #: When a timekeeper was killed, in ms since 1970.
    kills_ms: tuple[int, ...]
    armed_at_once: int
    faults: tuple[str, ...]

    def steady(self) -> list[int]:
        """How late the timers were that were due before the first kill, in ms."""
        return [one.late_ms for one in self.fired if one.due_ms < self.kills_ms[0] - AT_HAND_MS]

    def killed(self) -> list[int]:
        """How late those were that a timekeeper may have had in hand when it was killed, in ms."""
        return [
            one.late_ms
            for one in self.fired
            if any(abs(one.due_ms - kill_ms) <= AT_HAND_MS for kill_ms in self.kills_ms)
        ]

    def others(self) -> list[int]:
        """How late all others were, while timekeepers died and started, in ms."""
        return [
            one.late_ms
            for one in self.fired
            if one.due_ms > self.kills_ms[0]
            and all(abs(one.due_ms - kill_ms) > AT_HAND_MS for kill_ms in self.kills_ms)
        ]

    def promises(self) -> list[Promise]:
        """How soon timers fire, as it is promised."""
        return [
            Promise("before the first kill", STEADY_MS, self.steady()),
            Promise("as a timekeeper was killed", KILLED_MS, self.killed()),
            Promise("at other times while they were dying", KILLED_MS, self.others()),
        ]

    @property
    def is_kept(self) -> bool:
        """Whether everything is as promised."""
        return not self.faults and all(one.is_kept for one in self.promises())

    def __str__(self) -> str:
        lines = [
            f"{len(self.fired)} timers fired, {self.armed_at_once} armed at once, "
            f"{len(self.kills_ms)} kills",
            f"{verdict(not self.faults)} each once, none early, none never: "
            f"{len(self.faults)} faults",
            *map(str, self.promises()),
            *self.faults[:20],
        ]
        return "\n".join(lines)


def verdict(kept: bool) -> str:
    """Whether a promise is kept, in a word."""
    return "kept:  " if kept else "BROKEN:"


def spread(late_ms: list[int]) -> str:
    """Some numbers in words."""
    if len(late_ms) < 2:
        return "too few to tell"
    return (
        f"p50 {median(late_ms):.0f} ms, p99 {p99(late_ms):.0f} ms, "
        f"most {max(late_ms)} ms, of {len(late_ms)}"
    )


def p99(late_ms: list[int]) -> float:
    """What all but one in a hundred keep to."""
    return quantiles(late_ms, n=100)[98]


async def campaign(
    plan: Plan, server: EmbeddedServer, tell: Callable[[str], None] = lambda line: None
) -> Report:
    """Carry it out on that server, which has nothing else to do; `tell` is told how it goes."""
    with held_ports([0]) as (rules_port,):
        return await _campaign(plan, server, _Programs(server.url, rules_port), tell)


async def _campaign(
    plan: Plan, server: EmbeddedServer, programs: _Programs, tell: Callable[[str], None]
) -> Report:
    rng = Random(plan.seed)
    stop = asyncio.Event()
    supervisor = Supervisor(
        programs.all,
        programs,
        # Deaths are what this is about: no number of them ends it.
        patience=Patience(first_pause=0.0, deaths=1_000_000),
    )
    running = asyncio.create_task(supervisor.run(stop))
    async with await Store.open(server.url) as store:
        try:
            await supervisor.all_ready.wait()
            tables = await _deal(plan, store, rng, tell)
            armed = await store.timers.pending(plan.tables)
            ends_ms = armed[-1].due_ms
            tell(f"{len(armed)} timers armed; the first kill in {plan.quiet_seconds:.0f} s")
            await asyncio.sleep(plan.quiet_seconds)
            kills_ms = await _kill(plan, supervisor, store, ends_ms, rng, tell)
            await eventually(lambda: _settled(store, ends_ms), within_s=60, every_s=0.05)
        finally:
            stop.set()
            await running
        tell("reading what every table tells")
        fired, faults = await _read(store, tables)
    return Report(tuple(fired), tuple(kills_ms), len(armed), tuple(faults))


class _Programs:
    """The programs, and the observer that knows from their logs which of them take work."""

    def __init__(self, redis_url: str, rules_port: int) -> None:
        self._environ = {
            "HUTCH_REDIS_URL": redis_url,
            "HUTCH_RULES_BIND": f"{HOST}:{rules_port}",
            "HUTCH_RULES_ADDRESSES": f"{HOST}:{rules_port}",
        }
        self._at_work: set[str] = set()
        self.all = [
            self._program("rules", stage=0),
            *(self._program(f"timekeeper-{number + 1}", stage=1) for number in range(TIMEKEEPERS)),
        ]

    def _program(self, name: str, *, stage: int) -> Program:
        async def at_work() -> bool:
            return name in self._at_work

        module = f"hutch.{name.partition('-')[0]}"
        launch = launch_python("-m", module, environ=lambda: self._environ)
        return Program(name=name, launch=launch, ready=at_work, alive=at_work, stage=stage)

    def wrote(self, child: Child, line: str) -> None:
        """The program wrote a line."""
        if "listening" in line or "rules_connected" in line:
            self._at_work.add(child.name)

    def changed(self, child: Child) -> None:
        """Its state is another."""
        if child.state is State.STARTING:
            self._at_work.discard(child.name)

    def died(self, child: Child, how: str, pause_seconds: float) -> None:
        """It ended, and is to be started again."""


async def _deal(plan: Plan, store: Store, rng: Random, tell: Callable[[str], None]) -> list[str]:
    """The ids of the tables, each with its clock running."""
    lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver(cached_games=0))))

    async def deal(limit_ms: int) -> str:
        table = pb.Table(ruleset="rabbit-space", seats=[pb.Seat()])
        table.limits["phase"].FromMilliseconds(limit_ms)
        table.absence.after_timeouts = 0  # else a bot would be awaited
        request_id = f"{rng.getrandbits(128):032x}"
        while True:
            with suppress(StoreUnavailable):  # too much at once for this machine
                created = await lobby.create("nobody", table, request_id)
                table_id = created.name.removeprefix("tables/")
                await lobby.claim(table_id, 0, "nobody", "Nobody", b"")
                await lobby.start(table_id, "nobody")
                return table_id

    tables: list[str] = []
    began = monotonic()
    while len(tables) < plan.tables:
        to_come = plan.tables - len(tables)
        pace = (monotonic() - began) / len(tables) if tables else _DEAL_SECONDS
        seconds = [pace * to_come + plan.seconds * rng.random() for _ in range(_AT_ONCE)]
        limits_ms = [max(_LEAST_MS, int(1000 * one)) for one in seconds[:to_come]]
        tables += await asyncio.gather(*map(deal, limits_ms))
        if len(tables) % _TOLD_TABLES < len(limits_ms):
            tell(f"{len(tables)} of {plan.tables} tables dealt")
    return tables


async def _kill(
    plan: Plan,
    supervisor: Supervisor,
    store: Store,
    ends_ms: int,
    rng: Random,
    tell: Callable[[str], None],
) -> list[int]:
    """Kill one timekeeper after another, as long as another is ready: when, in ms since 1970."""
    kills_ms: list[int] = []
    keepers = [child for child in supervisor.children if child.name != "rules"]
    while (now_ms := await store.tables.now_ms()) < ends_ms:
        ready = [child for child in keepers if child.state is State.READY]
        if len(ready) > 1:
            rng.choice(ready).send(signal.SIGKILL)
            kills_ms.append(now_ms)
            if len(kills_ms) % _TOLD_KILLS == 0:
                tell(f"{len(kills_ms)} kills, {(ends_ms - now_ms) / 1000:.0f} s to go")
        await asyncio.sleep(plan.kill_every_seconds)
    return kills_ms


async def _settled(store: Store, until_ms: int) -> bool:
    """Whether all timers that were due by then have fired."""
    coming = await store.timers.pending(1)
    return not coming or coming[0].due_ms > until_ms


async def _read(store: Store, tables: list[str]) -> tuple[list[Fired], list[str]]:
    """All timers that fired, and whatever is wrong with them or with those that are armed now."""
    fired: list[Fired] = []
    faults: list[str] = []
    armed = dict(await store.timers.pending(1_000_000))

    async def read(table_id: str) -> None:
        history = await History.of(store, table_id)
        fired.extend(history.fired())
        faults.extend(history.faults(armed.get(table_id)))

    for start in range(0, len(tables), _AT_ONCE):
        await asyncio.gather(*map(read, tables[start : start + _AT_ONCE]))
    return fired, faults


def main() -> None:
    """Carry out what the command line says, and tell what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.timers", description=__doc__)
    parser.add_argument("--timers", type=int, default=100_000)
    parser.add_argument("--per-second", type=float, default=200, help="how many are due at first")
    parser.add_argument("--seed", type=int, default=20261130)
    asked = parser.parse_args()
    seconds = asked.timers / asked.per_second
    plan = Plan(
        tables=asked.timers,
        seconds=seconds,
        quiet_seconds=seconds / 3,
        seed=asked.seed,
    )
    print(f"seed {plan.seed}, {plan.tables} timers due within {seconds:.0f} s", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="hutch-timers-") as folder,
        EmbeddedServer(Path(folder) / "redis") as server,
    ):
        report = asyncio.run(campaign(plan, server, partial(print, flush=True)))
    print(report)
    sys.exit(not report.is_kept)


if __name__ == "__main__":
    main()
