"""Bounds: a bot that thinks for ever or takes all memory fails, and its worker lives on."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from hutch.workers.bounds import OutOfTime, Quit, thinking

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
