"""What the image installs is pinned as what is tested."""

from __future__ import annotations

import tomllib

import pytest

from tests.docker.deployments import ROOT


def pins(name: str) -> dict[str, str]:
    """The pinned releases of a lock, by name."""
    lines = (ROOT / name).read_text().splitlines()
    return dict(line.split()[0].split("==") for line in lines if "==" in line)


@pytest.mark.parametrize("lock", ["requirements-server.lock", "deploy/chores/build-tools.lock"])
def test_a_lock_of_the_image_pins_the_releases_that_are_tested(lock: str) -> None:
    tested = pins("requirements.lock")
    assert pins(lock).items() <= tested.items(), "run `make lock`"


def test_the_image_gets_what_the_server_needs_and_no_tool() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = set(pins("requirements-server.lock"))
    assert names(project["dependencies"]) - {"hutch-client"} <= locked
    tools = names(project["optional-dependencies"]["dev"])
    assert not tools & locked


def names(requirements: list[str]) -> set[str]:
    return {requirement.split(">")[0].split("[")[0] for requirement in requirements}
