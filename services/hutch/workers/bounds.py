"""Bounds: how long a bot may think, and how much memory it may take.

A bot that reaches a bound has failed like one that raises, and it can be told where; or it ends the
process that it thinks in, as the kernel does it, whatever the bot is about.
"""

from __future__ import annotations

import resource
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_STATM_DATA: Final = 5  # which of its numbers, counted in pages


class OutOfTime(Exception):
    """A bot thought for too long."""


class Quit(Exception):
    """A bot wanted to end the process."""


class _Alarm(BaseException):
    """Ends the thinking of a bot, also of one that catches every `Exception`."""


def fail_in_time() -> None:
    """From now on a thought that takes too long fails, and its process lives on. For the main
    thread, in which thoughts must then be had."""
    signal.signal(signal.SIGPROF, _ring)


@contextmanager
def thinking(seconds: float) -> Iterator[None]:
    """Let a bot think in the block, for so many seconds of processor time at most.

    Not by the clock on the wall: a machine that is slow, or stands still, is no fault of the bot.
    Counted in ticks of the kernel, so give or take a few milliseconds. When they are over the
    kernel ends the process, whatever that is about; after `fail_in_time`, `OutOfTime` is raised.
    Whatever the block raises is an `Exception`.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _Alarm as alarm:
        raise OutOfTime(f"after {seconds:g} s").with_traceback(alarm.__traceback__) from None
    except SystemExit as quitting:
        raise Quit(str(quitting.code)).with_traceback(quitting.__traceback__) from None
    except MemoryError as failure:
        # Its frames hold on to what it took, as long as anybody looks at the failure.
        traceback.clear_frames(failure.__traceback__)
        raise


class MemoryBound:
    """The most memory that this process may take for its data; beyond it, `MemoryError`.

    Only Linux knows one. 0 megabytes: none.
    """

    def __init__(self, megabytes: int) -> None:
        self._bytes = megabytes * 1_000_000 if sys.platform == "linux" else 0
        if self._bytes:
            _, most = resource.getrlimit(resource.RLIMIT_DATA)
            allowed = self._bytes if most == resource.RLIM_INFINITY else min(self._bytes, most)
            resource.setrlimit(resource.RLIMIT_DATA, (allowed, most))

    @property
    def is_near(self) -> bool:
        """Whether more than half of it is taken: somebody took memory and does not let go."""
        if not self._bytes:
            return False
        pages = int(_STATM.read_bytes().split()[_STATM_DATA])
        return 2 * pages * resource.getpagesize() > self._bytes


def _ring(number: int, frame: FrameType | None) -> None:
    raise _Alarm
