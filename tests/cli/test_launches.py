"""How programs become processes."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from hutch.cli.launches import launch_redis
from hutch.store.embedded import EmbeddedServer, ServerProgram, find_server
from tests.redis_servers import eventually


async def test_the_loop_goes_round_while_redis_reads_its_data(tmp_path: Path) -> None:
    slow, read = tmp_path / "slow-server", tmp_path / "read"
    slow.write_text(
        f'#!/bin/sh\nwhile ! [ -e {read} ]; do sleep 0.02; done\nexec {find_server().path} "$@"\n'
    )
    slow.chmod(0o755)
    server = EmbeddedServer(tmp_path / "redis", program=ServerProgram(slow, "slow 7.0.0"))
    launching = asyncio.create_task(launch_redis(server)())

    async def is_running() -> bool:
        return server.is_running()

    began = time.monotonic()
    await eventually(is_running)
    assert not launching.done(), f"the loop stood still for {time.monotonic() - began:.0f} s"
    read.touch()
    running = await launching
    assert server.ask("PING") == "+PONG\r\n"
    assert running.pid == server.pid
    server.stop()
