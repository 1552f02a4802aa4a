"""Every numbered rule of every game is named by a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.rule_report import missing, numbered, unlisted

RULES = """
# A game
Rules XX-900 in the text and [XX-901] count for nothing.

| Rule | What |
|---|---|
| XX-001 | Sit down. |
| XX-002, XX-003 | Eat; see XX-904. |
| XX-008 to XX-011 | Sleep. |
"""


def test_every_numbered_rule_of_every_game_is_named_by_a_test() -> None:
    report = subprocess.run(
        [sys.executable, "-m", "tests.rule_report"], capture_output=True, text=True, check=False
    )
    assert report.returncode == 0, report.stdout + report.stderr


def test_rules_are_read_from_the_first_column_of_tables() -> None:
    numbers = [1, 2, 3, 8, 9, 10, 11]
    assert numbered(RULES) == [f"XX-{number:03}" for number in numbers]


def test_a_rule_without_a_test_and_a_test_without_a_rule_are_found() -> None:
    tests = {"XX-001": ["test_sitting"], "XX-003": ["test_eating"], "XX-004": [], "YY-001": ["x"]}
    assert missing(numbered(RULES), tests)[:2] == ["XX-002", "XX-008"]
    assert unlisted(numbered(RULES), tests) == ["XX-004"]


def test_marks_are_collected_from_tests(tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(
        "import pytest\n"
        "@pytest.mark.rule('XX-001', 'XX-002')\n"
        "@pytest.mark.rule('XX-003')\n"
        "def test_meal(): pass\n"
    )
    script = (
        "from pathlib import Path; from tests.rule_report import marks_in; "
        f"print(sorted(marks_in(Path({str(tmp_path)!r}))))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert found.stdout.strip() == "['XX-001', 'XX-002', 'XX-003']", found.stderr
