"""The page of promises: each fault and each promise names tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.docker.test_alerts import exported

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/reliability.md").read_text()
FAULTS = 29
#: `folder/file.py::test_name`, below `tests`.
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
ALERT = re.compile(r"^ *- alert: (\w+)$", re.MULTILINE)
#: Metrics that every target of Prometheus has.
EVERYWHERE = {"up", "process_start_time_seconds"}
#: The parts of the page whose tables name tests.
PARTS = ("## Promises", "## Faults of the field")


def rows(part: str) -> list[list[str]]:
    """The cells of each row of the first table of that part."""
    lines = PAGE.split(f"\n{part}\n")[1].split("\n## ")[0].splitlines()
    table = [line for line in lines if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def defined(path: Path) -> set[str]:
    """The names of the functions of a module."""
    tree = ast.parse(path.read_text())
    return {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_every_fault_has_its_row() -> None:
    assert [row[0] for row in rows("## Faults of the field")] == [
        str(number) for number in range(1, FAULTS + 1)
    ]


@pytest.mark.parametrize("part", PARTS)
def test_every_row_names_a_test(part: str) -> None:
    assert [row for row in rows(part) if not TEST.search(row[-1])] == []


def test_every_test_that_is_named_is_there() -> None:
    named = TEST.findall(PAGE)
    gone = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / "tests" / file).exists() or name not in defined(ROOT / "tests" / file)
    ]
    assert gone == []


def test_every_promise_tells_how_it_shows() -> None:
    promises = [row[0] for row in rows("## Promises")]
    assert [row[0] for row in rows("## How it shows")] == promises


def test_every_metric_that_is_named_is_exported() -> None:
    families = {re.sub(r"_(bucket|sum|count)$", "", name) for name in exported()} | EVERYWHERE
    for _, metrics, _ in rows("## How it shows"):
        named = set(re.findall(r"`([a-z_]+)(?:{[^`]*})?`", metrics))
        assert named <= families, metrics
        assert named or metrics.startswith("none"), metrics


def test_every_alert_is_named_for_a_promise_and_every_row_names_one_or_says_why_not() -> None:
    alerts = set(ALERT.findall((ROOT / "deploy/prometheus/alerts.yml").read_text()))
    named = set()
    for _, _, cell in rows("## How it shows"):
        named |= (here := set(re.findall(r"`(Hutch\w+)`", cell)))
        assert here or cell.startswith("none: "), cell
    assert named == alerts
