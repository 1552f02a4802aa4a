"""The wheels: they build from the sources alone, and the SDK's needs nothing of the server."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
# What the SDK may use, as its project file says; found in the environment that the tests run in.
NEEDS = ("grpc", "grpc_status", "google", "typing_extensions.py")

PROGRAM = """
import importlib.util, sys
from importlib.metadata import version
from hutch.client import connect, sync
from hutch.v1 import table_pb2, table_service_pb2_grpc, catalog_service_pb2, player_service_pb2
from hutch.rabbit_space.v1 import rabbit_space_pb2
assert importlib.util.find_spec("hutch.engine") is None, "the server is here"
assert table_pb2.View(rabbit_space=rabbit_space_pb2.Board(round=3)).rabbit_space.round == 3
print(version("hutch-client"), connect.__module__)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels, built from a copy that holds only what a clone holds."""
    folder = tmp_path_factory.mktemp("wheels")
    clone = folder / "clone"
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "clients", "services", "protos", "*.toml", "README.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, tracked):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    built = {}
    for name, source in (("client", clone / "clients" / "python"), ("server", clone)):
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-cache-dir"]
        command += ["--no-build-isolation", "--wheel-dir", str(folder / name), str(source)]
        subprocess.run(command, check=True)
        (built[name],) = (folder / name).glob("*.whl")
    return built


def names_in(wheel: Path) -> set[str]:
    """The files in a wheel."""
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_sdks_wheel_holds_the_client_and_every_public_stub(wheels: dict[str, Path]) -> None:
    names = names_in(wheels["client"])
    public = ROOT / "clients" / "python" / "src"
    stubs = {str(path.relative_to(public)) for path in public.rglob("*_pb2*.py*")}
    stubs = {name for name in stubs if "__pycache__" not in name}
    assert stubs <= names
    assert "hutch/client/sync.py" in names
    packages = {str(Path(name).parent) for name in (*stubs, "hutch/client/sync.py")}
    assert {f"{package}/py.typed" for package in packages} <= names  # or types go unseen
    assert not [name for name in names if name.startswith(("hutch/engine", "hutch/gateway"))]


def test_the_servers_wheel_holds_the_services_and_not_the_client(wheels: dict[str, Path]) -> None:
    names = names_in(wheels["server"])
    assert {"hutch/engine/kernel.py", "hutch/gateway/__main__.py", "hutch/cli/demo.py"} <= names
    assert "hutch/internal/v1/rules_service_pb2.py" in names
    assert not [name for name in names if name.startswith(("hutch/client", "hutch/v1"))]


def test_the_sdk_imports_where_the_server_is_not_installed(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", str(site), str(wheels["client"])], check=True)
    purelib = Path(sysconfig.get_paths()["purelib"])
    for need in NEEDS:
        if (purelib / need).exists():
            (site / need).symlink_to(purelib / need)
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM],
        env={"PYTHONPATH": str(site)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0.1.0", "hutch.client.client"]
