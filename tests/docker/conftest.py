"""A Docker engine, an image of the tree, and the compose file run with it.

Everything works where no registry and no package index answers inside containers: the base image is
then made from Debian packages, and wheels are fetched beforehand with the base's own Python.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import pytest
from docker.errors import DockerException, ImageNotFound

from hutch.cli.ports import held_ports
from tests.docker.deployments import ROOT, Deployment

LOCKS = ("requirements-server.lock", "deploy/chores/build-tools.lock")
CONTEXT = (
    "README.md", ".dockerignore", "clients/python", "deploy", "docker-compose.yml",
    "pyproject.toml", "requirements-server.lock", "services",
)  # fmt: skip
USUAL_BASE = "python:3.13-slim"
DEBIAN_BASE = "hutch-base:trixie"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")

PROMETHEUS_OF_DEBIAN = """
FROM {base}
RUN apt-get update && apt-get install --yes --no-install-recommends prometheus \
    && install -d -o nobody /prometheus
USER nobody
ENTRYPOINT ["prometheus"]
"""


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    try:
        client = docker.from_env(timeout=600)
        client.ping()
    except DockerException as fault:
        pytest.skip(f"no Docker engine answers: {fault}")
    yield client
    client.close()


@pytest.fixture(scope="session")
def base(engine: docker.DockerClient) -> str:
    """An image with Python: the usual one, or one made from Debian packages."""
    for name in (os.environ.get("BASE", USUAL_BASE), DEBIAN_BASE):
        if has_image(engine, name):
            return name
    if os.geteuid() == 0 and shutil.which("debootstrap") and shutil.which("docker"):
        subprocess.run([ROOT / "deploy" / "docker" / "base.sh", DEBIAN_BASE], check=True)
        return DEBIAN_BASE
    pytest.skip("no registry answers, and a base of Debian needs root, debootstrap and docker")


@pytest.fixture(scope="session")
def context(
    engine: docker.DockerClient,
    base: str,
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
) -> Path:
    """A copy of the tree, with the wheels that the image needs."""
    folder = tmp_path_factory.mktemp("tree")
    for name in CONTEXT:
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.whl"))
        else:
            shutil.copy(source, target)
    for wheel in wheelhouse(engine, base, pytestconfig).glob("*.whl"):
        shutil.copy(wheel, folder / "deploy" / "docker" / "wheels")
    return folder


@pytest.fixture(scope="session")
def image(engine: docker.DockerClient, base: str, context: Path) -> str:
    """The image of the tree."""
    engine.images.build(
        path=str(context),
        dockerfile="deploy/docker/Dockerfile",
        buildargs={"BASE": base},
        tag="hutch:test",
        rm=True,
    )
    return "hutch:test"


@pytest.fixture(scope="session")
def prometheus_image(engine: docker.DockerClient, base: str, tmp_path_factory: Any) -> str:
    """Prometheus: the one the compose file names, or Debian's."""
    name = "prom/prometheus:v3.5.0"
    if has_image(engine, name):
        return name
    folder = tmp_path_factory.mktemp("prometheus")
    (folder / "Dockerfile").write_text(PROMETHEUS_OF_DEBIAN.format(base=base))
    try:
        engine.images.build(path=str(folder), tag="hutch-prometheus:test", rm=True)
    except DockerException as fault:
        pytest.skip(f"there is no image of Prometheus, and none can be built: {fault}")
    return "hutch-prometheus:test"


@pytest.fixture(scope="session")
def deployment(
    engine: docker.DockerClient, context: Path, image: str, prometheus_image: str
) -> Iterator[Deployment]:
    """All services but Grafana, up and healthy. The image of Hutch serves as that of Redis."""
    # Let go again: whether an engine can listen beside us is not known.
    with held_ports([0, 0]) as (gateway_port, prometheus_port):
        pass
    variables = {
        "HUTCH_IMAGE": image,
        "REDIS_IMAGE": image,
        "REDIS_HEALTHCHECK": "python -c 'import redis; redis.Redis().ping()'",
        "PROMETHEUS_IMAGE": prometheus_image,
        "GATEWAY_PORT": str(gateway_port),
        "PROMETHEUS_PORT": str(prometheus_port),
    }
    made = Deployment(engine, context, variables)
    services = made.compose("config", "--services").split()
    try:
        made.compose(
            "up", "--detach", "--wait", "--no-build", "--pull", "never",
            *(name for name in services if name != "grafana"),
        )  # fmt: skip
        yield made
    except AssertionError:
        print(made.compose("logs", "--tail", "30"))
        raise
    finally:
        made.compose("down", "--volumes", "--timeout", "10")


def has_image(engine: docker.DockerClient, name: str) -> bool:
    """Whether that image is here, or a registry has it."""
    try:
        engine.images.get(name)
    except ImageNotFound:
        try:
            engine.images.pull(*name.rsplit(":", 1))
        except DockerException:
            return False
    return True


def wheelhouse(engine: docker.DockerClient, base: str, config: pytest.Config) -> Path:
    """The wheels of the locks for the base's Python, fetched once for each state of the locks."""
    text = b"".join((ROOT / lock).read_bytes() for lock in LOCKS)
    identity = engine.images.get(base).id.encode()
    key = hashlib.sha256(text + identity).hexdigest()[:16]
    folder = config.cache.mkdir(f"docker-wheels-{key}")
    if not (folder / "complete").exists():
        fetch_wheels(engine, base, folder)
        (folder / "complete").touch()
    return folder


def fetch_wheels(engine: docker.DockerClient, base: str, folder: Path) -> None:
    """Run pip in the base, so that markers and tags are those of its Python."""
    mounts = [
        f"{folder}:/wheels",
        *(f"{ROOT / lock}:/locks/{Path(lock).name}:ro" for lock in LOCKS),
    ]
    environment = {name: os.environ[name] for name in os.environ if name.endswith("_proxy")}
    if CERTIFICATES.exists():
        # Where this machine trusts a proxy, so must pip.
        mounts.append(f"{CERTIFICATES}:/certificates.crt:ro")
        environment["PIP_CERT"] = "/certificates.crt"
    requirements = " ".join(f"--requirement /locks/{Path(lock).name}" for lock in LOCKS)
    engine.containers.run(
        base,
        [
            "sh", "-c",
            "python3 -m venv /venv && /venv/bin/pip download --quiet --require-hashes "
            f"--only-binary :all: --dest /wheels {requirements} && chmod a+rX /wheels/*",
        ],
        environment=environment,
        network_mode="host",
        remove=True,
        volumes=mounts,
    )  # fmt: skip
