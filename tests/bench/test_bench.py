"""The benchmarks run, every section of them, and write what they found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.sections import SECTIONS


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_measures_and_writes_its_figures(section: str, tmp_path: Path) -> None:
    subprocess.run(
        (sys.executable, "-m", "bench", "--quick", "--only", section, "--out", str(tmp_path)),
        check=True,
        timeout=240,
    )

    report = json.loads((tmp_path / "figures.json").read_text())
    assert report["quick"]
    assert {figure["section"] for figure in report["figures"]} == {section}
    assert all(min(figure["rounds"]) >= 0 for figure in report["figures"])
    for figure in report["figures"]:
        assert figure["title"] in (tmp_path / "figures.md").read_text()


def test_figures_with_a_goal_are_drawn(tmp_path: Path) -> None:
    subprocess.run(
        (sys.executable, "-m", "bench", "--quick", "--only", "resolving", "--out", str(tmp_path)),
        check=True,
        timeout=240,
    )

    assert (tmp_path / "figures.png").read_bytes().startswith(b"\x89PNG")
