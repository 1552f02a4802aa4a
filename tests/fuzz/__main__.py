"""Fuzz the gateway's API with atheris: `pip install atheris`, then

    python -m tests.fuzz [a folder for inputs] [options of libFuzzer, such as -max_total_time=60]

It begins with a good request to each RPC, and looks for inputs that take new ways through our code.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hutch"]):
    from tests.fuzz.gateway import target


def main() -> None:
    """Fuzz until it fails or the time is over."""
    with target() as api, tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(api.seeds().values()):
            (Path(folder) / str(number)).write_bytes(seed)
        # Where several folders are named, what is found goes to the first.
        atheris.Setup([*sys.argv, folder], lambda data: api.one(data) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
