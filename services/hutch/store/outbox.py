"""The outbox: notes that commits leave for other services, each delivered at least once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from hutch.store.errors import StoreError
from hutch.store.keys import ALL_SHARDS, Keys
from hutch.store.pipelining import Pipelining, Script
from hutch.store.sharing import of_shards, take_fairly

#: A note that comes back again and again is left alone for so long at most.
LONGEST_MS = 600_000
#: Pending notes are looked at so many at a time.
PENDING_PAGE = 100
_ACKNOWLEDGE = Script("acknowledge")


class Note(Struct, frozen=True):
    """A note as a consumer gets it. `shard` and `entry` are its address, for `acknowledge`."""

    shard: int
    entry: str
    table_id: str
    body: bytes


class Outbox:
    """The notes of all tables, read by consumer groups. Each group gets every note.

    A note is kept until every group that exists has acknowledged it, so make the groups before
    the first commit: `ensure_group` does no harm where they exist.
    """

    def __init__(self, pipelining: Pipelining, keys: Keys) -> None:
        self._pipelining = pipelining
        self._keys = keys

    async def ensure_group(self, group: str) -> None:
        """Make the group in every shard, reading from the first note that is kept."""
        await asyncio.gather(*[self._ensure(group, shard) for shard in ALL_SHARDS])

    async def read(
        self, group: str, consumer: str, limit: int, shards: Iterable[int] = ALL_SHARDS
    ) -> list[Note]:
        """At most `limit` notes that nobody of the group has got yet. Does not wait for any."""

        async def take(shard: int, share: int) -> list[Note]:
            (key,) = self._keys.of_shard(shard, "outbox")
            reply = await self._pipelining.call(
                shard, "XREADGROUP", "GROUP", group, consumer, "COUNT", share, "STREAMS", key, ">"
            )
            return _notes(shard, reply[0][1]) if reply else []

        return await take_fairly(shards, limit, take)

    async def reclaim(
        self,
        group: str,
        consumer: str,
        limit: int,
        idle_ms: int,
        shards: Iterable[int] = ALL_SHARDS,
        *,
        longest_ms: int = LONGEST_MS,
    ) -> list[Note]:
        """At most `limit` notes that a consumer got, and has not acknowledged for `idle_ms`.

        One that came back before has twice as long each time, up to `longest_ms`, so that notes
        which nobody can deal with do not hold up those that were merely lost.
        """

        async def take(shard: int, share: int) -> list[Note]:
            (key,) = self._keys.of_shard(shard, "outbox")
            notes: list[Note] = []
            start = "-"
            while len(notes) < share:
                pending = await self._pipelining.call(
                    shard, "XPENDING", key, group, "IDLE", idle_ms, start, "+", PENDING_PAGE
                )
                late = [
                    entry
                    for entry, _, idle, given in pending
                    if idle >= min(idle_ms * 2 ** min(given - 1, 30), longest_ms)
                ]
                if late:
                    # Who has claimed one meanwhile has it: it is not idle any more.
                    claim = ("XCLAIM", key, group, consumer, idle_ms, *late[: share - len(notes)])
                    notes += _notes(shard, await self._pipelining.call(shard, *claim))
                if len(pending) < PENDING_PAGE:
                    break
                start = f"({pending[-1][0].decode()}"
            return notes

        return await take_fairly(shards, limit, take)

    async def acknowledge(self, group: str, notes: Iterable[Note]) -> None:
        """The notes are dealt with, as far as the group is concerned."""
        by_shard: dict[int, list[str]] = {}
        for note in notes:
            by_shard.setdefault(note.shard, []).append(note.entry)
        await asyncio.gather(
            *[
                self._pipelining.run(
                    shard, _ACKNOWLEDGE, self._keys.of_shard(shard, "outbox"), [group, *entries]
                )
                for shard, entries in by_shard.items()
            ]
        )

    async def size(self) -> int:
        """How many notes are kept."""
        return sum(await of_shards(self._pipelining, self._keys, "XLEN", "outbox"))

    async def _ensure(self, group: str, shard: int) -> None:
        (key,) = self._keys.of_shard(shard, "outbox")
        try:
            await self._pipelining.call(shard, "XGROUP", "CREATE", key, group, "0", "MKSTREAM")
        except StoreError as fault:
            if "BUSYGROUP" not in str(fault):
                raise


def _notes(shard: int, entries: list[Any]) -> list[Note]:
    return [
        Note(shard, entry.decode(), table.decode(), body) for entry, (_, table, _, body) in entries
    ]
