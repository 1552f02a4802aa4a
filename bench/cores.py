"""Cores: what runs where, so that figures say which side of the path they measure.

On a machine with one core everything shares it, and the ratios say little; the report tells.
"""

from __future__ import annotations

import os
from typing import Final, Literal

import psutil

#: `gateway`: the door that is measured. `others`: rules, Redis and the load.
Side = Literal["gateway", "others"]

#: The cores this process may use.
CORES: Final = sorted(os.sched_getaffinity(0))


def core_of(side: Side) -> int:
    """The core of that side."""
    return CORES[0] if side == "gateway" else CORES[-1]


def pin_process(pid: int, side: Side) -> None:
    """Keep a running process, with all its threads, on the side's core."""
    for thread in psutil.Process(pid).threads():
        os.sched_setaffinity(thread.id, {core_of(side)})
