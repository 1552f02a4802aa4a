"""The command `hutch` and what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def hutch(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name[:6] != "HUTCH_"}
    return subprocess.run(
        [sys.executable, "-m", "hutch.cli", *arguments],
        env=environ | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_without_a_command_it_says_what_there_is() -> None:
    shown = hutch()
    for command in ("up", "demo", "settings"):
        assert f"  {command} " in shown.stdout + shown.stderr


def test_settings_prints_the_page_of_settings() -> None:
    assert hutch("settings").stdout == (ROOT / "docs" / "settings.md").read_text()


def test_settings_that_fit_pass_the_check() -> None:
    checked = hutch("settings", "--check", HUTCH_LOG_LEVEL="debug")
    assert (checked.returncode, checked.stdout) == (0, "")


def test_settings_that_do_not_fit_are_each_told_once() -> None:
    checked = hutch(
        "settings",
        "--check",
        HUTCH_LOG_LEVEL="loud",
        HUTCH_LIMIT_STREAMS="0",
        HUTCH_REDIS_ULR="redis://here",
    )
    assert checked.returncode == 1
    assert [line.split()[0] for line in checked.stdout.splitlines()] == [
        "HUTCH_LOG_LEVEL",
        "HUTCH_LIMIT_STREAMS",
        "HUTCH_REDIS_ULR",
    ]
