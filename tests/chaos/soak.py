"""`python -m tests.chaos.soak`: a whole stack at work for a while, to see that nothing piles up.

Players play and watch, bots play all three games, tables are opened and never started, and those
that are over expire soon. Once the stack is warm, no process may hold more memory or descriptors;
in the end nothing of any table may be left.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from statistics import linear_regression
from time import monotonic
from typing import Final

import psutil
import redis
from msgspec import Struct

from hutch.client import Hutch, connect
from tests.chaos.gateways import NO_LIMITS
from tests.chaos.parties import PATIENT, Party, watched
from tests.stacks import RunningStack, running_stack

GAMES: Final = {"rabbit-space": 4, "tale-of-carrot": 3, "killer-bunnies": 3}
#: Tables are kept so long once they are finished, or are not started.
KEPT_SECONDS: Final = 20
PARTIES: Final = 4
SAMPLE_SECONDS: Final = 5.0
#: The last games of bots take so long at most.
LAST_GAMES_SECONDS: Final = 300.0
#: The share of the time after which everything counts as warm.
WARM: Final = 0.4
MOST_MB_A_MINUTE: Final = 1.0
MOST_MORE_DESCRIPTORS: Final = 8
_MB: Final = 1_000_000
#: Of a table there are at most these keys, see `hutch.store.keys`.
_OF_A_TABLE: Final = ("table", "log", "inputs")


class Sample(Struct, frozen=True):
    """The state of the stack at one moment: by process what it holds, and Redis' keys by kind."""

    minute: float
    megabytes: dict[str, float]
    descriptors: dict[str, int]
    keys: Counter[str]


def sampled(stack: RunningStack, began: float) -> Sample:
    """The state of the stack now."""
    processes = {name: psutil.Process(pid) for name, pid in stack.facts["pids"].items()}
    return Sample(
        (monotonic() - began) / 60,
        {name: one.memory_info().rss / _MB for name, one in processes.items()},
        {name: one.num_fds() for name, one in processes.items()},
        keys_of(stack),
    )


def keys_of(stack: RunningStack) -> Counter[str]:
    """How many keys there are of each kind: `table`, `log`, `due`, ..."""
    with redis.Redis.from_url(stack.redis_url) as server:
        names = [key.decode() for key in server.scan_iter(count=1000)]
    return Counter(name.rpartition("}:")[2].partition(":")[0] for name in names)


async def bots_play(hutch: Hutch, ruleset: str, seats: int, enough: asyncio.Event) -> int:
    """Have bots play one game after another, and open a table that nobody starts beside each: how
    many were played to the end."""
    played = 0
    while not enough.is_set():
        table = await hutch.create_table(ruleset, seats=seats)
        for seat in range(seats):
            await table.assign_bot(seat, "random")
        await hutch.create_table(ruleset, seats=seats)
        await table.start()
        await watched(table)
        played += 1
    return played


async def soak(stack: RunningStack, minutes: float) -> list[str]:
    """Keep the stack at work so long: what piles up."""
    began = monotonic()
    samples: list[Sample] = []
    enough = asyncio.Event()
    async with connect(stack.gateways, balancing="round_robin", retries=PATIENT) as hutch:
        await hutch.guest("Host")
        others = [hutch.another() for _ in range(PARTIES)]
        for other in others:
            await other.guest("Player")
        parties = [Party(other, Random(number)) for number, other in enumerate(others)]
        of_bots = [
            asyncio.create_task(bots_play(hutch, ruleset, seats, enough))
            for ruleset, seats in GAMES.items()
        ]
        while monotonic() - began < 60 * minutes:
            await asyncio.sleep(SAMPLE_SECONDS)
            samples.append(sampled(stack, began))
        enough.set()
        played = [account for party in parties for account in await party.end()]
        async with asyncio.timeout(LAST_GAMES_SECONDS):
            by_bots = await asyncio.gather(*of_bots)
        for other in others:
            await other.close()
    print(f"games played: {len(played)} by players, {sum(by_bots)} by bots")
    faults = piled_up([one for one in samples if one.minute > WARM * minutes])
    left = await left_after(stack, seconds=KEPT_SECONDS + 30)
    print(f"keys in the end: {dict(keys_of(stack))}")
    return faults + left


def piled_up(samples: list[Sample]) -> list[str]:
    """What grew from the first sample to the last, beyond what is allowed."""
    faults = []
    minutes = [one.minute for one in samples]
    first, last = samples[0], samples[-1]
    print(f"{'process':12} {'MB':>12} {'MB/minute':>10} {'descriptors':>14}")
    for name in first.megabytes:
        held = [one.megabytes[name] for one in samples]
        slope = linear_regression(minutes, held).slope
        open_before, open_after = first.descriptors[name], last.descriptors[name]
        print(
            f"{name:12} {held[0]:5.1f} {held[-1]:6.1f} {slope:10.2f} {open_before:7} {open_after:6}"
        )
        if slope > MOST_MB_A_MINUTE:
            faults.append(f"{name} grows by {slope:.2f} MB a minute")
        if open_after > open_before + MOST_MORE_DESCRIPTORS:
            faults.append(f"{name} had {open_before} descriptors open, now {open_after}")
    print(f"keys: {sum(first.keys.values())}, later {sum(last.keys.values())}")
    return faults


async def left_after(stack: RunningStack, seconds: float) -> list[str]:
    """Wait until all games have ended and all tables have expired: what is left in that time."""
    deadline = monotonic() + seconds
    while True:
        left = {kind: count for kind, count in keys_of(stack).items() if kind in _OF_A_TABLE}
        if not left:
            return []
        if monotonic() > deadline:
            return [f"{left} keys of tables are left"]
        await asyncio.sleep(1.0)


def main() -> None:
    """Soak; the status is 1 where something piles up."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
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
            faults = asyncio.run(soak(stack, arguments.minutes))
    for fault in faults:
        print(f"FAULT: {fault}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
