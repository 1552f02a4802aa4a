"""`python -m tests.chaos.rolling`: everything but Redis restarted in turn, under so many actions a
second.

A throng makes most of the load; among it clients of the SDK play, watched, with all its ways to
balance. They must see no error and no gap, and the oracle must find every answer once.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic, process_time
from typing import Final

import uvloop
from msgspec import Struct

from hutch.client import connect
from hutch.client.channel import Balancing
from tests.chaos.gateways import NO_LIMITS
from tests.chaos.overload import PLAYER, token_of
from tests.chaos.parties import PATIENT, Party, faults_of
from tests.chaos.report import percentile
from tests.chaos.throng import Throng
from tests.stacks import RunningStack, running_stack

SEED: Final = 20261130
#: How many of the throng play at once, and how many actions a table of four takes at least.
AT_ONCE: Final = 256
ACTIONS_A_TABLE: Final = 60
WAYS: Final[tuple[Balancing, ...]] = ("failover", "round_robin")
#: As many in each way and each order of addresses.
PARTIES: Final = 4
THOUGHT_SECONDS: Final = 0.1
DRAIN_SECONDS: Final = 10.0
RESTART_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.05
_COUNTS: Final = ("--gateways=2", "--rules=2", "--workers=2")


class Restart(Struct, frozen=True):
    """A process that was told to stop: how long that took, and until another was ready."""

    name: str
    drained: float
    ready: float


async def restarted(stack: RunningStack, name: str) -> Restart:
    """Tell a process to stop, and wait until another one has its place."""
    facts = stack.facts
    pid, before = facts["pids"][name], facts["restarts"][name]
    began = monotonic()
    os.kill(pid, signal.SIGTERM)
    async with asyncio.timeout(RESTART_SECONDS):
        while stack.facts["restarts"][name] == before:
            await asyncio.sleep(_POLL_SECONDS)
        drained = monotonic() - began
        while stack.facts["states"][name] != "ready":
            await asyncio.sleep(_POLL_SECONDS)
    return Restart(name, drained, monotonic() - began)


@asynccontextmanager
async def parties(stack: RunningStack) -> AsyncIterator[list[Party]]:
    """Clients of the SDK, who play until the block ends."""
    async with AsyncExitStack() as clients:
        found = []
        for number in range(PARTIES):
            order = stack.gateways[:: -1 if number % 2 else 1]
            client = connect(order, balancing=WAYS[number // 2], retries=PATIENT)
            hutch = await clients.enter_async_context(client)
            await hutch.guest("Ada")
            found.append(Party(hutch, Random(SEED + number), THOUGHT_SECONDS))
        yield found


async def roll(stack: RunningStack, rate: float, minutes: float) -> list[str]:
    """Restart everything in turn for so long: what went wrong."""
    throng = Throng(stack.gateways, token_of(stack.data))
    tables = AT_ONCE + int(rate * 60 * minutes / ACTIONS_A_TABLE)
    await throng.gather(stack.redis_url, PLAYER, tables, AT_ONCE)
    enough = asyncio.Event()
    restarts: list[Restart] = []
    async with parties(stack) as playing:
        began, own_cpu = monotonic(), process_time()
        coming = asyncio.create_task(throng.come(rate, enough))
        while not restarts or monotonic() - began < 60 * minutes:
            for name in stack.facts["pids"]:
                if name != "redis":
                    restarts.append(await restarted(stack, name))
        seconds, own_cpu = monotonic() - began, process_time() - own_cpu
        answers = len(throng.seconds)
        enough.set()
        await coming
        accounts = [account for party in playing for account in await party.end()]
    show_restarts(restarts)
    print(
        f"throng: {answers / seconds:.0f} answers/s of {rate:.0f} wanted, half within "
        f"{1000 * median(throng.seconds):.0f} ms, 99 % within "
        f"{1000 * percentile(throng.seconds, 0.99):.0f} ms, {1000 * max(throng.seconds):.0f} ms at "
        f"most; sent again: {dict(throng.again)}\n"
        f"SDK: {sum(one.answers for one in accounts)} answers in {len(accounts)} games; all these "
        f"players took {own_cpu / seconds:.2f} cores"
    )
    faults = await throng.faults(stack.redis_url) + await faults_of(stack.redis_url, accounts)
    return faults + [
        f"{one.name} took {one.drained:.1f} s to stop"
        for one in restarts
        if one.drained > DRAIN_SECONDS
    ]


def show_restarts(restarts: Sequence[Restart]) -> None:
    """Print how long they took, by kind of process."""
    for kind in dict.fromkeys(one.name.split("-")[0] for one in restarts):
        ones = [one for one in restarts if one.name.split("-")[0] == kind]
        stopped, ready = [one.drained for one in ones], [one.ready for one in ones]
        print(
            f"{kind:11} {len(ones):3} restarts; stopped in {median(stopped):.1f} s, "
            f"{max(stopped):.1f} at most; replaced in {max(ready):.1f} s at most"
        )


def main() -> None:
    """Restart everything in turn; the status is 1 where anybody noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.rolling", description=__doc__)
    parser.add_argument(
        "--rate", type=float, default=1_000.0, help="actions of the throng a second"
    )
    parser.add_argument("--minutes", type=float, default=2.0)
    arguments = parser.parse_args()
    environ = NO_LIMITS | {"HUTCH_LOG_LEVEL": "warning"}
    with tempfile.TemporaryDirectory(prefix="hutch-") as folder:
        data = Path(folder) / "data"
        with (
            running_stack(data, *_COUNTS, environ=environ) as stack,
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            faults = runner.run(roll(stack, arguments.rate, arguments.minutes))
    for fault in faults:
        print(f"FAULT: {fault}")
    print("noticed" if faults else "noticed by nobody")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
