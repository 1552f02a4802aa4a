"""Tables for the load: dealt through the lobby itself, so that play can begin at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import uuid4

from msgspec import Struct

from hutch.store.store import Store
from hutch.turns.lobby import Lobby
from hutch.turns.resolver import Resolver
from hutch.turns.rules_link import LocalRules
from hutch.turns.turn_path import TurnPath
from hutch.v1 import table_pb2 as pb

_AT_ONCE: Final = 64


class Dealt(Struct, frozen=True):
    """A table that was just dealt, and the record of its game."""

    table_id: str
    seats: int
    record: bytes


async def deal_tables(
    redis_url: str,
    player: str,
    count: int,
    *,
    ruleset: str,
    seats: int,
    limits_ms: Sequence[Mapping[str, int]] | None = None,
) -> list[Dealt]:
    """`count` tables on which that player has every seat and nobody has moved.

    `limits_ms` are the clocks of each table; no clock runs without.
    """
    async with await Store.open(redis_url) as store:
        lobby = Lobby(TurnPath(store.tables, LocalRules(Resolver(cached_games=0))))

        async def deal(number: int) -> Dealt:
            wanted = pb.Table(ruleset=ruleset, seats=[pb.Seat() for _ in range(seats)])
            for clock, limit in (limits_ms[number] if limits_ms else {}).items():
                wanted.limits[clock].FromMilliseconds(limit)
            table = await lobby.create(player, wanted, str(uuid4()))
            table_id = table.name.removeprefix("tables/")
            for seat in range(seats):
                await lobby.claim(table_id, seat, player, "Bench", b"")
            await lobby.start(table_id, player)
            stored = await store.tables.load(table_id)
            assert stored is not None
            assert stored.record is not None
            return Dealt(table_id, seats, stored.record)

        dealt: list[Dealt] = []
        for first in range(0, count, _AT_ONCE):
            dealt += await asyncio.gather(
                *[deal(number) for number in range(first, min(first + _AT_ONCE, count))]
            )
    return dealt
