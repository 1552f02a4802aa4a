"""What the soak calls a leak, and what not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from random import Random

import pytest

from tests.chaos.growth import Series, What, judge, slope
from tests.chaos.soak import held_by

#: Half an hour, looked at every five seconds.
MINUTES = [number / 12 for number in range(361)]
SEED = 20261130


def series(what: What, value_at: Callable[[float], float]) -> Series:
    return Series(what, "gateway-1", MINUTES, [value_at(minute) for minute in MINUTES])


def swinging(rng: Random, most: float) -> float:
    """Games come and go: mostly little, now and then a lot."""
    return most * rng.random() ** 3


def filling(minute: float) -> float:
    """Caches that are full by a third of the time."""
    return 90 + 40 * min(1.0, minute / 10)


def test_a_process_whose_caches_fill_and_whose_memory_swings_does_not_pile_up() -> None:
    rng = Random(SEED)
    found = judge(series("memory", lambda minute: filling(minute) + swinging(rng, 6)))
    assert not found.piles_up, found


@pytest.mark.parametrize(
    ("what", "an_hour", "swing"),
    [
        ("memory", 40, 6),
        ("descriptors", 10, 3),
        ("threads", 10, 2),
        ("redis memory", 40, 6),
        ("redis keys", 800, 100),
    ],
)
def test_a_leak_is_found_beneath_what_swings(what: What, an_hour: float, swing: float) -> None:
    rng = Random(SEED)
    leaking = judge(
        series(what, lambda minute: 100 + int(an_hour * minute / 60) + swinging(rng, swing))
    )
    assert leaking.piles_up
    assert leaking.an_hour == pytest.approx(an_hour, rel=0.15)
    assert str(leaking).startswith(f"{what} of gateway-1 grows by ")
    sound = judge(series(what, lambda _: 100 + swinging(rng, swing)))
    assert not sound.piles_up, sound


def test_one_more_descriptor_is_no_leak_and_one_every_few_minutes_is() -> None:
    assert not judge(series("descriptors", lambda minute: 30 + (minute > 22))).piles_up
    assert judge(series("descriptors", lambda minute: 30 + minute // 4)).piles_up


def test_a_short_run_finds_a_leak_that_is_large_enough_to_see() -> None:
    minutes = MINUTES[:61]  # five minutes
    leaking = [100 + 1.5 * minute for minute in minutes]
    assert judge(Series("memory", "rules-1", minutes, leaking)).piles_up


def test_the_slope_is_not_turned_by_outliers() -> None:
    rng = Random(SEED)
    wild = [1000 * rng.random() if rng.random() < 0.2 else 3 * minute for minute in MINUTES]
    assert slope(MINUTES, wild) == pytest.approx(3, rel=0.1)


def test_a_process_that_takes_memory_descriptors_and_threads_is_seen_to() -> None:
    """With those of its children, which may be what grows."""
    taking = """
import os, subprocess, sys, threading
waiting = [sys.executable, "-c", "print(flush=True); input()"]
child = subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()  # it has started, and grows no more
print(flush=True); input()
taken = b"x" * 30_000_000, [os.dup(0) for _ in range(20)]
threads = [threading.Thread(target=threading.Event().wait, daemon=True) for _ in range(5)]
[thread.start() for thread in threads]
print(flush=True); input()
child.communicate()
"""
    command = [sys.executable, "-c", taking]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        before = held_by(process.pid)
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()
        after = held_by(process.pid)
        process.communicate("\n")
    assert before.threads == 2  # one of the child
    assert after.threads - before.threads == 5
    assert after.descriptors - before.descriptors == 20
    assert 28 < after.mebibytes - before.mebibytes < 35
