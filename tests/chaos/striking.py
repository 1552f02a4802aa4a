"""Striking: processes of a running stack killed or held still, and how long they are missed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from contextlib import suppress
from random import Random
from time import monotonic
from typing import Any, Final

import psutil
from msgspec import Struct

from tests.chaos.plan import Blow
from tests.stacks import RunningStack

POLL_SECONDS: Final = 0.05
HOLD_SECONDS: Final = (1.0, 4.0)
#: A process that is not ready again by then never will be.
RECOVERY_SECONDS: Final = 60.0
#: A crashed stack takes work again within that time, or, where a machine is busy with other things,
#: within so many times what its very first start took.
READY_SECONDS: Final = 15.0
READY_STARTS: Final = 2.0


class StackEnded(Exception):
    """The stack ended by itself; the last that it wrote."""


class Struck(Struct):
    """A blow that fell. `seconds` from there until its victims were ready again; None where a
    later blow made that hard to tell."""

    blow: str
    victims: list[str]
    seconds: float | None = None


class Striker:
    """Strikes one blow after another."""

    def __init__(self, stack: RunningStack, rng: Random) -> None:
        self.struck: list[Struck] = []
        self.problems: list[str] = []
        self._stack = stack
        self._first_start_seconds = stack.start_seconds
        self._rng = rng
        self._recovering: set[asyncio.Task[None]] = set()
        #: Whom the stack may not have missed yet.
        self._killed: set[int] = set()

    async def strike(self, blow: Blow, after_seconds: float) -> None:
        """Strike, so long after there is something to be struck."""
        await self._victims(blow)
        await asyncio.sleep(after_seconds)
        match blow.way:
            case "kill":
                await self._kill(blow)
            case "hold":
                await self._hold(blow)
            case "all":
                await self._kill(blow)
            case "crash":
                await self._crash(blow)

    def require_stack(self) -> None:
        """Raise `StackEnded` where `hutch up` has given up: nothing can be judged then."""
        if self._stack.process.poll() is not None:
            raise StackEnded(self._stack.log.read_text()[-2000:])

    async def recovered(self) -> None:
        """Wait until all is as before."""
        await asyncio.gather(*self._recovering)

    async def _kill(self, blow: Blow) -> None:
        pids, restarts = await self._victims(blow)
        for pid in pids.values():
            self._send(signal.SIGKILL, pid)
            self._killed.add(pid)
        struck = Struck(blow.name, sorted(pids))
        self.struck.append(struck)
        before = {name: restarts[name] for name in pids}
        task = asyncio.create_task(self._see_recovered(struck, before, monotonic()))
        self._recovering.add(task)
        task.add_done_callback(self._recovering.discard)

    async def _hold(self, blow: Blow) -> None:
        pids, _ = await self._victims(blow)
        (name, pid), *_ = pids.items()
        self.struck.append(Struck(blow.name, [name]))
        self._send(signal.SIGSTOP, pid)
        await asyncio.sleep(self._rng.uniform(*HOLD_SECONDS))
        self._send(signal.SIGCONT, pid)

    async def _crash(self, blow: Blow) -> None:
        pids, _ = await self._victims(Blow("all"))
        for task in self._recovering:
            task.cancel()
        self._stack.crash()
        self._stack.launch()
        await asyncio.to_thread(self._stack.wait_until_up)
        seconds = self._stack.start_seconds
        self.struck.append(Struck(blow.name, [*sorted(pids), "up"], seconds))
        if seconds > max(READY_SECONDS, READY_STARTS * self._first_start_seconds):
            self.problems.append(
                f"up {seconds:.1f} s after a crash; the first start took "
                f"{self._first_start_seconds:.1f} s"
            )

    async def _victims(self, blow: Blow) -> tuple[dict[str, int], Mapping[str, int]]:
        """Names and process ids of who is struck, and how often each was started again so far."""
        while True:
            facts = self._facts()
            pids = facts.get("pids", {}).items()
            running = {name: pid for name, pid in pids if pid and pid not in self._killed}
            if blow.kind:
                running = {
                    name: pid for name, pid in running.items() if name.split("-")[0] == blow.kind
                }
            if running:
                break
            await asyncio.sleep(POLL_SECONDS)
        if blow.kind:
            name = self._rng.choice(sorted(running))
            running = {name: running[name]}
        return running, facts["restarts"]

    async def _see_recovered(self, struck: Struck, before: Mapping[str, int], began: float) -> None:
        missed = dict(before)
        while monotonic() - began < RECOVERY_SECONDS:
            facts = self._facts()
            if facts:
                missed = {
                    name: times
                    for name, times in missed.items()
                    if facts["restarts"][name] <= times or facts["states"][name] != "ready"
                }
            if not missed:
                struck.seconds = monotonic() - began
                return
            await asyncio.sleep(POLL_SECONDS)
        self.problems.append(
            f"{', '.join(missed)}: not ready {RECOVERY_SECONDS:.0f} s after {struck.blow}"
        )

    def _facts(self) -> dict[str, Any]:
        """What the stack tells of itself; nothing while `hutch up` starts."""
        self.require_stack()
        try:
            return self._stack.facts
        except FileNotFoundError:
            return {}

    def _send(self, number: signal.Signals, pid: int) -> None:
        """Send that signal to a process of the stack, if it is still there."""
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            if process.ppid() == self._stack.process.pid:
                process.send_signal(number)
