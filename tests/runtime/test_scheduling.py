"""Threads that hand each other many small things."""

import os
import subprocess
import sys

import pytest

_PROGRAM = """
import os
from threading import Thread
from hutch.runtime.scheduling import finish_first

finish_first()
thread = Thread(target=lambda: print(os.sched_getscheduler(0)))
thread.start()
thread.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be told so")
def test_a_thread_that_is_woken_interrupts_nobody() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True, timeout=120
    )
    assert int(answer.stdout) == os.SCHED_BATCH
