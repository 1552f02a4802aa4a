"""Tallying finished games: what is measured, and that each counts once whatever gets lost."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from hutch.store.commits import Commit
from hutch.store.embedded import EmbeddedServer
from hutch.store.errors import StoreUnavailable
from hutch.store.store import Store
from hutch.store.tallies import Measure
from hutch.turns.campaign_ledger import Ledger
from hutch.turns.campaigns import Campaigns
from hutch.turns.lobby import Lobby
from hutch.turns.table_meta import SeatMeta, TableMeta
from hutch.turns.turn_path import TurnPath
from hutch.v1 import campaign_pb2, table_pb2
from hutch.workers.analytics import GROUP, Tallier, measures, strategy_of
from hutch.workers.analytics_notes import NoteDispatcher
from hutch.workers.celery_app import celery_app
from hutch.workers.thinkers import Thinkers
from tests.oracle import judge
from tests.redis_servers import eventually
from tests.workers.arranging import finish
from tests.workers.test_playing import bot_table, play, player_of

EVERYTHING = 10_000


def meta_of(*seats: SeatMeta, scores: list[int], winners: list[int], team: int | None) -> TableMeta:
    return TableMeta(
        ruleset="carrots",
        host="host",
        seats=list(seats),
        options={},
        limits_ms={},
        secret=b"",
        created_ms=0,
        state="finished",
        scores=scores,
        winners=winners,
        team=team,
    )


BOT = SeatMeta(bot="greedy")


@pytest.fixture
def tallier(store: Store, path: TurnPath) -> Tallier:
    """A worker's tallier."""
    return Tallier(store, Ledger(path))


def test_rivals_that_tie_win_and_share() -> None:
    meta = meta_of(BOT, BOT, BOT, scores=[5, -2, 5], winners=[0, 2], team=None)
    measured = measures(meta, turns=9, seconds=1.5)
    kind = ("carrots", "rivals", 3)
    assert measured[Measure(*kind, "turns")] == 9
    assert measured[Measure(*kind, "seconds")] == 1.5
    for what, values in {"score": [5, -2, 5], "won": [1, 0, 1], "shared": [1, 0, 1]}.items():
        assert [measured[Measure(*kind, what, "greedy", seat)] for seat in range(3)] == values
    assert len(measured) == 2 + 3 * 3


def test_who_wins_alone_shares_with_nobody() -> None:
    meta = meta_of(BOT, BOT, scores=[5, 3], winners=[0], team=None)
    measured = measures(meta, turns=9, seconds=1.5)
    assert measured[Measure("carrots", "rivals", 2, "won", "greedy", 0)] == 1
    assert measured[Measure("carrots", "rivals", 2, "shared", "greedy", 0)] == 0


def test_a_team_has_a_common_score_and_no_single_winners() -> None:
    meta = meta_of(BOT, BOT, scores=[5, 3], winners=[0, 1], team=8)
    measured = measures(meta, turns=9, seconds=1.5)
    assert measured[Measure("carrots", "team", 2, "team")] == 8
    assert {measure.what for measure in measured} == {"turns", "seconds", "team", "score"}


def test_a_bot_that_stands_in_does_not_get_the_credit() -> None:
    assert strategy_of(SeatMeta(bot="greedy")) == "greedy"
    assert strategy_of(SeatMeta(player="ada")) == "person"
    assert strategy_of(SeatMeta(player="ada", bot="random", left=True)) == "left"
    assert strategy_of(SeatMeta(player="ada", bot="greedy", absence="bot")) == "left"
    assert strategy_of(SeatMeta(player="ada", absence="away")) == "left"


async def test_a_tallied_game_counts_against_its_host_no_more(
    store: Store, tallier: Tallier
) -> None:
    await store.outbox.ensure_group(GROUP)
    for table_id in ("t1", "t2"):
        assert await store.engagements.add("tables", "host", table_id, most=2) is None
    await finish(store, "t1")
    assert await store.engagements.add("tables", "host", "t3", most=2) is not None
    await tallier.tally(await store.outbox.read(GROUP, "one", EVERYTHING))
    assert await store.engagements.add("tables", "host", "t3", most=2) is None


async def test_finished_games_are_tallied_as_they_were_played(
    store: Store, tallier: Tallier, lobby: Lobby, thinkers: Thinkers
) -> None:
    await store.outbox.ensure_group(GROUP)
    tables = [await bot_table(lobby, "random", "greedy") for _ in range(3)]
    while await store.hints.size():
        await play(player_of(store, thinkers), *tables)
    notes = await store.outbox.read(GROUP, "one", EVERYTHING)
    assert sorted(note.table_id for note in notes) == sorted(tables)

    await tallier.tally(notes)

    assert await store.outbox.size() == 0
    tallies = await store.tallies.read()
    verdicts = [await judge(store, table_id) for table_id in tables]
    form = next(iter(tallies)).form
    kind = ("rabbit-space", form, 2)
    turns = tallies[Measure(*kind, "turns")]
    assert (turns.count, turns.total) == (3, sum(verdict.turns for verdict in verdicts))
    for seat, strategy in enumerate(("random", "greedy")):
        scores = [verdict.scores[seat] for verdict in verdicts]
        spread = tallies[Measure(*kind, "score", strategy, seat)]
        assert (spread.count, spread.total) == (3, sum(scores))
        assert (spread.least, spread.most) == (min(scores), max(scores))


async def test_notes_that_come_again_and_again_add_nothing(store: Store, tallier: Tallier) -> None:
    await store.outbox.ensure_group(GROUP)
    await asyncio.gather(*[finish(store, f"table-{number}") for number in range(30)])
    notes = await store.outbox.read(GROUP, "one", EVERYTHING)
    await asyncio.gather(*[tallier.tally(notes) for _ in range(5)])
    await tallier.tally(notes)
    for spread in (await store.tallies.read()).values():
        assert spread.count == 30
    assert await store.outbox.size() == 0


async def test_the_length_of_a_game_runs_from_the_deal_to_the_last_answer(
    store: Store, tallier: Tallier
) -> None:
    await store.outbox.ensure_group(GROUP)
    await finish(store, "t", answers=3)
    inputs = await store.tables.read_inputs("t", 0, 10)
    await tallier.tally(await store.outbox.read(GROUP, "one", 1))
    tallies = await store.tallies.read()
    kind = ("rabbit-space", "rivals", 2)
    assert tallies[Measure(*kind, "turns")].total == 3
    seconds = (inputs[-1][0] - inputs[0][0]) / 1000
    assert tallies[Measure(*kind, "seconds")].total == pytest.approx(seconds)


async def test_a_campaign_is_credited_though_nobody_looks_at_it_before_its_table_is_gone(
    store: Store, tallier: Tallier, path: TurnPath, lobby: Lobby, thinkers: Thinkers
) -> None:
    await store.outbox.ensure_group(GROUP)
    campaigns = Campaigns(path)
    campaign_id = (await campaigns.create("ada", "Ada", "Carrots", "a")).name.split("/")[1]
    begun = await campaigns.start_game(campaign_id, "ada", table_pb2.Table(), "b")
    table_id = begun.table.split("/")[1]
    await lobby.start(table_id, "ada")
    await lobby.leave(table_id, 0, "ada")  # a bot stands in and ends the game
    while await store.hints.size():
        await play(player_of(store, thinkers), table_id)

    scores = (await judge(store, table_id)).scores

    await tallier.tally(await store.outbox.read(GROUP, "one", 1))
    await store.client.delete(store.keys.table(table_id))  # as its expiry does

    (game,) = (await campaigns.get(campaign_id, "ada")).games
    assert game.state == campaign_pb2.CAMPAIGN_GAME_STATE_OVER
    assert game.points == sum(scores)


async def test_a_game_of_a_team_that_is_no_more_is_dealt_with(
    store: Store, tallier: Tallier
) -> None:
    await store.outbox.ensure_group(GROUP)
    await finish(store, "t", campaign="0123456789abcdef0123")
    await tallier.tally(await store.outbox.read(GROUP, "one", 1))
    assert await store.outbox.size() == 0


async def test_a_note_whose_table_is_gone_is_dealt_with(store: Store, tallier: Tallier) -> None:
    await store.outbox.ensure_group(GROUP)
    await finish(store, "t")
    notes = await store.outbox.read(GROUP, "one", 1)
    await store.pipelining.call(notes[0].shard, "UNLINK", store.keys.table("t"))
    await tallier.tally(notes)
    assert await store.outbox.size() == 0
    assert await store.tallies.read() == {}


async def test_a_table_that_cannot_be_tallied_keeps_its_note_and_harms_no_other(
    store: Store, tallier: Tallier
) -> None:
    await store.outbox.ensure_group(GROUP)
    await finish(store, "sound")
    await finish(store, "broken", scores=[1])  # of two seats
    await tallier.tally(await store.outbox.read(GROUP, "one", EVERYTHING))
    assert {spread.count for spread in (await store.tallies.read()).values()} == {1}
    (note,) = await store.outbox.reclaim(GROUP, "one", EVERYTHING, 0)
    assert note.table_id == "broken"


async def test_a_dispatcher_that_starts_as_redis_goes_joins_when_it_is_back(
    own_redis_server: EmbeddedServer,
) -> None:
    store = await Store.open(own_redis_server.url)
    own_redis_server.kill()
    dispatcher = NoteDispatcher(
        store, celery_app("memory://"), poll_seconds=0.01, retry_seconds=60, batch=8
    )
    joining = asyncio.create_task(dispatcher.join(asyncio.Event()))
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        await store.outbox.size()  # asked later than the dispatcher asked
    assert not joining.done()
    own_redis_server.start()
    await joining
    await finish(store, "t")
    assert await store.outbox.size() == 1
    await store.aclose()


async def test_notes_of_another_kind_are_left_to_other_groups(store: Store) -> None:
    await store.outbox.ensure_group(GROUP)
    notes = (b'{"kind":"started","table":"t"}', b"no JSON at all")
    await store.tables.commit(Commit(table_id="t", expected_revision=0, notes=notes))
    stop = asyncio.Event()
    dispatcher = NoteDispatcher(
        store, celery_app("memory://"), poll_seconds=0.01, retry_seconds=60, batch=8
    )
    running = asyncio.create_task(dispatcher.run(stop))
    await eventually(partial(_is_empty, store))
    stop.set()
    await running


async def _is_empty(store: Store) -> bool:
    return await store.outbox.size() == 0
