"""The index: which tables there are, by state and ruleset."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from hutch.store.commits import Listing
from hutch.store.keys import ALL_SHARDS, Keys
from hutch.store.lanes import Argument
from hutch.store.pipelining import Pipelining, Script
from hutch.store.sharing import of_shards, pairs

_LIST = Script("list")


class Listed(Struct, frozen=True, order=True):
    """A table in the index, and since when (ms since 1970) it has been in that state."""

    since_ms: int
    table_id: str


class Index:
    """The index of all tables. Commits keep it; here it is read."""

    def __init__(self, pipelining: Pipelining, keys: Keys) -> None:
        self._pipelining = pipelining
        self._keys = keys

    async def list_tables(
        self, listings: Iterable[Listing], limit: int, after: Listed | None = None
    ) -> list[Listed]:
        """`limit` tables of those states and rulesets, the newest in their state first.

        `after` is the last of the page before. A finished table may be listed a while after it
        has expired.
        """
        wanted = list(listings)
        sources = [_Source(shard, listing, after) for listing in wanted for shard in ALL_SHARDS]
        short = sources if limit > 0 else []
        share = 1 + 2 * limit // len(sources) if sources else 0
        page: list[Listed] = []
        while short:
            by_shard: defaultdict[int, list[_Source]] = defaultdict(list)
            for source in short:
                by_shard[source.shard].append(source)
            await asyncio.gather(
                *[self._fetch(shard, by_shard[shard], share) for shard in by_shard]
            )
            page = sorted((one for source in sources for one in source.found), reverse=True)[:limit]
            # A source that the page has used up may hold more that belongs on it.
            short = [
                source
                for source in sources
                if not source.drained and (len(page) < limit or source.found[-1] >= page[-1])
            ]
            share = limit
        return page

    async def counts(self) -> dict[Listing, int]:
        """How many tables are listed under each state and ruleset."""
        totals: dict[Listing, int] = {}
        for reply in await of_shards(self._pipelining, self._keys, "HGETALL", "counts"):
            for name, number in pairs(reply):
                state, _, ruleset = name.decode().partition(" ")
                listing = Listing(state, ruleset)
                totals[listing] = totals.get(listing, 0) + int(number)
        return totals

    async def _fetch(self, shard: int, sources: list[_Source], share: int) -> None:
        """Fetch `share` more of each of a shard's sources, all in one trip."""
        arguments: list[Argument] = [share]
        for source in sources:
            arguments += (source.upper, source.lower)
        keys = self._keys.of_shard(shard, "index")
        pieces = await self._pipelining.run(shard, _LIST, keys, arguments)
        for source, members in zip(sources, pieces, strict=True):
            source.take(members, share)


class _Source:
    """One shard's tables of one listing, as far as they have been fetched."""

    __slots__ = ("_prefix", "drained", "found", "lower", "shard", "upper")

    def __init__(self, shard: int, listing: Listing, after: Listed | None) -> None:
        self.shard = shard
        self.found: list[Listed] = []
        self.drained = False
        self._prefix = f"{listing.state} {listing.ruleset} "
        self.lower = f"[{self._prefix}"
        self.upper = f"({self._prefix}:"  # a colon sorts behind every digit
        if after is not None:
            self.upper = f"({self._prefix}{after.since_ms:013} {after.table_id}"

    def take(self, members: list[bytes], asked: int) -> None:
        for member in members:
            since_ms, _, table_id = member.decode().removeprefix(self._prefix).partition(" ")
            self.found.append(Listed(int(since_ms), table_id))
        self.drained = len(members) < asked
        if members:
            self.upper = f"({members[-1].decode()}"
