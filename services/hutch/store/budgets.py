"""Budgets: how much of what anybody may still ask for, counted once for all gateways."""

from __future__ import annotations

from typing import NamedTuple

from hutch.store.keys import Keys, shard_of
from hutch.store.pipelining import Pipelining, Script

_TAKE = Script("take")


class Taken(NamedTuple):
    """How many were taken, and in how many µs there will be one more to take; 0: there is."""

    number: int
    wait_us: int


class Budgets:
    """A budget for each thing and each who; one that nothing was taken from for long is whole.

    It is a moment: when the budget will be whole again. Each one taken puts that off by an
    interval (the generic cell rate algorithm).
    """

    def __init__(self, pipelining: Pipelining, keys: Keys) -> None:
        self._pipelining = pipelining
        self._keys = keys

    async def take(
        self,
        what: str,
        who: str,
        *,
        interval_us: int,
        burst: int,
        wanted: int = 1,
        one_in: int = 1 << 30,
    ) -> Taken:
        """Take as many as are wanted and free, or one in so many of the free ones if that is more.
        One more is free each interval, and never more than `burst`.

        A call whose reply is lost is made again, so what it took may be lost as well.
        """
        shard = shard_of(who)
        number, wait_us = await self._pipelining.run(
            shard,
            _TAKE,
            self._keys.of_shard(shard, f"budget:{what}:{who}"),
            [interval_us, burst, wanted, one_in],
        )
        return Taken(number, wait_us)
