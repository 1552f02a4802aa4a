"""The lobby: tables that are given up, and who does something else at the same moment."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable

import pytest

from hutch.store.commits import Committed, Conflict, Listing, Repeated, Stored
from hutch.store.errors import StoreUnavailable
from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.table_meta import TableMeta
from hutch.turns.telling import TABLE
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong
from tests.turns.arranging import HOST, bot_table, revision_of

#: What somebody does at a table.
Deed = Callable[[Lobby, str], Awaitable[pb.Table]]


async def gathered(lobby: Lobby) -> str:
    """A table of a bot and of Ben, which could start: its id."""
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat(), pb.Seat()])
    table_id = (await lobby.create(HOST, wanted, uuid.uuid4().hex)).name.removeprefix("tables/")
    await lobby.assign_bot(table_id, 0, HOST, "random")
    await lobby.claim(table_id, 1, "ben", "Ben", b"")
    return table_id


def abandon(lobby: Lobby, table_id: str) -> Awaitable[pb.Table]:
    return lobby.abandon(table_id, HOST)


def start(lobby: Lobby, table_id: str) -> Awaitable[pb.Table]:
    return lobby.start(table_id, HOST)


def assign_bot(lobby: Lobby, table_id: str) -> Awaitable[pb.Table]:
    return lobby.assign_bot(table_id, 0, HOST, "greedy")


def claim(lobby: Lobby, table_id: str) -> Awaitable[pb.Table]:
    return lobby.claim(table_id, 1, "ben", "Ben", b"salt")  # which he had not given


def leave(lobby: Lobby, table_id: str) -> Awaitable[pb.Table]:
    return lobby.leave(table_id, 1, "ben")


class OvertakenPath(TurnPath):
    """A gateway's, whose first look at a table is followed by what `overtake` does elsewhere."""

    overtake: Callable[[], Awaitable[object]] | None = None

    async def load(self, table_id: str) -> tuple[Stored, TableMeta]:
        found = await super().load(table_id)
        if (overtake := self.overtake) is not None:
            self.overtake = None
            await overtake()
        return found


class DyingPath(TurnPath):
    """Stores what it is to store, and loses Redis before that is known."""

    async def commit_meta(
        self, table_id: str, stored: Stored | None, meta: TableMeta, **more: object
    ) -> Committed | Conflict | Repeated:
        await super().commit_meta(table_id, stored, meta, **more)
        raise StoreUnavailable("gone")


async def test_a_table_given_up_is_told_as_abandoned_and_goes_like_a_finished_one(
    lobby: Lobby, path: TurnPath, store: Store
) -> None:
    table_id = await gathered(lobby)
    before = await revision_of(store, table_id)
    table = await abandon(lobby, table_id)
    assert (table.state, table.revision) == (pb.TABLE_STATE_ABANDONED, before + 1)
    _, meta = await path.load(table_id)
    assert table.seed == meta.secret
    (entry,) = await store.tables.read_log(table_id, before, 10)
    told = pb.Table.FromString(entry.fields[TABLE])
    assert (told.state, told.revision) == (table.state, table.revision)
    counts = await store.index.counts()
    listed = {listing.state: count for listing, count in counts.items() if count}
    assert listed == {"abandoned": 1}
    (found,) = await store.index.list_tables([Listing("abandoned", "rabbit-space")], 10)
    assert found.table_id == table_id
    assert await store.client.ttl(store.keys.table(table_id)) > 24 * 3600


async def test_giving_up_again_is_answered_alike_and_changes_nothing(
    lobby: Lobby, store: Store
) -> None:
    table_id = await gathered(lobby)
    first = await abandon(lobby, table_id)
    others = [Lobby(TurnPath(store.tables, LocalRules(Resolver()))) for _ in range(3)]
    again = await asyncio.gather(*[abandon(other, table_id) for other in (lobby, *others)])
    assert again == [first] * 4


async def test_who_is_not_answered_asks_again_and_has_given_up_once(
    lobby: Lobby, store: Store, path: TurnPath
) -> None:
    table_id = await gathered(lobby)
    before = await revision_of(store, table_id)
    with pytest.raises(StoreUnavailable):
        await abandon(Lobby(DyingPath(path.store, path.rules)), table_id)
    assert (await abandon(lobby, table_id)).revision == before + 1


@pytest.mark.parametrize("deed", [start, claim, leave, assign_bot])
async def test_whoever_is_overtaken_by_giving_up_is_refused(
    deed: Deed, lobby: Lobby, path: TurnPath
) -> None:
    table_id = await gathered(lobby)
    overtaken = OvertakenPath(path.store, path.rules)
    overtaken.overtake = lambda: abandon(lobby, table_id)
    with pytest.raises(Fault, match=f"Table {table_id} is abandoned; ") as refused:
        await deed(Lobby(overtaken), table_id)
    assert overtaken.overtake is None
    assert refused.value.reason == Wrong.TABLE_NOT_GATHERING
    _, meta = await path.load(table_id)
    assert (meta.state, meta.seats[1].player) == ("abandoned", "ben")


async def test_giving_up_that_is_overtaken_by_the_deal_is_refused_and_the_game_is_on(
    lobby: Lobby, path: TurnPath
) -> None:
    table_id = await gathered(lobby)
    overtaken = OvertakenPath(path.store, path.rules)
    overtaken.overtake = lambda: start(lobby, table_id)
    with pytest.raises(Fault, match="is playing; after the deal only a seat") as refused:
        await abandon(Lobby(overtaken), table_id)
    assert refused.value.reason == Wrong.TABLE_NOT_GATHERING
    stored, meta = await path.load(table_id)
    assert meta.state == "playing"
    assert stored.record is not None


@pytest.mark.parametrize(("deed", "player"), [(claim, "ben"), (leave, ""), (assign_bot, "ben")])
async def test_giving_up_that_is_overtaken_by_a_change_of_seats_gives_up_all_the_same(
    deed: Deed, player: str, lobby: Lobby, path: TurnPath
) -> None:
    table_id = await gathered(lobby)
    overtaken = OvertakenPath(path.store, path.rules)
    overtaken.overtake = lambda: deed(lobby, table_id)
    table = await abandon(Lobby(overtaken), table_id)
    _, meta = await path.load(table_id)
    assert (table.state, meta.seats[1].player) == (pb.TABLE_STATE_ABANDONED, player)


async def test_a_table_given_up_before_the_deal_cannot_start(lobby: Lobby) -> None:
    table_id = await gathered(lobby)
    await abandon(lobby, table_id)
    with pytest.raises(Fault, match=f"Table {table_id} is abandoned; open another") as refused:
        await start(lobby, table_id)
    assert refused.value.reason == Wrong.TABLE_NOT_GATHERING


async def test_starting_a_game_that_was_given_up_since_changes_nothing(lobby: Lobby) -> None:
    table_id = await bot_table(lobby)
    given_up = await lobby.void(table_id)
    assert await start(lobby, table_id) == given_up
    assert await abandon(lobby, table_id) == given_up
