"""The lobby: tables that are given up, and who does something else at the same moment."""

from __future__ import annotations

import uuid

import pytest

from hutch.turns.lobby import Lobby
from hutch.v1 import table_pb2 as pb
from hutch.wire.errors import Fault, Wrong
from tests.turns.arranging import HOST, bot_table


async def gathered(lobby: Lobby, *, seats: int = 2) -> str:
    """A table of bots that could start: its id."""
    wanted = pb.Table(ruleset="rabbit-space", seats=[pb.Seat() for _ in range(seats)])
    table_id = (await lobby.create(HOST, wanted, uuid.uuid4().hex)).name.removeprefix("tables/")
    for seat in range(seats):
        await lobby.assign_bot(table_id, seat, HOST, "random")
    return table_id


async def test_a_table_given_up_before_the_deal_cannot_start(lobby: Lobby) -> None:
    table_id = await gathered(lobby)
    await lobby.void(table_id)
    with pytest.raises(Fault, match=f"Table {table_id} is abandoned; open another") as refused:
        await lobby.start(table_id, HOST)
    assert refused.value.reason == Wrong.TABLE_NOT_GATHERING


async def test_starting_a_game_that_was_given_up_since_changes_nothing(lobby: Lobby) -> None:
    table_id = await bot_table(lobby)
    given_up = await lobby.void(table_id)
    assert await lobby.start(table_id, HOST) == given_up
