"""An append-only file whose end is torn or whose middle is broken: what is left of it is whole, and
games go on from there."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import ServerFailed
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from tests.oracle import judge
from tests.turns.arranging import default, started

DEPLOYED = Path(__file__).parents[2] / "deploy" / "redis" / "redis.conf"
#: What the server is started with, by who starts it.
CONFIGURATIONS: dict[str, dict[str, str]] = {"embedded": {}, "deployed": {"include": str(DEPLOYED)}}
TABLES = 5
TURNS = 6
CUTS = 5
#: What a broken command may begin with. The server skips lines that begin with "#": a last command
#: that is such a line is not broken but missing, like that of a torn file.
NOT_COMMENTS = [byte for byte in range(256) if byte != ord("#")]
#: How a command begins. Of a line's end and a star alone there may be some within a value.
COMMAND = re.compile(rb"(?<=\r\n)\*\d+\r\n\$\d+\r\n[A-Z]+\r\n")


class Files:
    """The files of a server that was killed after some turns at some tables."""

    def __init__(self, folder: Path, options: dict[str, str]) -> None:
        self._folder = folder
        self._options = options
        #: The latest acknowledged revision of each table.
        self.acknowledged: dict[str, int] = {}

    async def write(self) -> None:
        """Play turns at all tables, one after the other, and kill the server."""
        with EmbeddedServer(self._folder, options=self._options) as server:
            async with played(server) as path:
                lobby = Lobby(path)
                tables = [await started(lobby) for _ in range(TABLES)]
                for _ in range(TURNS):
                    for table_id in tables:
                        accepted = await path.play(default(table_id, 0))
                        self.acknowledged[table_id] = accepted.revision
            server.kill()

    def copy(self, folder: Path) -> EmbeddedServer:
        """A server that is to start on a copy of the files."""
        shutil.copytree(self._folder / "appendonlydir", folder / "appendonlydir")
        return EmbeddedServer(folder, options=self._options)


@asynccontextmanager
async def played(server: EmbeddedServer) -> AsyncIterator[TurnPath]:
    """A turn path over that server."""
    store = await Store.open(server.url)
    try:
        yield TurnPath(store.tables, LocalRules(Resolver()))
    finally:
        await store.aclose()


@pytest.fixture(params=CONFIGURATIONS)
async def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    """Files that were written under each configuration in turn."""
    written = Files(tmp_path / "files", CONFIGURATIONS[request.param])
    await written.write()
    return written


@pytest.fixture
def rng() -> random.Random:
    """Chance, from a seed that is printed."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    return random.Random(seed)


def tail_of(server: EmbeddedServer) -> Path:
    """The file that commits are appended to."""
    (tail,) = (server.folder / "appendonlydir").glob("*.incr.aof")
    return tail


def cut_back(server: EmbeddedServer) -> None:
    """Cut the file back to where it is broken. The program is the server's own, by another name."""
    check = server.folder / "valkey-check-aof"
    check.symlink_to(server.program.path)
    fixing = [check, "--fix", tail_of(server)]
    subprocess.run(fixing, input=b"y\n", check=True, stdout=subprocess.DEVNULL)


async def lost_at(server: EmbeddedServer, files: Files) -> int:
    """How many acknowledged turns the server has lost. All that it has is whole, and goes on."""
    lost = 0
    async with await Store.open(server.url) as store:
        path = TurnPath(store.tables, LocalRules(Resolver()))
        for table_id, acknowledged in files.acknowledged.items():
            verdict = await judge(store, table_id)
            assert not verdict.faults
            stored, meta = await path.load(table_id)
            assert stored.revision <= acknowledged
            lost += acknowledged - stored.revision
            if meta.state == "playing":
                await path.play(default(table_id, 0))
                assert not (await judge(store, table_id)).faults
    return lost


@pytest.mark.timeout(600)
async def test_a_torn_end_costs_the_last_commits_whole_and_nothing_else(
    files: Files, rng: random.Random, tmp_path: Path, is_long: bool
) -> None:
    near = range(1, 201) if is_long else rng.sample(range(1, 201), CUTS)
    far = rng.sample(range(201, 15_000), len(near) // 2)
    for cut in (*near, *far):
        server = files.copy(tmp_path / f"cut-{cut}")
        with tail_of(server).open("r+b") as file:
            file.truncate(tail_of(server).stat().st_size - cut)
        with server:
            lost = await lost_at(server, files)
        # A commit is more than 200 bytes.
        assert 1 <= lost <= 1 + cut // 200, f"{cut} bytes were cut off"


@pytest.mark.parametrize("place", ["middle", "end"])
async def test_a_broken_file_is_not_started_on_until_it_is_cut_back(
    files: Files, rng: random.Random, tmp_path: Path, place: str
) -> None:
    """As docs/operations.md says."""
    server = files.copy(tmp_path / "broken")
    written = tail_of(server).read_bytes()
    # Where a command begins: within a value nobody but the game's own record would notice.
    within = len(written) // 2 if place == "middle" else len(written)
    broken = [command.start() for command in COMMAND.finditer(written, 0, within)][-1]
    garbage = bytes([rng.choice(NOT_COMMENTS)]) * 8
    tail_of(server).write_bytes(written[:broken] + garbage + written[broken + 8 :])
    with pytest.raises(ServerFailed, match="Bad file format"):
        server.start()
    cut_back(server)
    with server:
        lost = await lost_at(server, files)
    assert lost >= 1
    if place == "end":
        assert lost == 1
