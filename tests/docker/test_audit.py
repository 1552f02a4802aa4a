"""`make audit` does not take silence for good news."""

from __future__ import annotations

import runpy
from typing import Any

import pytest

from tests.docker.deployments import ROOT

AUDIT = runpy.run_path(str(ROOT / "deploy" / "chores" / "audit.py"))
CLEAN = {"name": "left-pad", "version": "1.0", "vulns": []}
FLAWED = CLEAN | {"vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}
UNKNOWN = {"name": "right-pad", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("said", "status", "line"),
    [
        ([CLEAN, CLEAN], 0, "nothing is known against its 2 releases"),
        ([CLEAN, FLAWED], 1, "left-pad 1.0: PYSEC-1; mended in 1.1"),
        ([FLAWED, UNKNOWN], 1, "NOT audited: advice came for 1 of 2"),
        ([CLEAN, UNKNOWN], 2, "NOT audited: advice came for 1 of 2"),
        ([CLEAN], 2, "NOT audited: advice came for 1 of 2"),
        ([], 2, "NOT audited: advice came for 0 of 2"),
    ],
)
def test_only_advice_on_every_release_is_good_news(
    said: list[dict[str, Any]], status: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert AUDIT["verdict"]("some.lock", said, 2) == status
    assert line in capsys.readouterr().out


@pytest.mark.parametrize("lock", AUDIT["LOCKS"].values())
def test_every_release_that_a_lock_pins_is_counted(lock: str) -> None:
    lines = (ROOT / lock).read_text().splitlines()
    releases = [line for line in lines if line[:1] not in ("", " ", "#")]
    assert AUDIT["pinned"](ROOT / lock) == len(releases) > 20
