"""The command `hutch` and what it prints."""

from __future__ import annotations

from pathlib import Path

from tests.commands import hutch

ROOT = Path(__file__).resolve().parents[2]


def test_without_a_command_it_says_what_there_is() -> None:
    shown = hutch()
    for command in ("up", "demo", "settings", "verify", "why", "fix", "bundle"):
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
