"""Holdings: how much of something is held at once, at all gateways together.

Each gateway tells how much of a thing it holds and for whom, such as streams of a player. That is
a lease: what a gateway that is gone has told counts no more after a while.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping

from hutch.store.keys import Keys, shard_of
from hutch.store.lanes import Argument
from hutch.store.pipelining import Pipelining, Script

_HOLD = Script("hold")


class Holdings:
    """What all holders hold, by thing and by whom it is held for.

    Holders tell numbers and not changes, so that it is harmless to tell them twice.
    """

    def __init__(self, pipelining: Pipelining, keys: Keys) -> None:
        self._pipelining = pipelining
        self._keys = keys

    async def take(
        self, what: str, who: str, number: int, *, most: int, holder: str, lease_ms: int
    ) -> bool:
        """Hold that many of a thing, if all holders together then hold `most` of it or fewer:
        whether it is so."""
        granted = await self._hold(shard_of(who), [(what, who, number)], most, holder, lease_ms)
        return bool(granted[0])

    async def tell(
        self, held: Mapping[tuple[str, str], int], *, holder: str, lease_ms: int
    ) -> None:
        """Hold what is held for as long again; by (thing, for whom), 0 being given back."""
        by_shard: defaultdict[int, list[tuple[str, str, int]]] = defaultdict(list)
        for (what, who), number in held.items():
            by_shard[shard_of(who)].append((what, who, number))
        await asyncio.gather(
            *[
                self._hold(shard, things, None, holder, lease_ms)
                for shard, things in by_shard.items()
            ]
        )

    def _hold(
        self,
        shard: int,
        things: list[tuple[str, str, int]],
        most: int | None,
        holder: str,
        lease_ms: int,
    ) -> asyncio.Future[list[int]]:
        keys = self._keys.of_shard(shard, *[f"held:{what}:{who}" for what, who, _ in things])
        arguments: list[Argument] = [holder, lease_ms, "" if most is None else most]
        arguments += [number for _, _, number in things]
        return self._pipelining.run(shard, _HOLD, keys, arguments)
