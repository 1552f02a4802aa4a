"""Migrating: a game goes over to newer rules that lead to it and tell the same, or it stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hutch import games
from hutch.engine.records import decode_record
from hutch.engine.rules import Rules
from hutch.games.rabbit_space import RULES
from hutch.store.store import Store
from hutch.turns.bundle import bundled, run
from hutch.turns.diagnosis import Unreadable, live_of
from hutch.turns.lobby import Lobby
from hutch.turns.migrating import Examined, Moved, examined, migrated, take_over
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from tests.oracle import judge
from tests.turns.arranging import bot_table, damage, default, started

Publish = Callable[..., Rules]


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch) -> Publish:
    """Publish the next revision of a game, with what is different in it."""

    def publish(rules: Rules = RULES, **different: Any) -> Rules:
        newer = replace(rules, revision=rules.revision + 1, **different)
        monkeypatch.setitem(games._BY_REVISION, (newer.name, newer.revision), newer)
        return newer

    return publish


async def look(store: Store, table_id: str) -> Examined:
    """That table, for which there are newer rules."""
    found = await examined(store.tables, table_id)
    assert found is not None
    return found


async def why_it_stays(path: TurnPath, store: Store, table_id: str) -> str:
    """Let a table go over, which then has not moved: why not."""
    before = await store.tables.load(table_id)
    found = await migrated(path, table_id, write=True)
    assert found is not None
    assert found.record is None
    after = await store.tables.load(table_id)
    assert before is not None
    assert after is not None
    assert (after.revision, after.record) == (before.revision, before.record)
    return found.why


async def to_a_later_checkpoint(path: TurnPath, table_id: str) -> None:
    """Play defaults until the game stands at a checkpoint that is not the first one after it."""
    for _ in range(3):
        while True:
            stored, meta = await path.load(table_id)
            assert stored.record is not None
            accepted = await path.play(default(table_id, live_of(stored.record).awaited()[0]))
            assert accepted.stored is not None
            assert accepted.stored.record is not None
            if not decode_record(accepted.stored.record).inputs:
                break
    assert meta.state == "playing"


async def test_a_game_goes_over_and_is_played_to_its_end_as_if_it_had_always_been_of_those_rules(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    table_id = await started(lobby)
    await to_a_later_checkpoint(path, table_id)
    newer = publish()
    before = await store.tables.load(table_id)
    assert before is not None
    assert (await migrated(path, table_id, write=True)) is not None
    stored, meta = await path.load(table_id)
    assert meta.rules_revision == newer.revision
    assert stored.revision == before.revision + 1
    (entry,) = await store.tables.read_log(table_id, before.revision, 10)
    assert entry.fields.keys() == {"t"}
    assert pb.Table.FromString(entry.fields["t"]).rules_revision == newer.revision
    assert await examined(store.tables, table_id) is None, "there is nothing left to do"
    while meta.state == "playing":
        await path.play(default(table_id, 0))
        _, meta = await path.load(table_id)
    assert not (await judge(store, table_id)).faults
    inspected = await store.inspection.look(table_id)
    assert inspected is not None
    steps = list(run(await bundled(store.tables, inspected, with_secrets=True)))
    assert not [step for step in steps if step.fault], "they tell what was told before, too"


@pytest.mark.parametrize("rules", games.RULESETS.values(), ids=games.RULESETS)
async def test_a_game_of_any_kind_goes_over_at_a_checkpoint(
    rules: Rules, lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    table_id = await started(lobby, ruleset=rules.name, players=3)
    await to_a_later_checkpoint(path, table_id)
    newer = publish(rules)
    found = await migrated(path, table_id, write=True)
    assert found is not None
    assert not found.why
    await to_a_later_checkpoint(path, table_id)
    _, meta = await path.load(table_id)
    assert meta.rules_revision == newer.revision
    assert not (await judge(store, table_id)).faults


async def test_what_was_armed_stays_armed(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    table_id = await bot_table(lobby, limits_ms={"phase": 3_600_000})
    before = await store.inspection.look(table_id)
    publish()
    await migrated(path, table_id, write=True)
    after = await store.inspection.look(table_id)
    assert before is not None
    assert after is not None
    assert before.timer is not None
    assert (after.timer, after.hint is not None) == (before.timer, True)


async def test_a_game_is_examined_without_being_changed(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    table_id = await started(lobby)
    publish()
    before = await store.tables.load(table_id)
    found = await migrated(path, table_id, write=False)
    after = await store.tables.load(table_id)
    assert found is not None
    assert found.record is not None
    assert before is not None
    assert after is not None
    assert (after.revision, after.token) == (before.revision, before.token)


async def test_a_turn_that_comes_between_is_not_lost(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    table_id = await started(lobby)
    publish()
    found = await look(store, table_id)
    accepted = await path.play(default(table_id, 0))
    with pytest.raises(Moved):
        await take_over(path, found)
    stored, _ = await path.load(table_id)
    assert stored.revision == accepted.revision
    assert not (await judge(store, table_id)).faults


async def test_between_two_checkpoints_a_game_stays(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    table_id = await started(lobby, players=2)
    await path.play(default(table_id, 0))
    publish()
    assert "between two checkpoints" in await why_it_stays(path, store, table_id)


async def test_where_the_newer_rules_lead_elsewhere_a_game_stays(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    def thirstier(table: Any) -> None:
        table.chance.below("more", 6)
        RULES.setup(table)

    table_id = await started(lobby)
    publish(setup=thirstier)
    assert "the newer rules lead to another draws" in await why_it_stays(path, store, table_id)


async def test_where_the_newer_rules_tell_something_else_a_game_stays(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    table_id = await started(lobby)
    publish(tell=lambda event: type(RULES.tell(event))())
    why = await why_it_stays(path, store, table_id)
    assert "the rules tell something else than was told then" in why


async def test_newer_rules_that_fail_are_told_by_where(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish
) -> None:
    def broken(table: Any) -> None:
        raise ZeroDivisionError("the ace of carrots")

    table_id = await started(lobby)
    publish(setup=broken)
    why = await why_it_stays(path, store, table_id)
    assert "The newer rules fail on it: ZeroDivisionError in broken, line " in why
    assert "ace of carrots" not in why


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("record", "cannot be read: ValidationError in decode_record"),
        ("meta", "cannot be read: ValidationError in decode_meta"),
        ("inputs", "Parts of its history are missing"),
        ("log", "Parts of its history are missing"),
    ],
)
async def test_a_damaged_table_is_told_as_such_and_not_as_busy(
    lobby: Lobby, path: TurnPath, store: Store, publish: Publish, part: str, why: str
) -> None:
    table_id = await started(lobby)
    publish()
    await damage(store, table_id, part)
    with pytest.raises(Unreadable, match=why):
        await migrated(path, table_id, write=True)


async def test_games_that_are_over_and_those_of_an_owners_cards_are_let_alone(
    lobby: Lobby, store: Store, publish: Publish
) -> None:
    table_id = await started(lobby)
    newer = publish()
    assert games.successor(newer.name, RULES.revision) is newer
    assert games.successor(newer.name, newer.revision) is None
    assert games.successor(newer.name, RULES.revision + 5_000) is None
    await lobby.void(table_id)
    assert await examined(store.tables, table_id) is None
