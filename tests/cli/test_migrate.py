"""`hutch migrate` tells which games could be played on by newer rules, and lets them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from hutch import games
from hutch.games.rabbit_space import RULES
from hutch.store.embedded import EmbeddedServer
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from tests.commands import hutch
from tests.oracle import judge
from tests.turns.arranging import damage, default, started

NEWER = RULES.revision + 1
#: So much fits between the command and whoever reads: some fifty lines. Then it waits.
LINES_BYTES = 4096


def newer_hutch(redis: EmbeddedServer, *arguments: str) -> subprocess.Popen[str]:
    """The command of a release that has the next revision of every game, and no other."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.cli.newer_hutch", *arguments],
        env=os.environ | {"HUTCH_REDIS_URL": redis.url},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        pipesize=LINES_BYTES,
    )


def told(redis: EmbeddedServer, *arguments: str) -> tuple[int, list[str]]:
    """Its status, and the lines that it says."""
    with newer_hutch(redis, *arguments) as process:
        said, _ = process.communicate(timeout=120)
    return process.returncode, said.splitlines()


async def revisions(path: TurnPath, table_ids: list[str]) -> list[int]:
    """By what revision of the rules the games at those tables are played."""
    return [(await path.load(table_id))[1].rules_revision for table_id in table_ids]


async def test_it_says_what_could_be_done_and_does_it_when_it_is_told_to(
    own_redis_server: EmbeddedServer,
) -> None:
    async with await Store.open(own_redis_server.url) as store:
        path = TurnPath(store.tables, LocalRules(Resolver()))
        going, staying, over = [await started(Lobby(path), players=2) for _ in range(3)]
        await path.play(default(staying, 0))
        await Lobby(path).void(over)
        all_three = [going, staying, over]
        lines = [
            f"table {staying}: The game stays on revision 1 of 'rabbit-space': it is between two "
            "checkpoints; try again when the step is done.",
            f"table {going}: The game can be played by revision 2 of 'rabbit-space'.",
        ]
        status, said = told(own_redis_server, "migrate")
        assert status == 1
        assert sorted(said[:-1]) == sorted(lines)
        assert said[-1] == (
            "1 can go over to newer rules, 1 stay on older ones; nothing was changed: that takes "
            "--write"
        )
        assert await revisions(path, all_three) == [1, 1, 1]

        status, said = told(own_redis_server, "migrate", "--write")
        assert status == 1
        assert f"table {going}: The game is now played by revision 2 of 'rabbit-space'." in said
        assert said[-1] == "1 went over to newer rules, 1 stay on older ones"
        assert await revisions(path, all_three) == [NEWER, 1, 1]

        await path.play(default(staying, 1))
        status, said = told(own_redis_server, "migrate", "--write")
        assert status == 0, said
        assert await revisions(path, all_three) == [NEWER, NEWER, 1]


async def test_killed_half_way_it_loses_nothing_and_goes_on_where_it_was(
    own_redis_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = replace(RULES, revision=NEWER)
    monkeypatch.setitem(games._BY_REVISION, (newer.name, newer.revision), newer)
    async with await Store.open(own_redis_server.url) as store:
        path = TurnPath(store.tables, LocalRules(Resolver()))
        table_ids = [await started(Lobby(path)) for _ in range(150)]
        with newer_hutch(own_redis_server, "migrate", "--write") as process:
            assert process.stdout is not None
            for _ in range(10):
                assert "is now played by revision" in process.stdout.readline()
            process.kill()
        assert 10 <= sum(one == NEWER for one in await revisions(path, table_ids)) < 150
        for table_id in table_ids[::3]:
            await path.play(default(table_id, 0))
        status, said = told(own_redis_server, "migrate", "--write")
        stay = [line for line in said if "stays on revision" in line]
        assert all("between two checkpoints" in line for line in stay)
        assert status == (1 if stay else 0)
        after = await revisions(path, table_ids)
        assert sum(one != NEWER for one in after) == len(stay) <= 50
        for table_id in table_ids:
            assert not (await judge(store, table_id)).faults


async def test_a_table_that_cannot_be_read_keeps_it_from_no_other(
    own_redis_server: EmbeddedServer,
) -> None:
    async with await Store.open(own_redis_server.url) as store:
        lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver())))
        _, damaged, _ = [await started(lobby) for _ in range(3)]
        await damage(store, damaged, "record")
    status, said = told(own_redis_server, "migrate", "--write")
    assert status == 1
    assert said[1].startswith(f"table {damaged}: What is stored of it cannot be read: ")
    assert said[-1] == "2 went over to newer rules, 1 stay on older ones"


def test_with_no_newer_rules_it_has_nothing_to_do(own_redis_server: EmbeddedServer) -> None:
    said = hutch("migrate", "--write", HUTCH_REDIS_URL=own_redis_server.url)
    assert said.returncode == 0, said.stderr
    assert said.stdout == "0 went over to newer rules, 0 stay on older ones\n"
