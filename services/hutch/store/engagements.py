"""Engagements: what each player has under way, such as tables opened that are not over.

One is noted before what it stands for is stored, and dropped after that is over: there may be too
many, and never too few. Whoever finds too many is told to look which are over, one every few
seconds for all gateways together. One that is never dropped counts no more after a while.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from hutch.store.keys import Keys, shard_of
from hutch.store.pipelining import Pipelining, Script

#: An engagement counts for so long at most, whatever becomes of it.
LASTING_MS: Final = 30 * 24 * 3600 * 1000
#: A player's engagements are looked at once in so long, however often there are too many.
LOOK_MS: Final = 5_000
#: What was noted longer ago is stored by now, or never will be.
STORED_MS: Final = 30_000
_ENGAGE: Final = Script("engage")


class TooMany(Struct, frozen=True):
    """There is no room for one more. `to_look_at`: drop those that are over, and try again; where
    there are none, in `wait_ms`."""

    to_look_at: tuple[str, ...] = ()
    wait_ms: int = LOOK_MS


class Engagements:
    """The engagements of everybody, by kind.

    What is younger than `stored_ms` is not looked at: what it stands for may not be stored yet.
    """

    def __init__(self, pipelining: Pipelining, keys: Keys, *, stored_ms: int = STORED_MS) -> None:
        self._pipelining = pipelining
        self._keys = keys
        self._stored_ms = stored_ms

    async def add(self, what: str, who: str, one: str, *, most: int) -> TooMany | None:
        """Note one, unless there are `most`; None where it is noted, or was."""
        shard = shard_of(who)
        answer, *more = await self._pipelining.run(
            shard,
            _ENGAGE,
            self._keys.of_shard(shard, f"engaged:{what}:{who}", f"looked:{what}:{who}"),
            [one, LASTING_MS, most, LOOK_MS, self._stored_ms],
        )
        match answer:
            case 0:
                return None
            case 1:
                return TooMany(wait_ms=more[0])
            case _:
                return TooMany(tuple([found.decode() for found in more]))

    async def drop(self, what: str, who: str, *ones: str) -> None:
        """Those are over."""
        shard = shard_of(who)
        (key,) = self._keys.of_shard(shard, f"engaged:{what}:{who}")
        await self._pipelining.call(shard, "ZREM", key, *ones)
