"""Bounds: a bot that thinks for ever or takes all memory fails, and its worker lives on."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from hutch.workers.bounds import OutOfTime, Quit, fail_in_time, thinking

BOUND_MEGABYTES = 256
#: A worker of its own kind: it lets a bot think again and again, and looks at its memory between.
HOARDING = f"""
from hutch.workers.bounds import MemoryBound, thinking
memory = MemoryBound({BOUND_MEGABYTES})
kept = []
def hoard(blocks):
    while True:
        blocks.append(bytearray(8_000_000))
for blocks in ([], [], kept):
    assert not memory.is_near
    try:
        with thinking(10):
            hoard(blocks if blocks is kept else [])
    except MemoryError as failure:
        print(failure.__traceback__ is not None, memory.is_near)
"""


@pytest.fixture
def failing_in_time() -> Iterator[None]:
    """Thoughts that take too long fail."""
    before = signal.getsignal(signal.SIGPROF)
    fail_in_time()
    yield
    signal.signal(signal.SIGPROF, before)


@pytest.mark.usefixtures("failing_in_time")
def test_a_bot_that_thinks_for_ever_is_stopped() -> None:
    def think() -> None:
        while True:
            with suppress(Exception):
                time.process_time()

    before = time.process_time()
    with pytest.raises(OutOfTime), thinking(0.2):
        think()
    # The bound is counted in ticks of the kernel, of which one that has begun counts whole.
    assert time.process_time() - before > 0.1


def test_a_bot_that_thinks_for_ever_where_nothing_can_be_raised_takes_its_process_along() -> None:
    # In a thread, as in a worker.
    looping = """
from threading import Thread
from hutch.workers.bounds import thinking
def think():
    with thinking(0.1):
        while True:
            try:
                sum(range(1000))
            except BaseException:
                continue
Thread(target=think).start()
"""
    assert subprocess.run([sys.executable, "-c", looping]).returncode == -signal.SIGPROF


def test_what_comes_after_a_thought_takes_as_long_as_it_likes() -> None:
    with thinking(0.05):
        pass
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass


def test_a_machine_that_stands_still_is_no_fault_of_the_bot() -> None:
    with thinking(0.05):
        threading.Event().wait(0.2)


def test_a_bot_that_would_quit_does_not_take_its_worker_along() -> None:
    with pytest.raises(Quit), thinking(1):
        sys.exit(3)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows such a bound")
def test_a_bot_that_takes_all_memory_fails_and_gives_it_back_unless_it_is_kept() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", HOARDING], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == ["True False", "True False", "True True"]
