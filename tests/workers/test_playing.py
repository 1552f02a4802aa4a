"""Playing bots: a slice of tables at once, each answer once, and no harm done by one that fails."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Mapping
from contextlib import suppress
from random import Random

import pytest

from hutch.bots import STRATEGIES, Move, Sight, Strategy, random_play
from hutch.engine.prompts import picks
from hutch.gateway.calls import check_request_id
from hutch.store.embedded import EmbeddedServer
from hutch.store.keys import ALL_SHARDS, shard_of
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault
from hutch.workers.playing import BotPlayer
from tests.oracle import judge

ATTEMPTS = 3
HOST = "host"


def player_of(store: Store, *, slice_seconds: float = 30, answer_seconds: float = 10) -> BotPlayer:
    """A worker's player, with rules of its own."""
    resolver = Resolver()
    return BotPlayer(
        TurnPath(store.tables, LocalRules(resolver)),
        store.hints,
        resolver,
        attempts=ATTEMPTS,
        answer_seconds=answer_seconds,
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


class Poison:
    """A strategy called `poison`, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.move: Strategy = raising

    def __call__(self, sight: Sight, rng: Random) -> Move:
        self.asked += 1
        return self.move(sight, rng)


def raising(sight: Sight, rng: Random) -> Move:
    """Never answers."""
    raise RuntimeError("this bot is broken")


def cheating(sight: Sight, rng: Random) -> Move:
    """Picks what it is not offered."""
    return sight.questions[0].number, picks("no such option")


def looping(sight: Sight, rng: Random) -> Move:
    """Thinks for ever, whatever happens meanwhile."""
    while True:
        with suppress(Exception):
            random_play.play(sight, rng)


def quitting(sight: Sight, rng: Random) -> Move:
    """Would end its worker, if it were let."""
    sys.exit(1)


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> Poison:
    """That strategy, which can be assigned."""
    poison = Poison()
    strategies: Mapping[str, Strategy] = {**STRATEGIES["rabbit-space"], "poison": poison}
    broken = {**STRATEGIES, "rabbit-space": strategies}
    for module in ("hutch.workers.playing", "hutch.turns.lobby"):
        monkeypatch.setattr(f"{module}.STRATEGIES", broken)
    return poison


async def test_no_player_can_use_up_the_request_ids_of_a_bot(store: Store, lobby: Lobby) -> None:
    """Whose request had the id of a bot's next answer would have the bot given up for failing."""
    table_id = await bot_table(lobby, "random", "greedy")
    await player_of(store).play([table_id])
    stored = await store.client.hkeys(store.keys.table(table_id))
    ids = [name.decode().removeprefix("q:") for name in stored if name.startswith(b"q:")]
    assert len(ids) > 10
    for request_id in ids:
        with pytest.raises(Fault, match="is no UUID"):
            check_request_id(request_id)


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
    await store.hints.begin(table_id, 0)
    await player_of(store).play([table_id])
    assert await store.tables.count_inputs(table_id) == 2
    (hint,), _ = await store.hints.claim_hints(ALL_SHARDS, 10, 1000)
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


@pytest.mark.parametrize("move", [raising, cheating, quitting, looping])
async def test_a_bot_that_fails_is_tried_again_and_then_the_default_is_played(
    store: Store, lobby: Lobby, path: TurnPath, poison: Poison, move: Strategy
) -> None:
    poison.move = move
    table_id = await bot_table(lobby, "poison", "poison")
    player = player_of(store, slice_seconds=1e-9, answer_seconds=0.1)
    dealt, _ = await path.load(table_id)
    for _ in range(ATTEMPTS):
        await player.play([table_id])
    assert (await path.load(table_id))[0].revision == dealt.revision
    await player.play([table_id])
    assert (await path.load(table_id))[0].revision == dealt.revision + 1
    assert poison.asked == ATTEMPTS
    (letter,) = await store.hints.dead_letters(10)
    assert (letter.table_id, letter.attempts) == (table_id, ATTEMPTS)


async def test_a_bot_that_fails_holds_its_table_up_for_no_longer_than_it_takes(
    store: Store, lobby: Lobby, path: TurnPath, poison: Poison
) -> None:
    table_id = await bot_table(lobby, "poison")
    dealt, _ = await path.load(table_id)
    await player_of(store).play([table_id])
    assert poison.asked == ATTEMPTS
    assert (await path.load(table_id))[0].revision > dealt.revision


async def test_an_attempt_is_counted_before_it_is_made_in_the_middle_of_a_slice_too(
    store: Store, redis_server: EmbeddedServer, lobby: Lobby, poison: Poison
) -> None:
    table_id = await bot_table(lobby, "poison")
    (claims,) = store.keys.of_shard(shard_of(table_id), "claims")
    attempts: set[str] = set()

    def counting(sight: Sight, rng: Random) -> Move:
        attempts.add(redis_server.ask("HGET", claims, f"a:{table_id}"))
        return random_play.play(sight, rng)

    poison.move = counting
    await player_of(store).play([table_id])
    assert poison.asked > 2
    assert attempts == {"$1\r\n1\r\n"}


async def test_a_bot_gets_an_attempt_fewer_each_time_and_in_the_end_none(
    store: Store, lobby: Lobby, poison: Poison
) -> None:
    table_id = await bot_table(lobby, "poison")
    player = player_of(store)
    while await store.hints.size():
        await player.play([table_id])
    assert poison.asked == sum(range(ATTEMPTS + 1))
    letters = await store.hints.dead_letters(10)
    assert sorted(letter.attempts for letter in letters) == [1, 2, 3]
    assert not (await judge(store, table_id)).faults


async def test_the_one_that_is_given_up_is_the_one_that_fails(
    store: Store, lobby: Lobby, path: TurnPath, poison: Poison
) -> None:
    table_id = await bot_table(lobby, "random", "poison", "random")
    player = player_of(store, slice_seconds=1e-9)
    while not await store.hints.dead_letters(1):
        await player.play([table_id])
    _, meta = await path.load(table_id)
    assert [seat.given_up for seat in meta.seats] == [0, 1, 0]


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
    await player_of(store, slice_seconds=1e-9).play([table_id])
    inspected = await store.inspection.look(table_id)
    assert inspected is not None
    assert inspected.failure is not None
    assert inspected.failure.revision == inspected.stored.revision
    assert inspected.failure.what.startswith("a bot: RuntimeError in raising, line ")
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
    assert await store.hints.claim_hints(ALL_SHARDS, 10, 1000) == ([], {})
