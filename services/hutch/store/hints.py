"""Hints: which tables wait for their bots. Handed out again until a commit answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hutch.store.keys import Keys, checked_shards
from hutch.store.pipelining import Pipelining, Script
from hutch.store.sharing import of_shards, pairs, take_fairly

MAX_ATTEMPTS = 5
_CLAIM_HINTS = Script("claim_hints")


class Hint(NamedTuple):
    """A table whose bots are awaited; `attempt` counts the hints of its revision, from 1."""

    table_id: str
    attempt: int


class DeadLetter(NamedTuple):
    """A table whose bots did not answer `attempts` hints and get no more, until it moves on."""

    table_id: str
    attempts: int
    given_up_ms: int


class Hints:
    """The hints of all tables. Commits arm and disarm them; here they are claimed.

    `max_attempts` is how many hints one revision of a table gets.
    """

    def __init__(
        self, pipelining: Pipelining, keys: Keys, *, max_attempts: int = MAX_ATTEMPTS
    ) -> None:
        self._pipelining = pipelining
        self._keys = keys
        self._max_attempts = max_attempts

    async def claim_hints(self, shards: Iterable[int], limit: int, retry_ms: int) -> list[Hint]:
        """Claim at most `limit` hints of these shards.

        Each comes again after `retry_ms`, until a commit of the table says that no bot is awaited,
        or until it came too often: then it becomes a dead letter, and the table's clock is left.
        """

        async def claim(shard: int, share: int) -> list[Hint]:
            claimed = await self._pipelining.run(
                shard,
                _CLAIM_HINTS,
                self._keys.of_shard(shard, "hints", "claims", "dead"),
                [share, retry_ms, self._max_attempts],
            )
            return [Hint(table.decode(), attempt) for table, attempt in pairs(claimed)]

        return await take_fairly(shards, limit, claim)

    async def next_hint(self, shards: Iterable[int]) -> dict[int, int]:
        """By shard, when its next hint is due, in ms since 1970. Shards without are left out."""
        asked = checked_shards(shards)
        replies = await of_shards(
            self._pipelining, self._keys, "ZRANGE", "hints", 0, 0, "WITHSCORES", shards=asked
        )
        return {
            shard: int(float(reply[1]))
            for shard, reply in zip(asked, replies, strict=True)
            if reply
        }

    async def size(self) -> int:
        """How many tables wait for their bots."""
        return sum(await of_shards(self._pipelining, self._keys, "ZCARD", "hints"))

    async def dead_letters(self, limit: int) -> list[DeadLetter]:
        """The `limit` latest dead letters, the latest first: for operators."""
        letters = []
        for reply in await of_shards(
            self._pipelining, self._keys, "XREVRANGE", "dead", "+", "-", "COUNT", limit
        ):
            for entry_id, (_, table, _, attempts) in reply:
                given_up_ms = int(entry_id.partition(b"-")[0])
                letters.append(DeadLetter(table.decode(), int(attempts), given_up_ms))
        letters.sort(key=lambda letter: -letter.given_up_ms)
        return letters[:limit]
