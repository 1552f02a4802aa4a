"""The command `hutch`, run as a person runs it."""

from __future__ import annotations

import os
import subprocess
import sys


def hutch(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command with those arguments and variables."""
    return subprocess.run(
        [sys.executable, "-m", "hutch.cli", *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )
