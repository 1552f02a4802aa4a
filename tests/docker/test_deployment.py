"""The compose file, really run: the same processes as `hutch up`, in containers."""

from __future__ import annotations

import json
import os
import signal
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker
import pytest

from hutch.client import sync
from tests.docker.deployments import ROOT, Deployment

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(900)]

PROCESSES = {"rules-1", "rules-2", "gateway", "timekeeper", "dispatcher", "worker"}


def test_the_image_has_no_root_and_needs_no_writable_disk(
    engine: docker.DockerClient, image: str
) -> None:
    shown = engine.containers.run(
        image, ["sh", "-c", "id -u && hutch settings"], read_only=True, remove=True
    ).decode()
    assert shown.splitlines()[0] == "10001"
    assert shown.partition("\n")[2] == (ROOT / "docs" / "settings.md").read_text()


def test_the_image_holds_what_the_lock_names_and_nothing_else(
    engine: docker.DockerClient, image: str
) -> None:
    code = (
        "from importlib.metadata import distributions;"
        "print(*sorted(d.name.lower().replace('_', '-') for d in distributions()))"
    )
    names = set(engine.containers.run(image, ["python", "-c", code], remove=True).decode().split())
    locked = {
        line.partition("==")[0]
        for line in (ROOT / "requirements-server.lock").read_text().splitlines()
        if "==" in line
    }
    assert names - locked == {"hutch", "hutch-client"}


def test_a_game_of_bots_is_played_through_the_published_port(deployment: Deployment) -> None:
    with sync.connect(deployment.gateway) as hutch:
        hutch.guest("host")
        play_bots(hutch)


def test_prometheus_sees_every_process_and_no_alarm(deployment: Deployment) -> None:
    def seen() -> set[str]:
        return {found["metric"]["process"] for found in query(deployment, 'up{job="hutch"} == 1')}

    wait_until(lambda: seen() == PROCESSES, "every process is scraped")
    wait_until(lambda: len(query(deployment, 'up{process="worker"}')) == 2, "so are both workers")
    wait_until(lambda: bool(query(deployment, "hutch_timers_pending")), "the census is taken")
    assert query(deployment, 'ALERTS{alertstate="firing"}') == []
    rules = get(deployment, "/api/v1/rules")["data"]["groups"]
    assert all(rule["health"] == "ok" for group in rules for rule in group["rules"])


@pytest.mark.parametrize("service", ["gateway", "rules-1", "timekeeper", "worker", "redis"])
def test_a_process_that_is_killed_comes_back_and_what_was_acknowledged_is_there(
    deployment: Deployment, service: str
) -> None:
    with sync.connect(deployment.gateway) as hutch:
        hutch.guest("host")
        table = hutch.create_table("rabbit-space", seats=4)
        kill(deployment, service)
        wait_until(lambda: is_healthy(deployment, service), f"{service} is back")
        assert table.get().name == table.name
        play_bots(hutch)


def test_containers_see_no_way_out_but_those_that_are_published(deployment: Deployment) -> None:
    for service in ("redis", "rules-1", "timekeeper", "dispatcher", "worker"):
        settings = deployment.container(service).attrs["NetworkSettings"]
        assert list(settings["Networks"]) == [f"{deployment.project}_inside"]
        assert not any(settings["Ports"].values())
    for service in ("gateway", "prometheus"):
        ports = deployment.container(service).attrs["NetworkSettings"]["Ports"].values()
        assert {place["HostIp"] for places in ports if places for place in places} == {"127.0.0.1"}


def play_bots(hutch: sync.Hutch) -> None:
    """A game of four bots, to its end."""
    table = hutch.create_table("rabbit-space", seats=4)
    for seat in range(4):
        table.assign_bot(seat, "random")
    table.start()
    wait_until(lambda: table.get().HasField("result"), "the game ends")


def kill(deployment: Deployment, service: str) -> None:
    """Kill it as a crash would: to `docker kill` the engine takes for our wish, and obeys."""
    container = deployment.container(service)
    pid = container.attrs["State"]["Pid"]
    if not Path(f"/proc/{pid}").exists() or os.geteuid() != 0:
        pytest.skip("its processes are out of reach: the engine is remote, or we are not root")
    started = container.attrs["State"]["StartedAt"]
    os.kill(pid, signal.SIGKILL)
    wait_until(
        lambda: deployment.container(service).attrs["State"]["StartedAt"] != started,
        f"{service} is started again",
    )


def is_healthy(deployment: Deployment, service: str) -> bool:
    state: str = deployment.container(service).attrs["State"].get("Health", {}).get("Status", "")
    return state == "healthy"


def query(deployment: Deployment, expression: str) -> list[dict[str, Any]]:
    answer = get(deployment, f"/api/v1/query?query={urllib.parse.quote(expression)}")
    found: list[dict[str, Any]] = answer["data"]["result"]
    return found


def get(deployment: Deployment, path: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"http://{deployment.prometheus}{path}", timeout=30) as answer:
        content: dict[str, Any] = json.load(answer)
    return content


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 90
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.1)
