"""The compose file says what it is to say; no engine is needed to see it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hutch.cli.stack import MODULES
from hutch.runtime.variables import unknown_variables
from tests.docker.deployments import configuration


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(configuration("config", "--format", "json"))["services"]
    return found


def ours(services: dict[str, Any]) -> dict[str, Any]:
    return {name: service for name, service in services.items() if service["image"] == "hutch"}


def test_it_runs_the_processes_of_hutch_up(services: dict[str, Any]) -> None:
    commands = {tuple(service["command"]) for service in ours(services).values()}
    assert commands == {("python", "-m", *module) for module, _ in MODULES.values()}
    assert set(services) - set(ours(services)) == {"redis", "prometheus", "grafana"}


def test_everything_is_started_again_whatever_happens(services: dict[str, Any]) -> None:
    assert {service["restart"] for service in services.values()} == {"always"}


def test_only_the_gateway_and_the_instruments_are_published_and_on_this_machine_alone(
    services: dict[str, Any],
) -> None:
    published = {name for name, service in services.items() if service.get("ports")}
    assert published == {"gateway", "prometheus", "grafana"}
    for name in published:
        assert {port["host_ip"] for port in services[name]["ports"]} == {"127.0.0.1"}
    for name in set(services) - published:
        assert list(services[name]["networks"]) == ["inside"]


def test_our_containers_can_do_nothing_that_they_need_not(services: dict[str, Any]) -> None:
    for service in ours(services).values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_acknowledged_means_fsynced(services: dict[str, Any]) -> None:
    command = " ".join(services["redis"]["command"])
    assert "--appendonly yes --appendfsync always" in command
    assert "--maxmemory-policy noeviction" in command
    assert any(volume["target"] == "/data" for volume in services["redis"]["volumes"])


def test_every_variable_is_one_that_is_read(services: dict[str, Any]) -> None:
    for service in ours(services).values():
        assert unknown_variables(service["environment"]) == {}
