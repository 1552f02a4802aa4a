"""Shelves: which campaigns a player is in, so that they can be listed.

A shelf is written before its player joins, and not when one leaves: it may hold too many, and never
too few. It is stored like a table that has no game and never expires.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID, uuid5

import msgspec

from hutch.store.commits import Commit, Committed
from hutch.store.tables import TableStore
from hutch.turns.contention import TRIES, stand_back
from hutch.wire.errors import Fault, Wrong, busy

#: A player is in so many campaigns at most.
CAMPAIGNS_MOST = 32
_SPACE = UUID("5f0c9f37-60a5-4a0e-9d5c-2d6c3f1f0f55")

#: Whether a player (the first) is in a campaign.
IsIn = Callable[[str, str], Awaitable[bool]]

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[str])


class Shelves:
    """The shelves of all players."""

    def __init__(self, store: TableStore) -> None:
        self._store = store

    async def of(self, player: str) -> list[str]:
        """The ids of the player's campaigns, the newest last; maybe of others too."""
        stored = await self._store.load(_key(player))
        return _decoder.decode(stored.meta) if stored else []

    async def add(self, player: str, campaign_id: str, is_in: IsIn) -> None:
        """Note that the player is about to join that campaign. Raises `Fault` TOO_MANY_CAMPAIGNS.

        A full shelf is cleared of what the player is not in.
        """
        for attempt in range(TRIES):
            stored = await self._store.load(_key(player))
            campaign_ids = _decoder.decode(stored.meta) if stored else []
            if campaign_id in campaign_ids:
                return
            if len(campaign_ids) >= CAMPAIGNS_MOST:
                found = await asyncio.gather(*[is_in(player, one) for one in campaign_ids])
                pairs = zip(campaign_ids, found, strict=True)
                campaign_ids = [one for one, stays in pairs if stays]
            if len(campaign_ids) >= CAMPAIGNS_MOST:
                raise Fault(
                    Wrong.TOO_MANY_CAMPAIGNS,
                    f"You are in {len(campaign_ids)} campaigns; leave one first.",
                    {"most": str(CAMPAIGNS_MOST)},
                )
            done = await self._store.commit(
                Commit(
                    table_id=_key(player),
                    expected_revision=stored.revision if stored else 0,
                    onto=stored.token if stored else b"",
                    meta=_encoder.encode([*campaign_ids, campaign_id]),
                )
            )
            if isinstance(done, Committed):
                return
            await stand_back(attempt)
        raise busy("Your campaigns keep changing; try again.")


def _key(player: str) -> str:
    # No table can bear such an id.
    return f"shelf-{uuid5(_SPACE, player).hex}"
