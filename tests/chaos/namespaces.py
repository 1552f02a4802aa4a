"""Network namespaces: a Redis server on another network, and a real link to it that can fail.

The namespace is the server's own, made with it and gone with it, however it ends. So nothing is
left of it, nor of the link and of the packet filter within, even where a test is killed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hutch.store.embedded import EmbeddedServer, ServerProgram, find_server

_PROGRAMS = ("unshare", "nsenter", "ip", "iptables")
#: Everything that is needed here, done in a namespace that ends with it.
_TRIAL = (
    "ip link add one type veth peer name two && ip link set one up && iptables -A INPUT -j DROP"
)
_PORT = 6379
_FAR_END = "eth0"
#: Networks of four addresses within 198.18.0.0/15, which is set aside for trying networks out.
_NETWORKS = 1 << 15


def skip_without_namespaces() -> None:
    """Skip the test where this user may make no networks, saying why."""
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if missing:
        pytest.skip(f"no network namespaces without the programs {', '.join(missing)}")
    trial = subprocess.run(
        ["unshare", "--net", "sh", "-c", _TRIAL], capture_output=True, text=True, check=False
    )
    if trial.returncode != 0:
        pytest.skip(f"no network namespaces for this user: {trial.stderr.strip()}")


class DistantServer(EmbeddedServer):
    """A Redis server behind a link. Tests reach it past the link, at its `url`; whoever is to feel
    the link connects to `address`.

    `hold` has packets dropped without a word, `cut` takes the link down; both last until `mend`.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        super().__init__(
            folder,
            program=_within_a_namespace(find_server(), folder / "apart.sh"),
            options={"port": str(_PORT), "bind": "*", "protected-mode": "no"},
        )
        number = os.getpid() % _NETWORKS
        self._network = f"198.{18 + (number >> 14)}.{(number >> 6) & 255}"
        self._first = (number & 63) * 4
        self._link = f"hutch{number}"

    @property
    def address(self) -> str:
        """Where it is beyond the link."""
        return f"{self._network}.{self._first + 2}:{_PORT}"

    @property
    def is_linked(self) -> bool:
        """Whether the link is laid."""
        return Path("/sys/class/net", self._link).exists()

    def start(self, *, timeout_s: float = 60.0) -> None:
        """Start it, and lay the link."""
        super().start(timeout_s=timeout_s)
        try:
            self._lay()
        except BaseException:
            self.stop()
            raise

    def hold(self) -> None:
        """Let nothing through, and tell nobody."""
        self._inside("iptables", "-A", "INPUT", "-j", "DROP")

    def cut(self) -> None:
        """Take the link down, at the far end: without its near one, packets would go astray."""
        self._inside("ip", "link", "set", _FAR_END, "down")

    def mend(self) -> None:
        """Let everything through again."""
        self._inside("iptables", "-F", "INPUT")
        self._inside("ip", "link", "set", _FAR_END, "up")

    def _lay(self) -> None:
        ours, theirs = (f"{self._network}.{self._first + end}/30" for end in (1, 2))
        link = ("ip", "link", "add", self._link, "type", "veth", "peer", "name", _FAR_END)
        _run(*link, "netns", str(self.pid))
        _run("ip", "address", "add", ours, "dev", self._link)
        _run("ip", "link", "set", self._link, "up")
        self._inside("ip", "address", "add", theirs, "dev", _FAR_END)
        self._inside("ip", "link", "set", _FAR_END, "up")

    def _inside(self, *words: str) -> None:
        _run("nsenter", "--net", "--target", str(self.pid), *words)


def _within_a_namespace(program: ServerProgram, script: Path) -> ServerProgram:
    """That program, to run on a network of its own."""
    script.write_text(f'#!/bin/sh\nexec unshare --net "{program.path}" "$@"\n')
    script.chmod(0o700)
    return ServerProgram(script, program.version)


def _run(*words: str) -> None:
    subprocess.run(words, check=True)
