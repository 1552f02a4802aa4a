"""Playing bots: a slice of tables at once, each answer once, and no harm done by one that fails."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from hutch.engine.live import Live
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
from hutch.workers.thinkers import Thinkers
from hutch.workers.thoughts import Asked, Bounds
from hutch.workers.trust import Trust
from tests.chaos.poison import KINDS, Poisoned, known
from tests.chaos.poison import poison as strategies
from tests.oracle import judge

ATTEMPTS = 3
HOST = "host"


def player_of(
    store: Store,
    thinkers: Thinkers,
    *,
    slice_seconds: float = 30,
    attempts: int = ATTEMPTS,
    trust: Trust | None = None,
) -> BotPlayer:
    """A worker's player, with rules of its own, that trusts everybody."""
    resolver = Resolver()
    return BotPlayer(
        TurnPath(store.tables, LocalRules(resolver)),
        store.hints,
        resolver,
        thinkers,
        trust or Trust(0),
        attempts=attempts,
        answer_seconds=10,
        slice_seconds=slice_seconds,
        hint_retry_seconds=2,
        rng=Random(7),
    )


def wary_player(store: Store, thinkers: Thinkers, *, attempts: int = ATTEMPTS) -> BotPlayer:
    """One that trusts nobody yet."""
    return player_of(store, thinkers, attempts=attempts, trust=Trust(1_000))


async def play(player: BotPlayer, *tables: str) -> None:
    """A slice of those tables, from its begin to its end."""
    await player.play([*tables])
    await player.finish()


async def bot_table(lobby: Lobby, *bots: str, limit_seconds: int = 0) -> str:
    """A started table of those bots, without a clock or with one: its id."""
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat() for _ in bots])
    if limit_seconds:
        wanted.limits["*"].seconds = limit_seconds
    table = await lobby.create(HOST, wanted, uuid.uuid4().hex)
    table_id = table.name.removeprefix("tables/")
    for seat, bot in enumerate(bots):
        await lobby.assign_bot(table_id, seat, HOST, bot)
    await lobby.start(table_id, HOST)
    return table_id


class Poison:
    """The strategies that are poison can be assigned; and how often each was asked."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def asked(self, name: str) -> int:
        """How often that one was asked."""
        return self._log.read_text().split().count(name)


@pytest.fixture
def poison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Poison:
    """Those strategies."""
    log = tmp_path / "poison"
    monkeypatch.setenv("POISON_LOG", str(log))
    for name, strategy in strategies(log).items():
        monkeypatch.setitem(known(), name, strategy)
    return Poison(log)


@pytest.fixture
def poisoned(poison: Poison) -> Iterator[Thinkers]:
    """Thinkers that know them, and have little time for them."""
    thinkers = Poisoned(Bounds(answer_seconds=0.1, memory_megabytes=256))
    yield thinkers
    thinkers.close()


async def test_no_player_can_use_up_the_request_ids_of_a_bot(
    store: Store, lobby: Lobby, thinkers: Thinkers
) -> None:
    """Whose request had the id of a bot's next answer would have the bot given up for failing."""
    table_id = await bot_table(lobby, "random", "greedy")
    await play(player_of(store, thinkers), table_id)
    stored = await store.client.hkeys(store.keys.table(table_id))
    ids = [name.decode().removeprefix("q:") for name in stored if name.startswith(b"q:")]
    assert len(ids) > 10
    for request_id in ids:
        with pytest.raises(Fault, match="is no UUID"):
            check_request_id(request_id)


async def test_a_table_of_bots_is_played_to_its_end_in_one_slice(
    store: Store, lobby: Lobby, thinkers: Thinkers
) -> None:
    table_id = await bot_table(lobby, "random", "greedy", "random")
    await play(player_of(store, thinkers), table_id)
    verdict = await judge(store, table_id)
    assert not verdict.faults
    assert await store.hints.size() == 0


async def test_a_table_gets_a_turn_even_where_the_slice_is_over_at_once(
    store: Store, lobby: Lobby, thinkers: Thinkers
) -> None:
    table_id = await bot_table(lobby, "random", "random")
    await play(player_of(store, thinkers, slice_seconds=1e-9), table_id)
    assert await store.tables.count_inputs(table_id) == 2  # the deal, and that turn


async def test_a_table_that_was_tried_before_gets_one_turn_and_leaves_the_slice_to_others(
    store: Store, lobby: Lobby, thinkers: Thinkers
) -> None:
    table_id = await bot_table(lobby, "random", "random")
    await store.hints.begin(table_id, 0)
    await play(player_of(store, thinkers), table_id)
    assert await store.tables.count_inputs(table_id) == 2
    (hint,), _ = await store.hints.claim_hints(ALL_SHARDS, 10, 1000)
    assert (hint.table_id, hint.tried) == (table_id, 0)


async def test_workers_told_of_the_same_tables_answer_each_question_once(
    store: Store, lobby: Lobby, thinkers: Thinkers
) -> None:
    tables = [await bot_table(lobby, "random", "greedy") for _ in range(4)]
    players = [player_of(store, thinkers) for _ in range(3)]
    for _ in range(20):
        await asyncio.gather(*[play(player, *tables) for player in players])
        if await store.hints.size() == 0:
            break
    for table_id in tables:
        assert not (await judge(store, table_id)).faults


@pytest.mark.parametrize("kind", [kind.__name__ for kind in KINDS])
async def test_a_bot_that_fails_is_tried_again_at_once_and_then_the_default_is_played(
    store: Store, lobby: Lobby, path: TurnPath, poison: Poison, poisoned: Thinkers, kind: str
) -> None:
    table_id = await bot_table(lobby, kind, kind)
    dealt, _ = await path.load(table_id)
    await play(wary_player(store, poisoned), table_id)
    assert (await path.load(table_id))[0].revision == dealt.revision + 1
    assert poison.asked(kind) == ATTEMPTS
    (letter,) = await store.hints.dead_letters(10)
    assert (letter.table_id, letter.attempts) == (table_id, ATTEMPTS)


@pytest.mark.parametrize("kind", ["loops", "sleeps"])
async def test_the_default_comes_before_the_deadline_where_that_leaves_time_for_the_attempts(
    store: Store, lobby: Lobby, poison: Poison, poisoned: Thinkers, kind: str
) -> None:
    table_id = await bot_table(lobby, kind, limit_seconds=60)
    dealt = await store.tables.load(table_id)
    assert dealt is not None
    assert dealt.record is not None
    live = Resolver().live(dealt.record)
    assert isinstance(live, Live)
    due_ms = live.next_due_ms()
    assert due_ms is not None

    await play(wary_player(store, poisoned, attempts=5), table_id)

    assert poison.asked(kind) == 5
    (letter,) = await store.hints.dead_letters(10)
    assert (letter.table_id, letter.attempts) == (table_id, 5)
    *_, defaulted = await store.tables.read_log(table_id, dealt.revision, 10)
    assert defaulted.revision == dealt.revision + 1
    assert defaulted.commit_ms < due_ms


async def test_a_strategy_that_has_earned_trust_thinks_in_the_worker_and_needs_no_thinker(
    store: Store, lobby: Lobby
) -> None:
    class Counted(Thinkers):
        asked = 0

        async def think(self, asked: Asked, *, is_suspect: bool) -> bytes:
            self.asked += 1
            return await super().think(asked, is_suspect=is_suspect)

    with closing(Counted(Bounds(answer_seconds=10, memory_megabytes=0))) as thinkers:
        player = player_of(store, thinkers, trust=Trust(5))
        tables = [await bot_table(lobby, "random") for _ in range(2)]
        for table_id in tables:
            await play(player, table_id)
            assert thinkers.asked == 5
    for table_id in tables:
        assert not (await judge(store, table_id)).faults


async def test_a_bot_that_is_suspect_thinks_elsewhere_whatever_its_strategy_has_earned(
    store: Store, lobby: Lobby
) -> None:
    are_suspect: list[bool] = []

    class Watched(Thinkers):
        async def think(self, asked: Asked, *, is_suspect: bool) -> bytes:
            are_suspect.append(is_suspect)
            return await super().think(asked, is_suspect=is_suspect)

    table_id = await bot_table(lobby, "random")
    await store.hints.begin(table_id, 0)
    with closing(Watched(Bounds(answer_seconds=10, memory_megabytes=0))) as thinkers:
        await play(player_of(store, thinkers), table_id)
    assert are_suspect == [True]


@pytest.mark.parametrize("kind", ["raises", "cheats"])
async def test_a_strategy_that_fails_in_the_worker_has_lost_its_trust(
    store: Store, lobby: Lobby, poison: Poison, thinkers: Thinkers, kind: str
) -> None:
    trust = Trust(3)
    strategy = ("rabbit-space", kind)
    for _ in range(3):
        trust.answered(strategy)
    player = player_of(store, thinkers, trust=trust)
    table_id = await bot_table(lobby, kind)
    await play(player, table_id)
    assert poison.asked(kind) == 1  # for the thinkers do not know it
    assert not trust.is_earned(strategy)
    assert trust.is_lost(strategy)
    assert (await store.hints.dead_letters(1))[0].attempts == ATTEMPTS


async def test_an_attempt_is_counted_before_it_is_made_in_the_middle_of_a_slice_too(
    store: Store, redis_server: EmbeddedServer, lobby: Lobby
) -> None:
    table_id = await bot_table(lobby, "random")
    (claims,) = store.keys.of_shard(shard_of(table_id), "claims")
    attempts: list[str] = []

    class Watched(Thinkers):
        async def think(self, asked: Asked, *, is_suspect: bool) -> bytes:
            attempts.append(redis_server.ask("HGET", claims, f"a:{table_id}"))
            return await super().think(asked, is_suspect=is_suspect)

    with closing(Watched(Bounds(answer_seconds=10, memory_megabytes=0))) as thinkers:
        await play(wary_player(store, thinkers), table_id)
    assert len(attempts) > 2
    assert set(attempts) == {"$1\r\n1\r\n"}


async def test_a_bot_gets_an_attempt_fewer_each_time_and_in_the_end_none(
    store: Store, lobby: Lobby, poison: Poison, poisoned: Thinkers
) -> None:
    table_id = await bot_table(lobby, "raises")
    player = wary_player(store, poisoned)
    while await store.hints.size():
        await play(player, table_id)
    assert poison.asked("raises") == sum(range(ATTEMPTS + 1))
    letters = await store.hints.dead_letters(10)
    assert sorted(letter.attempts for letter in letters) == [1, 2, 3]
    assert not (await judge(store, table_id)).faults


async def test_the_one_that_is_given_up_is_the_one_that_fails(
    store: Store, lobby: Lobby, path: TurnPath, poisoned: Thinkers
) -> None:
    table_id = await bot_table(lobby, "random", "raises", "random")
    player = wary_player(store, poisoned)
    while not await store.hints.dead_letters(1):
        await play(player, table_id)
    _, meta = await path.load(table_id)
    assert [seat.given_up for seat in meta.seats] == [0, 1, 0]


async def test_broken_bots_do_not_harm_the_others_of_their_slice(
    store: Store, lobby: Lobby, poisoned: Thinkers
) -> None:
    broken = [await bot_table(lobby, kind, "random") for kind in ("raises", "exits")]
    sound = [await bot_table(lobby, "random", "random") for _ in range(3)]
    await play(wary_player(store, poisoned), *broken, *sound)
    for table_id in sound:
        assert not (await judge(store, table_id)).faults


async def test_what_a_bot_failed_of_is_kept_for_operators_without_its_words(
    store: Store, lobby: Lobby, poisoned: Thinkers
) -> None:
    table_id = await bot_table(lobby, "raises")
    await play(wary_player(store, poisoned), table_id)
    inspected = await store.inspection.look(table_id)
    assert inspected is not None
    assert inspected.failure is not None
    # The default was played since then.
    assert inspected.failure.revision == inspected.stored.revision - 1
    assert inspected.failure.what.startswith("a bot: RuntimeError in raises, line ")
    assert "poison" not in inspected.failure.what


async def test_a_hint_for_a_table_that_awaits_no_bot_does_nothing(
    store: Store, lobby: Lobby, path: TurnPath, thinkers: Thinkers
) -> None:
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat()])
    table = await lobby.create(HOST, wanted, uuid.uuid4().hex)
    table_id = table.name.removeprefix("tables/")
    await lobby.claim(table_id, 0, HOST, "Host", b"")
    await lobby.start(table_id, HOST)
    before, _ = await path.load(table_id)
    await play(player_of(store, thinkers), table_id, "0" * 20)
    assert (await path.load(table_id))[0].revision == before.revision
    assert await store.hints.claim_hints(ALL_SHARDS, 10, 1000) == ([], {})
