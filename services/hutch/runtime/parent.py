"""Parent: a process that was started for another one ends with it, even when that is killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from typing import Final

_POLL_SECONDS: Final = 0.5
_PR_SET_PDEATHSIG: Final = 1


def die_with_parent(expected: int, *, grace_seconds: float) -> None:
    """From now on, be terminated when the parent dies, and gone `grace_seconds` later at most.

    `expected` is the parent's process id, or 1 for whichever it is now; with an id, a parent that
    died before this call is noticed as well.
    """
    parent = os.getppid() if expected == 1 else expected
    if sys.platform == "linux":
        # The kernel sends the signal even if no thread of ours gets to run.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    threading.Thread(
        target=_watch, args=(parent, grace_seconds), name="parent", daemon=True
    ).start()


def _watch(parent: int, grace_seconds: float) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace_seconds)
    os._exit(1)
