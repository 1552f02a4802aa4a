"""The dashboard is what its script makes, and asks for metrics that exist."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.docker.deployments import ROOT
from tests.docker.test_alerts import exported, needs_promtool

FOLDER = ROOT / "deploy" / "grafana"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboards" / "hutch.json").read_text())
PANELS: list[dict[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def queries() -> list[str]:
    return [target["expr"] for panel in PANELS for target in panel["targets"]]


def test_the_file_is_what_the_script_makes() -> None:
    done = subprocess.run(
        [sys.executable, FOLDER / "dashboard.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_panels_ask_for_metrics_that_exist() -> None:
    for query in queries():
        assert set(re.findall(r"\bhutch_\w+", query)) <= exported(), query


def test_every_metric_of_ours_has_a_panel() -> None:
    shown = {name for query in queries() for name in re.findall(r"\bhutch_\w+", query)}
    unseen = {name for name in exported() if not name.endswith(("_sum", "_count"))} - shown
    # Its average is shown, of its sum and count.
    assert unseen == {"hutch_batch_size_bucket"}


def test_panels_do_not_overlap_and_fill_the_width() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
    assert {x for x, _ in taken} == set(range(24))
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_it_asks_the_datasource_that_is_provisioned() -> None:
    provisioned = (FOLDER / "provisioning" / "datasources" / "prometheus.yml").read_text()
    for panel in PANELS:
        assert f"uid: {panel['datasource']['uid']}\n" in provisioned


@needs_promtool
def test_promtool_accepts_every_query(tmp_path: Path) -> None:
    rules = [
        {"record": f"query:{number}", "expr": query.replace("$__rate_interval", "1m")}
        for number, query in enumerate(queries())
    ]
    file = tmp_path / "queries.json"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
