"""`python -m tests.chaos.soak`: a whole stack at work for a while, to see that nothing piles up.

First the caches are filled on purpose, with games that end soon. Then players play and watch, bots
play all three games, tables are opened and never started, and those that are over expire soon. In
the second half no process may hold more and more memory, descriptors or threads, and Redis no more
memory or keys; in the end nothing of any table may be left.

What was measured goes to `soak.json`, and as a picture to `soak.png`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

import msgspec
import psutil
import redis
from msgspec import Struct

from hutch.client import Hutch, connect
from hutch.store.keys import SHARDS
from tests.chaos.gateways import NO_LIMITS
from tests.chaos.growth import BOUNDS, Series, Verdict, judge
from tests.chaos.parties import PATIENT, Account, Party, play_game, watched
from tests.chaos.soak_picture import draw
from tests.stacks import RunningStack, running_stack

OUT: Final = Path(__file__).parent / "out"
GAMES: Final = {"rabbit-space": 4, "tale-of-carrot": 3, "killer-bunnies": 3}
#: Tables are kept so long once they are finished, or are not started.
KEPT_SECONDS: Final = 20
PARTIES: Final = 4
SAMPLE_SECONDS: Final = 5.0
#: One in so many is worth a line of progress.
TOLD_SAMPLES: Final = 12
#: A rules process or worker keeps 2,048 games, a gateway 4,096 tables: with so many of players and
#: as many of bots, all looked at through every gateway, each is full.
FILLING: Final = 2_100
FILLING_AT_ONCE: Final = 32
#: Those of bots that end soon, in turn: as large as those that come later, or what is kept would
#: grow as it is exchanged for these.
SHORT_GAMES: Final = ("rabbit-space", "tale-of-carrot")
#: The last games of bots take so long at most.
LAST_GAMES_SECONDS: Final = 300.0
#: Of a table there are at most these keys, see `hutch.store.keys`; others are one a shard at most.
_OF_A_TABLE: Final = ("table", "log", "inputs")


class Held(Struct, frozen=True):
    """What a process holds, with its children."""

    mebibytes: float
    descriptors: int
    threads: int


class Sample(Struct, frozen=True):
    """The state of the stack at one moment: what each process holds, and Redis."""

    minute: float
    processes: dict[str, Held]
    redis_mebibytes: float
    keys: int


def held_by(pid: int) -> Held:
    """What that process holds now, with its children."""
    process = psutil.Process(pid)
    helds = []
    for one in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):  # a child that has just ended
            helds.append((one.memory_info().rss / 2**20, one.num_fds(), one.num_threads()))
    memories, descriptors, threads = zip(*helds, strict=True)
    return Held(sum(memories), sum(descriptors), sum(threads))


def sampled(stack: RunningStack, began: float) -> Sample:
    """The state of the stack now."""
    with redis.Redis.from_url(stack.redis_url) as server:
        redis_mebibytes = server.info("memory")["used_memory"] / 2**20
    return Sample(
        (monotonic() - began) / 60,
        {name: held_by(pid) for name, pid in stack.facts["pids"].items()},
        redis_mebibytes,
        sum(keys_of(stack).values()),
    )


def keys_of(stack: RunningStack) -> Counter[str]:
    """How many keys there are of each kind: `table`, `log`, `due`, ..."""
    with redis.Redis.from_url(stack.redis_url) as server:
        names = [key.decode() for key in server.scan_iter(count=1000)]
    return Counter(name.rpartition("}:")[2].partition(":")[0] for name in names)


def series_of(samples: Sequence[Sample]) -> list[Series]:
    """What was measured of each process and of Redis, in the order of time."""
    minutes = [one.minute for one in samples]
    found = [
        Series("redis memory", "redis", minutes, [one.redis_mebibytes for one in samples]),
        Series("redis keys", "redis", minutes, [float(one.keys) for one in samples]),
    ]
    for name in samples[0].processes:
        helds = [one.processes[name] for one in samples]
        found += [
            Series("memory", name, minutes, [one.mebibytes for one in helds]),
            Series("descriptors", name, minutes, [float(one.descriptors) for one in helds]),
            Series("threads", name, minutes, [float(one.threads) for one in helds]),
        ]
    return found


async def fill(hutch: Hutch, gateways: Sequence[str], tables: int) -> None:
    """Have so many games played by a player, and as many short ones by bots; look at each through
    every gateway."""
    async with AsyncExitStack() as clients:
        lookers = [await clients.enter_async_context(connect(address)) for address in gateways]
        for looker in lookers:
            await looker.guest("Looker")

        async def look(name: str) -> None:
            for looker in lookers:
                await looker.table(name).get()

        async def some(numbers: Sequence[int]) -> None:
            for number in numbers:
                account = await play_game(hutch, Random(number), seats=1 + number % 2)
                await look(f"tables/{account.table_id}")
                ruleset = SHORT_GAMES[number % len(SHORT_GAMES)]
                await look(await bots_play_once(hutch, ruleset, GAMES[ruleset]))

        await asyncio.gather(
            *[some(range(first, tables, FILLING_AT_ONCE)) for first in range(FILLING_AT_ONCE)]
        )


async def bots_play(hutch: Hutch, ruleset: str, seats: int, enough: asyncio.Event) -> int:
    """Have bots play one game after another, and open a table that nobody starts beside each: how
    many were played to the end."""
    played = 0
    while not enough.is_set():
        await hutch.create_table(ruleset, seats=seats)
        await bots_play_once(hutch, ruleset, seats)
        played += 1
    return played


async def bots_play_once(hutch: Hutch, ruleset: str, seats: int) -> str:
    """Have bots play one game to its end: the table's name."""
    table = await hutch.create_table(ruleset, seats=seats)
    for seat in range(seats):
        await table.assign_bot(seat, "random")
    await table.start()
    await watched(table)
    return table.name


async def soak(stack: RunningStack, minutes: float, filling: int) -> tuple[list[Sample], list[str]]:
    """Keep the stack at work so long: what was seen meanwhile, and what is left in the end."""
    samples: list[Sample] = []
    enough = asyncio.Event()
    async with connect(stack.gateways, balancing="round_robin", retries=PATIENT) as hutch:
        await hutch.guest("Host")
        began = monotonic()
        await fill(hutch, stack.gateways, filling)
        print(
            f"{2 * filling} games to fill the caches with, in {monotonic() - began:.0f} s",
            flush=True,
        )
        others = [hutch.another() for _ in range(PARTIES)]
        for other in others:
            await other.guest("Player")
        parties = [Party(other, Random(number)) for number, other in enumerate(others)]
        of_bots = [
            asyncio.create_task(bots_play(hutch, ruleset, seats, enough))
            for ruleset, seats in GAMES.items()
        ]
        began = monotonic()
        while monotonic() - began < 60 * minutes:
            await asyncio.sleep(SAMPLE_SECONDS)
            samples.append(await asyncio.to_thread(sampled, stack, began))
            if len(samples) % TOLD_SAMPLES == 0:
                print(progress(samples[-1], minutes), flush=True)
        enough.set()
        played = await ended(parties)
        async with asyncio.timeout(LAST_GAMES_SECONDS):
            by_bots = await asyncio.gather(*of_bots)
        for other in others:
            await other.close()
    print(f"games played: {len(played)} by players, {sum(by_bots)} by bots")
    left = await left_after(stack, seconds=KEPT_SECONDS + 30)
    print(f"keys in the end: {dict(keys_of(stack))}")
    return samples, left


def progress(latest: Sample, minutes: float) -> str:
    """Where it stands, in a line."""
    held = ", ".join([f"{name} {one.mebibytes:.0f}" for name, one in latest.processes.items()])
    return f"minute {latest.minute:.0f} of {minutes:.0f}: {latest.keys} keys; MiB: {held}"


async def ended(parties: Sequence[Party]) -> list[Account]:
    """Let all of them play their last games to the end: all that they played."""
    return [account for party in parties for account in await party.end()]


async def left_after(stack: RunningStack, seconds: float) -> list[str]:
    """Wait until all tables have expired: what is left after that time, of them or by player."""
    deadline = monotonic() + seconds
    while True:
        left = {
            kind: count
            for kind, count in keys_of(stack).items()
            if kind in _OF_A_TABLE or count > SHARDS
        }
        if not left:
            return []
        if monotonic() > deadline:
            return [f"keys are left: {left}"]
        await asyncio.sleep(1.0)


def show(verdicts: Sequence[Verdict]) -> None:
    """Print what was judged, with its bound."""
    print(f"{'':34} {'then':>8} {'now':>8} {'an hour':>9} {'allowed':>8}")
    for one in sorted(verdicts, key=lambda one: list(BOUNDS).index(one.series.what)):
        bound = BOUNDS[one.series.what]
        print(
            f"{one.series.what:13} {one.series.whose:14} {bound.unit:5} {one.first:8.1f} "
            f"{one.last:8.1f} {one.an_hour:+9.1f} {bound.an_hour:8.0f}  "
            f"{'FAIL' if one.piles_up else 'pass'}"
        )


def main() -> None:
    """Soak; the status is 1 where something piles up, or is left."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--filling", type=int, default=FILLING, help="tables, to fill the caches")
    parser.add_argument("--out", type=Path, default=OUT, help="where the figures go")
    arguments = parser.parse_args()
    environ = NO_LIMITS | {
        "HUTCH_REDIS_FINISHED_SECONDS": str(KEPT_SECONDS),
        "HUTCH_REDIS_UNSTARTED_SECONDS": str(KEPT_SECONDS),
        "HUTCH_LOG_LEVEL": "warning",
    }
    with tempfile.TemporaryDirectory(prefix="hutch-") as folder:
        data = Path(folder) / "data"
        counts = ("--gateways=2", "--rules=1", "--workers=1", "--gateway-port=0")
        with running_stack(data, *counts, environ=environ) as stack:
            samples, faults = asyncio.run(soak(stack, arguments.minutes, arguments.filling))
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    (out / "soak.json").write_bytes(msgspec.json.encode(samples))
    verdicts = [judge(one) for one in series_of(samples)]
    draw(verdicts, out / "soak.png")
    show(verdicts)
    faults += [str(one) for one in verdicts if one.piles_up]
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{'FAILED' if faults else 'passed'}; see {out / 'soak.png'}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
