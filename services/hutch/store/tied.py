"""Tied: `python tied.py PARENT PROGRAM …` becomes that program, told to end when its parent does.

On Linux. A program of its own: Python must not do this between fork and exec, where other threads
may have left locks behind that nobody opens any more.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def main() -> None:
    """Become the program, unless the parent is gone already."""
    parent, *command = sys.argv[1:]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == int(parent):
        os.execv(command[0], command)  # noqa: S606 - a program found on this machine


if __name__ == "__main__":
    main()
