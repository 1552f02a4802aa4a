"""Timers: when the clock must act on which table. Claimed for a while, and never lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from hutch.store.keys import Keys, checked_shards, shard_of
from hutch.store.pipelining import Pipelining, Script
from hutch.store.sharing import of_shards, pairs, take_fairly

_CLAIM_DUE = Script("claim_due")
_FORGET = Script("forget")


class Due(NamedTuple):
    """A table whose clock has run out, and when it did, in ms since 1970."""

    table_id: str
    due_ms: int


class Claimed(Struct, frozen=True):
    """Timers that were claimed, and what is left in the shards that were asked.

    `now_ms` is the time by Redis' clock. `next_ms` tells of each shard when its next timer is due
    or its next lease ends; None: it has no timers. Once the limit was reached no shard was asked.
    """

    due: list[Due]
    now_ms: int
    next_ms: dict[int, int | None]


class Timers:
    """The timers of all tables. Commits arm and disarm them; here they are claimed."""

    def __init__(self, pipelining: Pipelining, keys: Keys) -> None:
        self._pipelining = pipelining
        self._keys = keys

    async def claim_due(
        self, shards: Iterable[int], limit: int, lease_ms: int, *, ahead_ms: int = 0
    ) -> Claimed:
        """Claim at most `limit` timers that are due, or will be in `ahead_ms`, of these shards.
        Where they have more than that, the shards are served in this order.

        Nobody else gets a claimed timer before the lease ends. It leaves the set only with the
        table's next commit, so a claimer that dies costs the lease and nothing more.
        """
        now_ms = 0
        next_ms: dict[int, int | None] = {}

        async def claim(shard: int, share: int) -> list[Due]:
            nonlocal now_ms
            now_ms, next_due, *claimed = await self._pipelining.run(
                shard,
                _CLAIM_DUE,
                self._keys.of_shard(shard, "due", "claims"),
                [share, lease_ms, ahead_ms],
            )
            next_ms[shard] = int(float(next_due)) if next_due else None
            return [Due(table.decode(), int(float(ms))) for table, ms in pairs(claimed)]

        due = await take_fairly(shards, limit, claim)
        return Claimed(due, now_ms, next_ms)

    async def next_due(self, shards: Iterable[int]) -> dict[int, int]:
        """By shard, when its next timer is due or its next lease ends, in ms since 1970.

        Shards without timers are left out.
        """
        asked = checked_shards(shards)
        replies = await of_shards(
            self._pipelining, self._keys, "ZRANGE", "due", 0, 0, "WITHSCORES", shards=asked
        )
        return {
            shard: int(float(reply[1]))
            for shard, reply in zip(asked, replies, strict=True)
            if reply
        }

    async def pending(self, limit: int) -> list[Due]:
        """The `limit` timers that come next, in order, claimed ones too: for operators."""
        claims = await of_shards(self._pipelining, self._keys, "HGETALL", "claims")
        armed = await of_shards(
            self._pipelining, self._keys, "ZRANGE", "due", 0, limit - 1, "WITHSCORES"
        )
        timers = []
        for claimed, reply in zip(claims, armed, strict=True):
            # A claimed one is scored by the end of its lease, which others may come before.
            true_due = {key[2:]: due for key, due in pairs(claimed) if key.startswith(b"d:")}
            for table, due in (dict(pairs(reply)) | true_due).items():
                timers.append(Due(table.decode(), int(float(due))))
        timers.sort(key=lambda timer: (timer.due_ms, timer.table_id))
        return timers[:limit]

    async def armed(self, shard: int) -> list[str]:
        """The tables of a shard that have a timer, claimed ones too."""
        (due,) = self._keys.of_shard(shard, "due")
        return [
            table.decode() for table in await self._pipelining.call(shard, "ZRANGE", due, 0, -1)
        ]

    async def size(self) -> int:
        """How many timers are armed."""
        return sum(await of_shards(self._pipelining, self._keys, "ZCARD", "due"))

    async def forget(self, table_id: str) -> bool:
        """Drop the timer and the hint of a table that is no more. True where there was one."""
        return bool(
            await self._pipelining.run(
                shard_of(table_id),
                _FORGET,
                [
                    self._keys.table(table_id),
                    *self._keys.of_shard(shard_of(table_id), "due", "hints", "claims"),
                ],
                [table_id],
            )
        )
