"""Supervisor: keeps a set of programs running, and ends them all in order.

One that dies is started again after a pause that grows; one that keeps dying before it is
ready ends everything, with a reason. They start stage by stage, where a later stage needs the
earlier one's answer, also when they start again; and end in the reverse order, so that what drains
can still use what it stands on.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Final, Protocol

from msgspec import Struct

from hutch.cli.launches import Launch, Running
from hutch.store.errors import StoreError

Probe = Callable[[], Awaitable[bool]]

# What a process exits with when its settings are bad: to start it again will not help.
_HOPELESS_STATUS: Final = 78
_PROBE_SECONDS: Final = 0.05
_TAIL_LINES: Final = 12
# Its output ends with it, unless it left somebody behind who holds the other end.
_LAST_WORDS_SECONDS: Final = 1.0


class Program(Struct, frozen=True, kw_only=True):
    """What to run. `ready` tells that it takes work, `alive` that it still goes round."""

    name: str
    launch: Launch
    ready: Probe
    alive: Probe
    stage: int


class Patience(Struct, frozen=True, kw_only=True):
    """How long is waited for what, in seconds, and how many deaths are a crash loop.

    Only deaths in a row count, of one that did not get ready. One that was ready before and takes
    longer than `start` is no reason to end everything: it is killed and started again.
    """

    start: float = 60.0
    stop: float = 20.0
    first_pause: float = 0.1
    longest_pause: float = 5.0
    deaths: int = 5
    within: float = 30.0
    stalled: float = 30.0
    probe_alive_every: float = 5.0


class State(StrEnum):
    """Where a program is in its life."""

    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    PAUSING = "pausing"
    STOPPED = "stopped"


class Child:
    """A program and the process that runs it now."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.state = State.WAITING
        self.restarts = 0
        #: Whether it got ready, in the life that it lives or lived last; and in any.
        self.got_ready = False
        self.ever_ready = False
        self.running: Running | None = None
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)

    @property
    def name(self) -> str:
        """The program's name."""
        return self.program.name

    @property
    def pid(self) -> int | None:
        """The process now, if one runs."""
        return self.running.pid if self.running and not self.running.ended else None

    def send(self, number: signal.Signals) -> None:
        """Send that signal to the process, if one runs."""
        if self.running is not None:
            with contextlib.suppress(ProcessLookupError):
                self.running.send(number)


class Observer(Protocol):
    """Who is told what goes on."""

    def wrote(self, child: Child, line: str) -> None:
        """The program wrote a line, here without its end."""

    def changed(self, child: Child) -> None:
        """Its state is another."""

    def died(self, child: Child, how: str, pause_seconds: float) -> None:
        """It ended unasked and is to be started again after that pause."""


class StackError(Exception):
    """Why everything had to end, for a person to read."""


class Supervisor:
    """Keeps programs running."""

    def __init__(
        self,
        programs: Sequence[Program],
        observer: Observer,
        *,
        patience: Patience = Patience(),  # noqa: B008
    ) -> None:
        self.children = [Child(program) for program in programs]
        self.all_ready = asyncio.Event()
        self._observer = observer
        self._patience = patience
        self._stopping = False
        self._stage_ready = {child.program.stage: asyncio.Event() for child in self.children}

    async def run(self, stop: asyncio.Event) -> None:
        """Run all programs until `stop` is set or one cannot be kept running; then end them.

        Raises:
            StackError: a program crashed again and again, or did not get ready in time.
        """
        asked = asyncio.create_task(stop.wait())
        keepers = [asyncio.create_task(self._keep(child)) for child in self.children]
        try:
            done, _ = await asyncio.wait([asked, *keepers], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._stopping = True
            await self._stop_all()
            for task in (asked, *keepers):
                task.cancel()
            await asyncio.gather(asked, *keepers, return_exceptions=True)
            await self._stop_all()  # what was being launched meanwhile
        for task in done - {asked}:
            task.result()

    def kill(self) -> None:
        """End all programs at once, without their leave."""
        self._stopping = True
        for child in self.children:
            child.send(signal.SIGKILL)

    async def _keep(self, child: Child) -> None:
        deaths: deque[float] = deque(maxlen=self._patience.deaths)
        in_vain = 0
        while True:
            for stage, ready in sorted(self._stage_ready.items()):
                if stage < child.program.stage:
                    await ready.wait()
            if self._stopping:
                return
            how = await self._live_once(child)
            if self._stopping:
                return
            now = time.monotonic()
            deaths.append(now)
            recent = sum(now - death < self._patience.within for death in deaths)
            in_vain = 0 if child.got_ready else in_vain + 1
            if min(recent, in_vain) == self._patience.deaths:
                raise StackError(
                    f"{child.name} {how}, the {recent}th time within {now - deaths[0]:.1f} s."
                    + _last_words(child)
                )
            pause = min(
                self._patience.first_pause * 2 ** (recent - 1), self._patience.longest_pause
            )
            child.restarts += 1
            self._enter(child, State.PAUSING)
            self._observer.died(child, how, pause)
            await asyncio.sleep(pause)

    async def _live_once(self, child: Child) -> str:
        """Run the program once, to its end; in words, how it ended."""
        child.got_ready = False
        try:
            running = await self._launch(child)
        except (OSError, StoreError) as fault:
            return f"could not be started: {fault}"
        self._enter(child, State.STARTING)
        watch = asyncio.create_task(self._watch(child))
        reader = asyncio.create_task(self._read(child, running))
        ended = asyncio.create_task(running.wait())
        try:
            done, _ = await asyncio.wait([ended, watch], return_when=asyncio.FIRST_COMPLETED)
            if watch in done and not self._stopping:
                watch.result()
            status = await ended
            await asyncio.wait([reader], timeout=_LAST_WORDS_SECONDS)
        finally:
            for task in (watch, reader, ended):
                task.cancel()
            running.close()
        self._enter(child, State.STOPPED)
        if status == _HOPELESS_STATUS and not self._stopping:
            raise StackError(f"{child.name} cannot start.{_last_words(child)}")
        return _manner(status)

    async def _launch(self, child: Child) -> Running:
        """Launch it. A stop in the middle would lose sight of the process, so it comes after."""
        launching = asyncio.ensure_future(child.program.launch())
        try:
            child.running = await asyncio.shield(launching)
        except asyncio.CancelledError:
            child.running = await launching
            await self._stop(child)
            raise
        return child.running

    async def _watch(self, child: Child) -> None:
        """See it become ready, and kill it when it does not, or stalls later.

        Raises `StackError` where it does not at its first start.
        """
        try:
            async with asyncio.timeout(self._patience.start):
                while not await child.program.ready():  # noqa: ASYNC110
                    await asyncio.sleep(_PROBE_SECONDS)
        except TimeoutError:
            if child.ever_ready:
                child.send(signal.SIGKILL)
                return
            raise StackError(
                f"{child.name} is not ready after {self._patience.start:g} s.{_last_words(child)}"
            ) from None
        child.got_ready = child.ever_ready = True
        self._enter(child, State.READY)
        beaten = time.monotonic()
        while True:
            await asyncio.sleep(self._patience.probe_alive_every)
            if await child.program.alive():
                beaten = time.monotonic()
            elif time.monotonic() - beaten > self._patience.stalled:
                child.send(signal.SIGKILL)

    async def _read(self, child: Child, running: Running) -> None:
        """Pass its lines on; a pipe that nobody reads would stop it in the middle of a line."""
        async for line in running.lines():
            child.tail.append(line)
            self._observer.wrote(child, line)

    def _enter(self, child: Child, state: State) -> None:
        if child.state is state:
            return
        child.state = state
        waiting = {child.program.stage for child in self.children if child.state is not State.READY}
        for stage, ready in self._stage_ready.items():
            if stage in waiting:
                ready.clear()
            else:
                ready.set()
        if not waiting:
            self.all_ready.set()
        self._observer.changed(child)

    async def _stop_all(self) -> None:
        for stage in sorted(self._stage_ready, reverse=True):
            children = [child for child in self.children if child.program.stage == stage]
            await asyncio.gather(*(self._stop(child) for child in children))

    async def _stop(self, child: Child) -> None:
        if child.running is None:
            return
        child.send(signal.SIGTERM)
        # One that is held by SIGSTOP hears the other signal only when it goes on.
        child.send(signal.SIGCONT)
        try:
            async with asyncio.timeout(self._patience.stop):
                await child.running.wait()
        except TimeoutError:
            child.send(signal.SIGKILL)
            await child.running.wait()
        self._enter(child, State.STOPPED)


def _manner(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"


def _last_words(child: Child) -> str:
    if not child.tail:
        return ""
    return " It wrote last:\n" + "\n".join(f"  {line}" for line in child.tail)
