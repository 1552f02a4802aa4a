"""Which tests show which rule: `python -m tests.rule_report`.

The rules of a game are the numbers in the first column of the tables in its `RULES.md` (of
`XX-003 to XX-005` all three). A test names those that it shows: `@pytest.mark.rule("RS-017")`.
The report ends with what is missing, and with status 1 where anything is.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from hutch import games
from hutch.engine.rules import Rules

TESTS = Path(__file__).parent
NUMBERS = re.compile(r"\b([A-Z]{2})-(\d{3})(?: to \1-(\d{3}))?\b")


class Marks:
    """A pytest plugin that notes the tests that carry each rule's mark."""

    def __init__(self) -> None:
        self.tests: dict[str, list[str]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Read the marks of all that was collected."""
        for item in session.items:
            for mark in item.iter_markers("rule"):
                for number in mark.args:
                    self.tests.setdefault(number, []).append(item.nodeid)


def marks_in(folder: Path) -> dict[str, list[str]]:
    """The tests of a folder by the rules they name. Raises `RuntimeError` if it has broken ones."""
    marks, shown = Marks(), io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = pytest.main(["--collect-only", "-q", str(folder)], plugins=[marks])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(f"the tests cannot be collected:\n{shown.getvalue()}")
    return marks.tests


def rules_file(rules: Rules) -> Path:
    """Where the rules of a game are listed."""
    package = Path(games.__file__).parent / rules.name.replace("-", "_")
    return package / "RULES.md"


def numbered(text: str) -> list[str]:
    """The rule numbers in the first column of the tables of a text, in order."""
    found: set[str] = set()
    for line in text.splitlines():
        if line.startswith("|"):
            for game, first, last in NUMBERS.findall(line.split("|")[1]):
                found.update(
                    [f"{game}-{at:03}" for at in range(int(first), int(last or first) + 1)]
                )
    return sorted(found)


def missing(required: Iterable[str], tests: Mapping[str, list[str]]) -> list[str]:
    """The rules that no test names."""
    return [number for number in required if not tests.get(number)]


def unlisted(required: Iterable[str], tests: Mapping[str, list[str]]) -> list[str]:
    """Numbers that tests name, of games in the list, and that no rule has."""
    known = set(required)
    games_listed = {number[:2] for number in known}
    return sorted(number for number in tests if number[:2] in games_listed and number not in known)


def main() -> int:
    """Print rule and tests, then what is missing."""
    tests = marks_in(TESTS)
    required: list[str] = []
    for rules in games.RULESETS.values():
        of_game = numbered(rules_file(rules).read_text()) if rules_file(rules).exists() else []
        if not of_game:
            print(f"{rules.name}: no rule is listed in {rules_file(rules).name}")
            return 1
        print(f"{rules.title}: {len(of_game)} rules")
        for number in of_game:
            print(f"  {number}  " + "\n          ".join(tests.get(number, ["NO TEST"])))
        required += of_game
    without_test, without_rule = missing(required, tests), unlisted(required, tests)
    if without_test:
        print(f"Rules that no test names: {', '.join(without_test)}")
    if without_rule:
        print(f"Numbers that no rule has: {', '.join(without_rule)}")
    return 1 if without_test or without_rule else 0


if __name__ == "__main__":
    sys.exit(main())
