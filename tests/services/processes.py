"""Single processes for tests, with settings of their own, beside the stack that all share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60


#: Those that listen say so; the others are known to run once they start.
LISTENING = ("hutch.gateway", "hutch.rules", "tests.chaos.newer_rules")


class Served:
    """A running process; `log` is the file with all its lines. It listens at `address`, or tells
    its metrics there if it does not listen."""

    def __init__(self, process: subprocess.Popen[str], address: str, log: Path) -> None:
        self.process = process
        self.address = address
        self.log = log


@contextmanager
def serving(module: str, log: Path, **variables: str) -> Iterator[Served]:
    """`python -m module`, words after the module being its arguments, with those variables, until
    the block ends; told where it listens."""
    says = "listening" if module in LISTENING else "starting"
    started = _start(module, variables)
    assert started.stdout is not None
    lines = log.open("a")
    watchdog = threading.Timer(START_SECONDS, started.kill)
    watchdog.start()
    try:
        address = None
        for line in started.stdout:
            lines.write(line)
            if f'"event":"{says}"' in line.replace(" ", ""):
                told = json.loads(line)
                address = f"127.0.0.1:{told['port']}" if "port" in told else told["metrics"]
                break
        assert address is not None, log.read_text()
        watchdog.cancel()
        rest = threading.Thread(target=lambda: lines.writelines(started.stdout or ()), daemon=True)
        rest.start()
        yield Served(started, address, log)
    finally:
        watchdog.cancel()
        started.terminate()
        try:
            started.wait(30)
        except subprocess.TimeoutExpired:
            started.kill()
            raise


def refused_start(module: str, **variables: str) -> tuple[int, str]:
    """The exit status of `python -m module`, which cannot start with those variables, and what it
    says."""
    started = _start(module, variables)
    try:
        said, _ = started.communicate(timeout=START_SECONDS)
    finally:
        started.kill()
    return started.returncode, said


def _start(module: str, variables: dict[str, str]) -> subprocess.Popen[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HUTCH_")}
    usual = {
        "HUTCH_GATEWAY_BIND": "127.0.0.1:0",
        "HUTCH_RULES_BIND": "127.0.0.1:0",
        "HUTCH_LOG_FORMAT": "json",
        "HUTCH_DRAIN_GRACE_SECONDS": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-m", *module.split()],
        env=environ | usual | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
