"""The compose file, with an engine and without."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import docker

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = str(Path(sys.executable).parent / "docker-compose")


class Deployment:
    """The compose file, up."""

    def __init__(
        self, engine: docker.DockerClient, folder: Path, variables: dict[str, str]
    ) -> None:
        self.project = f"hutch-test-{uuid.uuid4().hex[:8]}"
        self.gateway = f"127.0.0.1:{variables['GATEWAY_PORT']}"
        self.prometheus = f"127.0.0.1:{variables['PROMETHEUS_PORT']}"
        self._engine = engine
        self._folder = folder
        self._variables = variables

    def compose(self, *arguments: str) -> str:
        """Run compose and return what it prints."""
        done = subprocess.run(
            [COMPOSE, "--project-name", self.project, *arguments],
            cwd=self._folder,
            env=os.environ | self._variables,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout

    def container(self, service: str, number: int = 1) -> Any:
        """The container of a service."""
        return self._engine.containers.get(f"{self.project}-{service}-{number}")


def configuration(*arguments: str, stdin: str = "") -> str:
    """What compose makes of its file, or of `stdin` with `--file -`; needs no engine."""
    done = subprocess.run(
        [COMPOSE, *arguments], cwd=ROOT, capture_output=True, text=True, check=True, input=stdin
    )
    return done.stdout
