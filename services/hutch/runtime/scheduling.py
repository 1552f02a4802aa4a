"""Scheduling: which thread of a process runs next."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def finish_first() -> None:
    """Let a thread that is woken wait until the one that runs has nothing more to do.

    For a process whose threads hand each other many small things, as those of gRPC do. Otherwise
    whoever is handed something takes the core at once, and gives it back microseconds later. Call
    it before threads start, for they inherit it; other processes on the core are not interrupted
    either. Does nothing where the system has no such thing or does not allow it.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
