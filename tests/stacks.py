"""Whole stacks for tests: `hutch up` as a user starts it, with all its processes.

Import `stack` into a `conftest.py` for one that the tests of a session share, or start one of your
own with `running_stack`, to kill its processes as you like.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.request import urlopen

import pytest

from hutch.client import Hutch, Table

#: How many tables may be watched over one Play stream of the shared stack.
WATCHES = 8
#: How many streams a player may have open there, and how many may watch one table from outside.
STREAMS = 32
SPECTATORS = 40
START_SECONDS = 120
STOP_SECONDS = 60


class RunningStack:
    """A stack on a folder. Once up, `gateway` is the address of its first gateway, `gateways` of
    all, `data` the folder, and `told` the line that it printed."""

    told: dict[str, Any]
    gateway: str
    gateways: list[str]
    redis_url: str
    process: subprocess.Popen[str]
    #: How long the last start took.
    start_seconds: float

    def __init__(self, data: Path, *arguments: str, environ: Mapping[str, str]) -> None:
        self.data = data.absolute()
        self.log = data.parent / f"{data.name}.log"
        # Where an argument comes twice, the last counts.
        up = [sys.executable, "-m", "hutch.cli", "up", "--json", "--gateway-port", "0"]
        self._command = [*up, "--data", str(data), *arguments]
        self._environ = {**os.environ, "HUTCH_DIE_WITH_PARENT": str(os.getpid()), **environ}

    @property
    def facts(self) -> dict[str, Any]:
        """The stack as it is now: `pids`, `states`, `restarts` and `metrics` by process."""
        facts: dict[str, Any] = json.loads((self.data / "stack.json").read_text())
        return facts

    def launch(self) -> None:
        """Start it, and do not wait."""
        self._launched = monotonic()
        self.process = subprocess.Popen(
            self._command,
            stdout=subprocess.PIPE,
            stderr=self.log.open("a"),
            text=True,
            env=self._environ,
        )

    def wait_until_up(self) -> None:
        """Wait until all its processes are ready."""
        watchdog = threading.Timer(START_SECONDS, self.process.kill)
        watchdog.start()
        try:
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            assert line, self.log.read_text()[-4000:]
        finally:
            watchdog.cancel()
        # What it prints later must not fill the pipe.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.start_seconds = monotonic() - self._launched
        self.told = json.loads(line)
        self.gateway, self.gateways = self.told["gateway"], self.told["gateways"]
        self.redis_url = self.told["redis_url"]

    def kill(self, name: str) -> int:
        """Kill -9 the process of that name, of which the stack starts another: how often that one
        had been restarted before."""
        facts = self.facts
        os.kill(facts["pids"][name], signal.SIGKILL)
        return int(facts["restarts"][name])

    def crash(self) -> None:
        """Kill -9 all processes at once, the one that would start others before all."""
        pids = self.facts["pids"].values()
        self.process.kill()
        for pid in filter(None, pids):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End it, as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def scrape(self, name: str) -> str:
        """The metrics of the process of that name."""
        with urlopen(f"http://{self.facts['metrics'][name]}/metrics", timeout=10) as answer:
            text: str = answer.read().decode()
        return text


@contextmanager
def running_stack(
    data: Path, *arguments: str, environ: Mapping[str, str] | None = None
) -> Iterator[RunningStack]:
    """`hutch up` on that folder, until the block ends."""
    stack = RunningStack(data, *arguments, environ=environ or {})
    stack.launch()
    try:
        stack.wait_until_up()
        yield stack
    finally:
        stack.stop()


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """A stack that the tests of a session share."""
    data = tmp_path_factory.mktemp("stack") / "data"
    environ = {
        "HUTCH_LIMIT_WATCHES": str(WATCHES),
        # Tests call as fast as they can; limits are shown with actions.
        "HUTCH_LIMIT_CALLS_PER_SECOND": "0",
        "HUTCH_LIMIT_ACTIONS_PER_SECOND": "50",
        "HUTCH_LIMIT_REFUSALS_PER_SECOND": "0",
        "HUTCH_LIMIT_STREAMS": str(STREAMS),
        "HUTCH_LIMIT_SPECTATORS": str(SPECTATORS),
        "HUTCH_STREAM_HEARTBEAT_SECONDS": "0.5",
        "HUTCH_STREAM_SLOW_SECONDS": "1.5",
    }
    with running_stack(data, "--workers", "1", environ=environ) as running:
        yield running


async def bot_table(hutch: Hutch) -> Table:
    """A table of four bots, not started."""
    table = await hutch.create_table("rabbit-space", seats=4)
    for seat in range(4):
        await table.assign_bot(seat, "random")
    return table
