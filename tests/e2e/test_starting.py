"""A process that starts while Redis is away waits for it, and ends when it is told to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hutch.cli.ports import held_ports
from hutch.cli.probes import http_probe
from hutch.store.embedded import EmbeddedServer
from tests.redis_servers import eventually
from tests.services.processes import serving

WHO_NEEDS_REDIS = [("hutch.gateway",), ("hutch.timekeeper",), ("hutch.workers", "dispatcher")]


class Starting:
    """A process that was started just now."""

    def __init__(self, process: subprocess.Popen[str], address: str, log: Path) -> None:
        self.process = process
        self.is_ready = http_probe(address, "/readyz")
        self._log = log

    async def misses_redis(self) -> bool:
        """Whether it has said so, and has not given up."""
        return self._told() > 0

    async def misses_redis_for_long(self) -> bool:
        """Whether it has said so again and again."""
        return self._told() > 3

    def _told(self) -> int:
        assert self.process.poll() is None, self._log.read_text()
        return len(re.findall("store_unavailable|Cannot connect", self._log.read_text()))


@contextmanager
def starting(
    folder: Path, redis: EmbeddedServer, *module: str, rules: str = "127.0.0.1:1"
) -> Iterator[Starting]:
    """`python -m MODULE` on that Redis, with those rules, killed at the end."""
    log = folder / "log"
    with held_ports([0]) as (port,), log.open("w") as lines:
        variables = {
            "HUTCH_REDIS_URL": redis.url,
            "HUTCH_RULES_ADDRESSES": rules,
            "HUTCH_TOKEN_KEY_FILE": str(folder / "keys.json"),
            "HUTCH_GATEWAY_BIND": "127.0.0.1:0",
            "HUTCH_METRICS_BIND": f"127.0.0.1:{port}",
        }
        process = subprocess.Popen(
            [sys.executable, "-m", *module],
            env={**os.environ, **variables},
            stdout=lines,
            stderr=lines,
            text=True,
        )
        try:
            yield Starting(process, f"127.0.0.1:{port}", log)
        finally:
            process.kill()
            process.wait()


@pytest.mark.parametrize("module", WHO_NEEDS_REDIS, ids=lambda module: module[-1])
async def test_a_process_that_starts_while_redis_is_away_waits_for_it(
    tmp_path: Path, module: tuple[str, ...]
) -> None:
    redis = EmbeddedServer(tmp_path / "redis")
    with (
        serving("hutch.rules", tmp_path / "rules.log") as rules,
        starting(tmp_path, redis, *module, rules=rules.address) as process,
    ):
        await eventually(process.misses_redis, within_s=60, every_s=0.05)
        assert not await process.is_ready()
        with redis:
            await eventually(process.is_ready, within_s=60, every_s=0.05)


async def test_a_process_that_waits_for_redis_ends_when_it_is_told_to(tmp_path: Path) -> None:
    redis = EmbeddedServer(tmp_path / "redis")
    with starting(tmp_path, redis, "hutch.timekeeper") as process:
        await eventually(process.misses_redis, within_s=60, every_s=0.05)
        process.process.terminate()
        assert process.process.wait(30) == 0


async def test_a_worker_finds_redis_soon_however_long_it_was_away(tmp_path: Path) -> None:
    redis = EmbeddedServer(tmp_path / "redis")
    with starting(tmp_path, redis, "hutch.workers", "bots") as worker:
        await eventually(worker.misses_redis_for_long, within_s=60, every_s=0.05)
        with redis:
            await eventually(worker.is_ready, within_s=10, every_s=0.05)
