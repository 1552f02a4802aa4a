"""Allowances: how many tables a player may have open, and on how many seats a bot may sit.

What is over does not count. Which are over is looked up in the tables themselves, and only once
somebody has noted as many as are allowed.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from hutch.store.engagements import Engagements
from hutch.store.errors import StoreUnavailable
from hutch.store.tables import TableStore
from hutch.turns.table_meta import TableMeta, decode_meta
from hutch.wire.errors import Fault, Wrong

_TABLES: Final = "tables"
_SEATS: Final = "seats"


class Allowances:
    """Keeps players within what they are allowed, through whichever gateway they come: so many
    tables, and seats of a bot; 0 is no limit.

    Campaigns are not counted: they have limits of their own.
    """

    def __init__(
        self, engagements: Engagements, store: TableStore, *, tables: int, bot_seats: int
    ) -> None:
        self._engagements = engagements
        self._store = store
        self._tables = tables
        self._bot_seats = bot_seats

    async def open_table(self, player: str, table_id: str) -> None:
        """The player is about to open a table. Raises `Fault` TOO_MANY_TABLES."""
        if self._tables and (wait_ms := await self._full(_TABLES, player, table_id, self._tables)):
            raise Fault(
                Wrong.TOO_MANY_TABLES,
                f"You have opened {self._tables} tables that are not over. Give up one that has "
                f"not started, or have one played to its end, by bots on its free seats if need "
                f"be.",
                {"most": str(self._tables)},
                retry_after_ms=wait_ms,
            )

    async def close_table(self, table_id: str, meta: TableMeta) -> None:
        """The table is over. Where this is never said, whoever has too many finds out."""
        await release(self._engagements, table_id, meta)

    async def take_seat(self, bot: str, table_id: str, seat: int) -> None:
        """The bot is about to take a seat. Raises `Fault` TOO_MANY_SEATS."""
        most = self._bot_seats
        if most and (wait_ms := await self._full(_SEATS, bot, _seat(table_id, seat), most)):
            raise Fault(
                Wrong.TOO_MANY_SEATS,
                f"You sit on {most} seats of games that are not over, and a bot may not on more; "
                f"finish a game first, or leave one.",
                {"most": str(most)},
                retry_after_ms=wait_ms,
            )

    async def leave_seat(self, bot: str, table_id: str, seat: int) -> None:
        """The bot was refused the seat, or has left it. Where this is never said, whoever has too
        many finds out."""
        with suppress(StoreUnavailable):
            if await self._is_over(bot, one := _seat(table_id, seat)):
                await self._engagements.drop(_SEATS, bot, one)

    async def _full(self, what: str, who: str, one: str, most: int) -> int:
        """Note it, and be it after those that are over were dropped: 0, or the time in ms after
        which to try again."""
        while (full := await self._engagements.add(what, who, one, most=most)) is not None:
            are_over = await asyncio.gather(*[self._is_over(who, old) for old in full.to_look_at])
            over = [old for old, is_over in zip(full.to_look_at, are_over, strict=True) if is_over]
            if not over:
                return full.wait_ms
            await self._engagements.drop(what, who, *over)
        return 0

    async def _is_over(self, who: str, one: str) -> bool:
        table_id, _, seat = one.partition("/")
        stored = await self._store.load(table_id)
        if stored is None:
            return True
        meta = decode_meta(stored.meta)
        if meta.is_over or not seat:
            return meta.is_over
        place = meta.seats[int(seat)]
        return place.player != who or place.is_lost


async def release(engagements: Engagements, table_id: str, meta: TableMeta) -> None:
    """The table is over, and counts against nobody any more."""
    drops = [engagements.drop(_TABLES, meta.host, table_id)]
    drops += [
        engagements.drop(_SEATS, place.player, _seat(table_id, seat))
        for seat, place in enumerate(meta.seats)
        if place.player
    ]
    await asyncio.gather(*drops)


def _seat(table_id: str, seat: int) -> str:
    return f"{table_id}/{seat}"
