"""A worker that hears nothing any more ends, so that it is started again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hutch.store.embedded import EmbeddedServer
from hutch.workers.celery_app import BOTS, celery_app
from hutch.workers.watchdog import START_ANEW_STATUS
from tests.services.processes import serving
from tests.workers.watched_worker import HANG

CANARIES = 10
END_SECONDS = 60


@pytest.fixture
def broker(own_redis_server: EmbeddedServer) -> str:
    """A broker of its own, as Celery names it."""
    return own_redis_server.url.replace("unix:", "redis+socket:")


@pytest.fixture
def worker(broker: str) -> Iterator[subprocess.Popen[str]]:
    """A worker that is watched."""
    command = [sys.executable, "-m", "tests.workers.watched_worker", broker]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        yield started
        started.kill()


def test_a_worker_that_cannot_go_on_does_not_end_as_if_told_to(
    own_redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    own_redis_server.ask("REPLICAOF", "127.0.0.1", "1")  # from which nothing may be taken
    log = tmp_path / "worker.log"
    with serving("hutch.workers bots", log, HUTCH_REDIS_URL=own_redis_server.url) as worker:
        assert worker.process.wait(END_SECONDS) == 1, log.read_text()


def test_a_worker_that_hangs_is_ended_and_one_that_hears_is_not(
    worker: subprocess.Popen[str], broker: str
) -> None:
    assert worker.stdout is not None
    for _ in range(CANARIES):
        assert worker.stdout.readline() == "heard\n"
    assert worker.poll() is None
    celery_app(broker).send_task(HANG, queue=BOTS)
    assert worker.wait(END_SECONDS) == START_ANEW_STATUS
