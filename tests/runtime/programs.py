"""Small programs that tests start as processes, and what is needed to see them end.

python programs.py serve            a gRPC server that says where it listens
python programs.py stubborn         one that never ends its drain by itself
python programs.py parent PROGRAM   starts that program as its child and waits
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import grpc.aio
import psutil

from hutch.runtime.drain import serve_until
from hutch.runtime.health import add_health
from hutch.runtime.process import Process
from hutch.runtime.settings.rules import RulesSettings

PATIENCE_SECONDS = 120.0


@contextlib.contextmanager
def started(program: str, *arguments: str, **variables: str) -> Iterator[Program]:
    """That program, running; it is gone afterwards."""
    usual = {"HUTCH_RULES_BIND": "127.0.0.1:0", "HUTCH_LOG_FORMAT": "json"}
    process = subprocess.Popen(
        [sys.executable, __file__, program, *arguments],
        env=os.environ | usual | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Program(process)
    finally:
        process.kill()
        process.communicate()


class Program:
    """A running program."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.pid = process.pid

    def said(self) -> dict[str, object]:
        """The next line that it prints, which is JSON."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read()
        said: dict[str, object] = json.loads(line)
        return said

    def ended(self) -> int:
        """Its status, once it has ended."""
        return self.process.wait(PATIENCE_SECONDS)

    def logged(self) -> list[dict[str, object]]:
        """What it logged, once it has ended."""
        _, written = self.process.communicate(timeout=PATIENCE_SECONDS)
        return [json.loads(line) for line in written.splitlines()]


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Return as soon as it holds; fail when it does not come to hold."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Whether that process exists and is no zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def say(**facts: object) -> None:
    print(json.dumps(facts), flush=True)


def add_endless_stream(server: grpc.aio.Server) -> None:
    """`/test/Endless` sends one message and then nothing, until it is cancelled."""

    async def endless(request: bytes, context: object) -> object:
        yield b"first"
        await asyncio.Event().wait()

    handler = grpc.unary_stream_rpc_method_handler(endless)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("test", {"Endless": handler}),)
    )


async def serve(process: Process[RulesSettings], stop: asyncio.Event) -> None:
    server = grpc.aio.server()
    add_health(server, process.health)
    add_endless_stream(server)
    port = server.add_insecure_port(process.settings.rules.bind)
    say(port=port, pid=os.getpid(), metrics=process.exposition.address)
    await serve_until(stop, server, process.health, process.settings.drain)


async def stubborn(process: Process[RulesSettings], stop: asyncio.Event) -> None:
    say(pid=os.getpid())
    await stop.wait()
    say(stopping=True)
    await asyncio.Event().wait()


def parent(program: str) -> None:
    environ = os.environ | {"HUTCH_DIE_WITH_PARENT": str(os.getpid())}
    child = subprocess.Popen([sys.executable, __file__, program], env=environ)
    child.wait()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve"]:
            Process("rules", RulesSettings).run(serve)
        case ["stubborn"]:
            Process("rules", RulesSettings).run(stubborn)
        case ["parent", program]:
            parent(program)
        case unknown:
            sys.exit(f"no such program in {Path(__file__).name}: {unknown}")
