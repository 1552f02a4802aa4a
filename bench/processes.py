"""Processes: starting the programs that are measured, and reading what they use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
import psutil

from bench.cores import Side, pin_process
from bench.load.orders import Counted, Run, Watch, Watching

_PATIENCE_SECONDS = 30.0

Report = TypeVar("Report", Counted, Watching)


class ProcessFailed(Exception):
    """A program did not come up, or ended while it was needed."""


class Program:
    """`python -m MODULE` on one side's core, told to listen on any free port.

    Its log goes to a file in `folder`, from which the port is read.
    """

    def __init__(
        self, module: str, folder: Path, environ: Mapping[str, str], side: Side, *, name: str = ""
    ) -> None:
        self.name = name or module.rpartition(".")[2]
        self._log = folder / f"{self.name}.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                (sys.executable, "-m", module),
                env={
                    **os.environ,
                    **environ,
                    "HUTCH_LOG_FORMAT": "json",
                    "HUTCH_DIE_WITH_PARENT": str(os.getpid()),
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        pin_process(self._process.pid, side)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def address(self) -> str:
        """Where it listens, once it does. Raises `ProcessFailed`."""
        return f"127.0.0.1:{self.said('listening')['port']}"

    def said(self, event: str) -> dict[str, Any]:
        """The first line of its log about that, once it is there. Raises `ProcessFailed`."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for line in self._log.read_text().splitlines():
                if f'"{event}"' in line:
                    found: dict[str, Any] = json.loads(line)
                    return found
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        tail = "\n".join(self._log.read_text().splitlines()[-15:])
        raise ProcessFailed(f"{self.name} never said {event!r}:\n{tail}")

    def stop(self) -> None:
        """Ask it to stop; kill it where it does not."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()


def cpu_seconds(pid: int) -> float:
    """The processor time a process has used so far, user and system, all threads."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def resident_bytes(pid: int) -> int:
    """The memory a process holds."""
    return int(psutil.Process(pid).memory_info().rss)


class LoadProcess:
    """The process that makes the load, beside rules and Redis. Orders go in, reports come out."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            (sys.executable, "-m", "bench.load"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        pin_process(self._process.pid, "others")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def run(self, order: Run) -> Counted:
        """Have an order carried out. Raises `ProcessFailed`."""
        return self._ask(order, Counted)

    def watch(self, order: Watch) -> Watching:
        """Have watches opened. Raises `ProcessFailed`."""
        return self._ask(order, Watching)

    def _ask(self, order: Run | Watch, kind: type[Report]) -> Report:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise ProcessFailed("the load process ended; what it wrote is above")
        return msgspec.json.decode(line, type=kind)
