"""Hints: which tables wait for their bots. Handed out again until a commit answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from hutch.store.keys import Keys, shard_of
from hutch.store.pipelining import Pipelining, Script
from hutch.store.sharing import of_shards, pairs, take_fairly

LONGEST_RETRY_MS = 30_000
DEAD_LETTERS = 100
_CLAIM_HINTS = Script("claim_hints")
_BEGIN = Script("begin")


class Hint(NamedTuple):
    """A table whose bots are awaited. `given` counts the hints of its revision, from 1, and `tried`
    how often somebody began to answer."""

    table_id: str
    given: int
    tried: int = 0

    def next_ms(self, retry_ms: int) -> int:
        """How long after this one the next is due at least, where each comes again after `retry_ms`
        once somebody tried, and else after half of that."""
        next_ms = min(retry_ms << max(0, min(self.given - 2, 30)), max(retry_ms, LONGEST_RETRY_MS))
        return next_ms if self.tried else next_ms // 2


class DeadLetter(NamedTuple):
    """A table whose bots failed to answer `attempts` times, and when it was given up."""

    table_id: str
    attempts: int
    given_up_ms: int


class Hints:
    """The hints of all tables. Commits arm and disarm them; here they are claimed.

    A hint says nothing of whether anybody tried: it may have been lost on its way, or be waiting in
    a queue. So whoever tries to answer counts that here too, and gives up after too many attempts.
    """

    def __init__(self, pipelining: Pipelining, keys: Keys) -> None:
        self._pipelining = pipelining
        self._keys = keys

    async def claim_hints(
        self, shards: Iterable[int], limit: int, retry_ms: int
    ) -> tuple[list[Hint], dict[int, int]]:
        """Claim at most `limit` hints of these shards: the hints, and by shard in how many ms its
        next one is due. Shards without are left out.

        Each comes again after `retry_ms` and once more after as long, then after twice that and so
        on, up to `LONGEST_RETRY_MS`, until a commit of the table says that no bot is awaited. While
        nobody has tried to answer its message may be lost, and it comes twice as soon.
        """
        next_in_ms: dict[int, int] = {}

        async def claim(shard: int, share: int) -> list[Hint]:
            upcoming_ms, *claimed = await self._pipelining.run(
                shard,
                _CLAIM_HINTS,
                self._keys.of_shard(shard, "hints", "claims"),
                [share, retry_ms, max(retry_ms, LONGEST_RETRY_MS)],
            )
            if upcoming_ms >= 0:
                next_in_ms[shard] = upcoming_ms
            parts = iter(claimed)
            return [
                Hint(table.decode(), given, tried)
                for table, given, tried in zip(parts, parts, parts, strict=True)
            ]

        return await take_fairly(shards, limit, claim), next_in_ms

    async def begin(self, table_id: str, retry_ms: int) -> int:
        """Count an attempt to answer for the bots of a table as it stands: how many that makes.

        The table's hint does not come again within `retry_ms`. Its next commit sets the count back.
        0: that has come, and no bot is awaited.
        """
        shard = shard_of(table_id)
        keys = self._keys.of_shard(shard, "hints", "claims")
        return int(await self._pipelining.run(shard, _BEGIN, keys, [table_id, retry_ms]))

    async def give_up(self, table_id: str, attempts: int) -> None:
        """List a dead letter, for operators. The hint stays."""
        shard = shard_of(table_id)
        (dead,) = self._keys.of_shard(shard, "dead")
        await self._pipelining.call(
            shard,
            "XADD",
            dead,
            "MAXLEN",
            "~",
            DEAD_LETTERS,
            "*",
            "table",
            table_id,
            "attempts",
            attempts,
        )

    async def size(self) -> int:
        """How many tables wait for their bots."""
        return sum(await of_shards(self._pipelining, self._keys, "ZCARD", "hints"))

    async def dead_letters(self, limit: int) -> list[DeadLetter]:
        """The `limit` latest dead letters, the latest first: for operators."""
        replies = await of_shards(
            self._pipelining, self._keys, "XREVRANGE", "dead", "+", "-", "COUNT", limit
        )
        letters = [dead_letter(entry) for reply in replies for entry in reply]
        letters.sort(key=lambda letter: -letter.given_up_ms)
        return letters[:limit]


def dead_letter(entry: tuple[bytes, list[Any]]) -> DeadLetter:
    """The dead letter of an entry of the stream that they are listed in."""
    entry_id, flat = entry
    fields = dict(pairs(flat))
    given_up_ms = int(entry_id.partition(b"-")[0])
    return DeadLetter(fields[b"table"].decode(), int(fields[b"attempts"]), given_up_ms)
