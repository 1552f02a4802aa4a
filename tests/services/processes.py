"""Single processes for tests, with settings of their own, beside the stack that all share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

START_SECONDS = 120


#: Those that listen say so; the others are known to run once they start.
LISTENING = ("hutch.gateway", "hutch.rules", "tests.chaos.newer_rules")


class Served:
    """A running process; `log` is the file with all its lines. It listens at `address`, if it
    listens, and tells its metrics at `metrics`."""

    def __init__(
        self, process: subprocess.Popen[str], address: str, metrics: str, log: Path
    ) -> None:
        self.process = process
        self.address = address
        self.metrics = metrics
        self.log = log

    def scrape(self) -> str:
        """Its metrics."""
        with urlopen(f"http://{self.metrics}/metrics", timeout=60) as answer:
            text: str = answer.read().decode()
        return text


@contextmanager
def serving(
    module: str, log: Path, *, python: str = sys.executable, **variables: str
) -> Iterator[Served]:
    """`python -m module`, words after the module being its arguments, with those variables, until
    the block ends."""
    last_word = "listening" if module in LISTENING else "starting"
    started = _start(python, module, variables)
    assert started.stdout is not None
    lines = log.open("a", buffering=1)
    watchdog = threading.Timer(START_SECONDS, started.kill)
    watchdog.start()
    try:
        told: dict[str, Any] = {}
        for line in started.stdout:
            lines.write(line)
            with suppress(json.JSONDecodeError):
                told |= json.loads(line)
            if told.get("event") == last_word:
                break
        assert told.get("event") == last_word, log.read_text()
        address = f"127.0.0.1:{told['port']}" if "port" in told else ""
        watchdog.cancel()
        rest = threading.Thread(target=lambda: lines.writelines(started.stdout or ()), daemon=True)
        rest.start()
        yield Served(started, address, told["metrics"], log)
    finally:
        watchdog.cancel()
        started.terminate()
        try:
            started.wait(60)
        except subprocess.TimeoutExpired:
            started.kill()
            raise


def refused_start(module: str, **variables: str) -> tuple[int, str]:
    """The exit status of `python -m module`, which cannot start with those variables, and what it
    says."""
    started = _start(sys.executable, module, variables)
    try:
        said, _ = started.communicate(timeout=START_SECONDS)
    finally:
        started.kill()
    return started.returncode, said


def _start(python: str, module: str, variables: dict[str, str]) -> subprocess.Popen[str]:
    usual = {
        "HUTCH_GATEWAY_BIND": "127.0.0.1:0",
        "HUTCH_RULES_BIND": "127.0.0.1:0",
        "HUTCH_LOG_FORMAT": "json",
        "HUTCH_DRAIN_GRACE_SECONDS": "1",
        "HUTCH_DIE_WITH_PARENT": str(os.getpid()),
    }
    return subprocess.Popen(
        [python, "-m", *module.split()],
        env=os.environ | usual | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
