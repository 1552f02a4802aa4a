"""Real Redis servers for tests, of any suite.

Import the fixtures that you need into a `conftest.py`: one is known where it is imported.

- `redis_server`: one running server a session (and a worker of pytest-xdist), started when it is
  first asked for. Tests share it and keep apart by `namespace`, so nobody flushes anything.
- `namespace`: a name that nothing else uses, for one test. Processes get it as a setting.
- `store`: a store of that server in that namespace, with its doorbell, open for one test.
- `own_redis_server`: a server for one test alone, which may kill it and start it again.
- `any_redis`: a server or a cluster, of every kind that is to be had here: the test runs on each.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Self, TypeVar

import pytest
import pytest_asyncio

from hutch.cli.ports import PortTakenError, held_ports
from hutch.store.embedded import EmbeddedServer, ServerProgram, program_at
from hutch.store.store import Store

T = TypeVar("T")


def _redis_on_path() -> ServerProgram | None:
    """The `redis-server` on the PATH, if there is one that is new enough."""
    found = shutil.which("redis-server")
    return program_at(Path(found)) if found else None


REDIS = _redis_on_path()
SINGLES = ["valkey", *(["redis"] if REDIS else [])]
CLUSTERS = [f"{kind}-cluster" for kind in SINGLES]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A server that the tests of a session share."""
    with EmbeddedServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def own_redis_server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    """A server for one test alone."""
    with EmbeddedServer(tmp_path / "redis") as server:
        yield server


@pytest.fixture(scope="session", params=[*SINGLES, *CLUSTERS])
def any_redis(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmbeddedServer | ClusterOfTwo]:
    """A server or a cluster that the tests of a session share, of each kind in turn.

    Always the Valkey of the wheel, as one server and as a cluster of two; and the `redis-server`
    from the PATH, where there is one.
    """
    kind: str = request.param
    folder = tmp_path_factory.mktemp(kind)
    program = REDIS if kind.startswith("redis") else None
    server = (
        ClusterOfTwo(folder, program)
        if kind in CLUSTERS
        else EmbeddedServer(folder, program=program)
    )
    with server as running:
        yield running


@pytest.fixture
def namespace() -> str:
    """A namespace for one test alone."""
    return f"t{secrets.token_hex(8)}"


@pytest_asyncio.fixture
async def store(redis_server: EmbeddedServer, namespace: str) -> AsyncIterator[Store]:
    """A store for one test alone, on the server that all share."""
    async with await Store.open(redis_server.url, namespace=namespace) as opened:
        yield opened


async def now_us(store: Store) -> int:
    """The time by Redis' clock, in µs since 1970."""
    seconds, microseconds = await store.pipelining.call(0, "TIME")
    return int(seconds) * 1_000_000 + int(microseconds)


async def eventually(
    look: Callable[[], Awaitable[T]], *, within_s: float = 30.0, every_s: float = 0.005
) -> T:
    """What `look` gives, as soon as that is true. Fails when it is not so in time."""
    deadline = time.monotonic() + within_s
    while not (found := await look()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not so within {within_s} s: the last look gave {found!r}")
        await asyncio.sleep(every_s)
    return found


class ClusterOfTwo:
    """A Redis Cluster of two nodes on this machine, each serving half the slots."""

    def __init__(self, folder: Path, program: ServerProgram | None = None) -> None:
        self._folder = folder
        self._program = program
        self._held = ExitStack()
        self.nodes: list[EmbeddedServer] = []
        self.ports: list[int] = []

    def __enter__(self) -> Self:
        for name in ("a", "b"):
            port, bus_port = self._held.enter_context(neighbours(2))
            node = EmbeddedServer(
                self._folder / name,
                program=self._program,
                options={
                    "port": str(port),
                    "cluster-enabled": "yes",
                    "cluster-port": str(bus_port),
                    "cluster-announce-ip": "127.0.0.1",
                    "cluster-node-timeout": "5000",
                },
            )
            node.start()
            self.nodes.append(node)
            self.ports.append(port)
        a, b = self.nodes
        a.ask("CLUSTER", "SET-CONFIG-EPOCH", "1")
        b.ask("CLUSTER", "SET-CONFIG-EPOCH", "2")
        a.ask("CLUSTER", "ADDSLOTSRANGE", "0", "8191")
        b.ask("CLUSTER", "ADDSLOTSRANGE", "8192", "16383")
        a.ask("CLUSTER", "MEET", "127.0.0.1", str(self.ports[1]), str(self.ports[1] + 1))
        deadline = time.monotonic() + 30
        while not all(self._is_whole(node) for node in self.nodes):
            assert time.monotonic() < deadline, a.ask("CLUSTER", "INFO")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            node.stop()
        self._held.close()

    @property
    def url(self) -> str:
        """Where to connect to: the first node knows the other."""
        return f"redis+cluster://127.0.0.1:{self.ports[0]}"

    @staticmethod
    def _is_whole(node: EmbeddedServer) -> bool:
        facts = node.ask("CLUSTER", "INFO")
        return "cluster_state:ok" in facts and "cluster_slots_ok:16384" in facts


@contextmanager
def neighbours(count: int) -> Iterator[list[int]]:
    """So many ports in a row, held for programs of the test."""
    with ExitStack() as held:
        while True:
            (first,) = held.enter_context(held_ports([0]))
            try:
                ports = held.enter_context(held_ports(range(first, first + count)))
            except PortTakenError:
                continue
            yield ports
            return


@asynccontextmanager
async def with_replica(folder: Path) -> AsyncIterator[tuple[EmbeddedServer, EmbeddedServer]]:
    """A primary and its replica, which has caught up."""
    with neighbours(1) as (port,):
        at_once = {"repl-diskless-sync-delay": "0"}
        primary = EmbeddedServer(folder / "primary", options={"port": str(port), **at_once})
        with primary, EmbeddedServer(folder / "replica") as replica:
            replica.ask("REPLICAOF", "127.0.0.1", str(port))

            async def has_caught_up() -> bool:
                return "master_link_status:up" in replica.ask("INFO", "replication")

            await eventually(has_caught_up)
            yield primary, replica


def fail_over(primary: EmbeddedServer, replica: EmbeddedServer) -> None:
    """Let the replica be the primary; the other one lives on as a replica."""
    replica.ask("REPLICAOF", "NO", "ONE")
    primary.ask("REPLICAOF", "127.0.0.1", "1")


class Wire:
    """A wire between clients and a server on a unix socket, which can be cut.

    `lose_replies` cuts connections that carry a script, once the server has got it and before its
    reply comes through. `cut` cuts all, and lets no new one through until `mend`. Within `held`
    nothing reaches the server; it does afterwards. `lead_to` has new connections go to another
    server, as an address does that follows a failover; those that there are stay.
    """

    def __init__(self, server: EmbeddedServer, path: Path) -> None:
        self.lead_to(server)
        self._path = path
        self._writers: set[asyncio.StreamWriter] = set()
        self._whole = True
        self._replies_to_lose = 0
        self._flowing = asyncio.Event()
        self._flowing.set()

    @property
    def url(self) -> str:
        """Where clients connect to."""
        return f"unix://{self._path}"

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[Self]:
        """Lay the wire."""
        async with await asyncio.start_unix_server(self._carry, self._path):
            try:
                yield self
            finally:
                self.cut()

    def lead_to(self, server: EmbeddedServer) -> None:
        """Connect who comes from now on to that server."""
        self._server_path = server.url.removeprefix("unix://")

    def lose_replies(self, batches: int = 1) -> None:
        """Lose the replies to that many of the batches to come."""
        self._replies_to_lose = batches

    def cut(self) -> None:
        """Cut all connections, and let none through."""
        self._whole = False
        for writer in self._writers:
            writer.transport.abort()

    def mend(self) -> None:
        """Let connections through again."""
        self._whole = True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold back what clients send."""
        self._flowing.clear()
        try:
            yield
        finally:
            self._flowing.set()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._whole:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_unix_connection(self._server_path)
        ends = {writer, far_writer}
        self._writers |= ends
        losing = False

        async def there() -> None:
            nonlocal losing
            while data := await reader.read(65536):
                await self._flowing.wait()
                if self._replies_to_lose and b"EVALSHA" in data:
                    self._replies_to_lose -= 1
                    losing = True
                far_writer.write(data)

        async def back() -> None:
            while data := await far_reader.read(65536):
                if losing:
                    return
                writer.write(data)

        ways = [asyncio.ensure_future(there()), asyncio.ensure_future(back())]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self._writers -= ends
            for end in ends:
                end.transport.abort()


@contextmanager
def paused(server: EmbeddedServer) -> Iterator[None]:
    """A server stopped in its tracks, as a stalled machine would stop it."""
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)
