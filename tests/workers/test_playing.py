"""Playing bots: a slice of tables at once, each answer once, and no harm done by one that fails."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from random import Random

import pytest

from hutch.bots import STRATEGIES, Move, Sight, Strategy
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.workers.playing import BotPlayer
from tests.oracle import judge

ATTEMPTS = 3
HOST = "host"


def player_of(store: Store, *, slice_seconds: float = 30) -> BotPlayer:
    """A worker's player, with rules of its own."""
    resolver = Resolver()
    return BotPlayer(
        TurnPath(store.tables, LocalRules(resolver)),
        store.hints,
        resolver,
        attempts=ATTEMPTS,
        slice_seconds=slice_seconds,
        hint_retry_seconds=2,
        rng=Random(7),
    )


async def bot_table(lobby: Lobby, *bots: str) -> str:
    """A started table of those bots: its id."""
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat() for _ in bots])
    table = await lobby.create(HOST, wanted, uuid.uuid4().hex)
    table_id = table.name.removeprefix("tables/")
    for seat, bot in enumerate(bots):
        await lobby.assign_bot(table_id, seat, HOST, bot)
    await lobby.start(table_id, HOST)
    return table_id


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy called `poison` that never answers."""

    def play(sight: Sight, rng: Random) -> Move:
        raise RuntimeError("this bot is broken")

    strategies: Mapping[str, Strategy] = {**STRATEGIES["rabbit-space"], "poison": play}
    broken = {**STRATEGIES, "rabbit-space": strategies}
    for module in ("hutch.workers.playing", "hutch.turns.lobby"):
        monkeypatch.setattr(f"{module}.STRATEGIES", broken)


async def test_a_table_of_bots_is_played_to_its_end_in_one_slice(
    store: Store, lobby: Lobby
) -> None:
    table_id = await bot_table(lobby, "random", "greedy", "random")
    await player_of(store).play([table_id])
    verdict = await judge(store, table_id)
    assert not verdict.faults
    assert await store.hints.size() == 0


async def test_a_table_gets_a_turn_even_where_the_slice_is_over_at_once(
    store: Store, lobby: Lobby
) -> None:
    table_id = await bot_table(lobby, "random", "random")
    await player_of(store, slice_seconds=1e-9).play([table_id])
    assert await store.tables.count_inputs(table_id) == 2  # the deal, and that turn


async def test_a_table_that_was_tried_before_gets_one_turn_and_leaves_the_slice_to_others(
    store: Store, lobby: Lobby
) -> None:
    table_id = await bot_table(lobby, "random", "random")
    await store.hints.begin(table_id)
    await player_of(store).play([table_id])
    assert await store.tables.count_inputs(table_id) == 2
    (hint,) = await store.hints.claim_hints(ALL_SHARDS, 10, 1000)
    assert (hint.table_id, hint.tried) == (table_id, 0)


async def test_workers_told_of_the_same_tables_answer_each_question_once(
    store: Store, lobby: Lobby
) -> None:
    tables = [await bot_table(lobby, "random", "greedy") for _ in range(4)]
    players = [player_of(store) for _ in range(3)]
    for _ in range(20):
        await asyncio.gather(*[player.play(tables) for player in players])
        if await store.hints.size() == 0:
            break
    for table_id in tables:
        assert not (await judge(store, table_id)).faults


@pytest.mark.usefixtures("poison")
async def test_a_bot_that_fails_is_tried_again_and_then_the_default_is_played(
    store: Store, lobby: Lobby, path: TurnPath
) -> None:
    table_id = await bot_table(lobby, "poison", "poison")
    player = player_of(store)
    dealt, _ = await path.load(table_id)
    for _ in range(ATTEMPTS):
        await player.play([table_id])
    assert (await path.load(table_id))[0].revision == dealt.revision
    await player.play([table_id])
    assert (await path.load(table_id))[0].revision == dealt.revision + 1
    (letter,) = await store.hints.dead_letters(10)
    assert (letter.table_id, letter.attempts) == (table_id, ATTEMPTS)


@pytest.mark.usefixtures("poison")
async def test_a_game_of_broken_bots_comes_to_its_end(store: Store, lobby: Lobby) -> None:
    table_id = await bot_table(lobby, "poison")
    player = player_of(store)
    while await store.hints.size():
        await player.play([table_id])
    assert not (await judge(store, table_id)).faults


@pytest.mark.usefixtures("poison")
async def test_a_broken_bot_does_not_harm_the_others_of_its_slice(
    store: Store, lobby: Lobby
) -> None:
    broken = await bot_table(lobby, "poison", "random")
    sound = [await bot_table(lobby, "random", "random") for _ in range(3)]
    await player_of(store).play([broken, *sound])
    for table_id in sound:
        assert not (await judge(store, table_id)).faults


@pytest.mark.usefixtures("poison")
async def test_what_a_bot_failed_of_is_kept_for_operators_without_its_words(
    store: Store, lobby: Lobby
) -> None:
    table_id = await bot_table(lobby, "poison")
    await player_of(store).play([table_id])
    inspected = await store.inspection.look(table_id)
    assert inspected is not None
    assert inspected.failure is not None
    assert inspected.failure.revision == inspected.stored.revision
    assert inspected.failure.what.startswith("a bot: RuntimeError in play, line ")
    assert "broken" not in inspected.failure.what


async def test_a_hint_for_a_table_that_awaits_no_bot_does_nothing(
    store: Store, lobby: Lobby, path: TurnPath
) -> None:
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat()])
    table = await lobby.create(HOST, wanted, uuid.uuid4().hex)
    table_id = table.name.removeprefix("tables/")
    await lobby.claim(table_id, 0, HOST, "Host", b"")
    await lobby.start(table_id, HOST)
    before, _ = await path.load(table_id)
    await player_of(store).play([table_id, "0" * 20])
    assert (await path.load(table_id))[0].revision == before.revision
    assert await store.hints.claim_hints(ALL_SHARDS, 10, 1000) == []
