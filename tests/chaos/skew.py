"""Skewed clocks: what makes a process see another time than its machine has."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest


def skewed(by: str) -> dict[str, str]:
    """Variables for a process whose clock is off: `+2h`, `-2h`, or `+0 x1.5` for one that runs that
    fast. The test is skipped where there is no libfaketime that works here."""
    library = _library()
    if library is None:
        pytest.skip("no libfaketime: `pip install libfaketime`, or the package of the system")
    return {"LD_PRELOAD": str(library), "FAKETIME": by}


class ShiftedClock:
    """A clock that can be set while the process runs that sees it: one that is started with
    `variables`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.set_off("+0")
        self.variables = skewed("+0") | {
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        del self.variables["FAKETIME"]

    def set_off(self, by: str) -> None:
        """Set it off by that, such as `-1h`; `+0`: not at all."""
        fresh = self._file.with_suffix(".new")
        fresh.write_text(f"{by}\n")
        fresh.replace(self._file)


@cache
def _library() -> Path | None:
    spec = find_spec("libfaketime")
    installed = [] if spec is None or spec.origin is None else [Path(spec.origin).parent]
    found = [*Path("/usr/lib").glob("*/faketime/libfaketime.so.1")]
    for folder in installed:
        found += folder.rglob("libfaketime.so.1")
    return next((library for library in found if _works(library)), None)


def _works(library: Path) -> bool:
    """Whether it shifts the clock of a Python process on this machine."""
    told = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"],
        env={"LD_PRELOAD": str(library), "FAKETIME": "+2h"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return bool(told) and float(told) > time.time() + 3600
