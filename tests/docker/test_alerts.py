"""Alert rules parse, fire and stay quiet, and ask for metrics that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest
from prometheus_client import Histogram

from hutch.runtime.families import Family, Surveyed
from hutch.runtime.metrics import GROUPS
from tests.docker.deployments import ROOT, configuration

FOLDER = ROOT / "deploy" / "prometheus"

needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed"
)


def exported() -> set[str]:
    """The names of all series of ours."""
    return {name for group in GROUPS.values() for metric in group for name in series(metric)}


def series(metric: Family[Any] | Surveyed) -> set[str]:
    if isinstance(metric, Family) and metric.kind is Histogram:
        return {f"{metric.name}_{part}" for part in ("bucket", "sum", "count")}
    return {metric.name}


def parsed(name: str) -> dict[str, Any]:
    """A YAML file as compose reads it, which is the YAML reader that is here."""
    indented = "".join(f"  {line}\n" for line in (FOLDER / name).read_text().splitlines())
    text = f"services: {{ any: {{ image: any }} }}\nx-file:\n{indented}"
    read = configuration(
        "--file", "-", "config", "--no-interpolate", "--format", "json", stdin=text
    )
    content: dict[str, Any] = json.loads(read)["x-file"]
    return content


def rules() -> list[dict[str, Any]]:
    return [rule for group in parsed("alerts.yml")["groups"] for rule in group["rules"]]


def test_every_alert_says_what_is_wrong_and_how_bad_it_is() -> None:
    for rule in rules():
        assert rule["alert"].startswith("Hutch")
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert set(rule["annotations"]) == {"summary", "description"}


def test_alerts_ask_for_metrics_that_exist() -> None:
    for rule in rules():
        assert set(re.findall(r"\bhutch_\w+", rule["expr"])) <= exported(), rule["alert"]


def test_every_alert_is_shown_to_fire_and_to_stay_quiet() -> None:
    fires, stays_quiet = set(), set()
    for case in parsed("alerts_test.yml")["tests"]:
        for check in case["alert_rule_test"]:
            (fires if check["exp_alerts"] else stays_quiet).add(check["alertname"])
    names = {rule["alert"] for rule in rules()}
    assert fires == names
    assert stays_quiet == names


def test_every_process_is_scraped() -> None:
    (job,) = parsed("prometheus.yml")["scrape_configs"]
    static = {
        target.partition(":")[0] for place in job["static_configs"] for target in place["targets"]
    }
    found = {name for place in job["dns_sd_configs"] for name in place["names"]}
    services = json.loads(configuration("config", "--format", "json"))["services"]
    assert static | found == {
        name for name, service in services.items() if service["image"] == "hutch"
    }


@needs_promtool
def test_promtool_accepts_the_configuration() -> None:
    run_promtool("check", "config", "prometheus.yml")


@needs_promtool
def test_promtool_sees_alerts_fire_and_stay_quiet() -> None:
    run_promtool("test", "rules", "alerts_test.yml")


def run_promtool(*arguments: str) -> None:
    done = subprocess.run(["promtool", *arguments], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
