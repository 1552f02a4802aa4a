"""The pulse: beats while the service can take answers. A gap between two beats that is longer than
the grace was an outage: a time in which nobody could answer, by Redis' clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from hutch.store.keys import Keys
from hutch.store.pipelining import Pipelining, Script
from hutch.store.sharing import pairs

#: So many outages are remembered.
OUTAGES_KEPT: Final = 100
#: The shortest grace there may be: a beat may come late.
LEAST_GRACE_MS: Final = 2_000
#: The shard that the pulse lies in.
_SHARD: Final = 0
_BEAT = Script("beat")


class Outage(Struct, frozen=True):
    """Nobody could answer from then until then, in ms since 1970."""

    from_ms: int
    until_ms: int


class Heard(Struct, frozen=True):
    """The pulse at one moment, in ms since 1970; `last_ms` None: it never beat.

    `outages` are the last of those that are over, in order; `count` and `lost_ms` are of all.
    """

    now_ms: int
    last_ms: int | None = None
    grace_ms: int = LEAST_GRACE_MS
    outages: tuple[Outage, ...] = ()
    count: int = 0
    lost_ms: int = 0

    @property
    def ongoing(self) -> Outage | None:
        """The outage that is on, as far as it has gone."""
        if self.last_ms is None or self.now_ms - self.last_ms <= self.grace_ms:
            return None
        return Outage(self.last_ms, self.now_ms)

    def since(self, at_ms: int) -> list[Outage]:
        """The outages that were not over at that time, in order, with the one that is on."""
        known = self.outages if self.ongoing is None else (*self.outages, self.ongoing)
        return [outage for outage in known if outage.until_ms > at_ms]

    def lost_since_ms(self, at_ms: int) -> int:
        """How much of the time since then were outages."""
        return sum(one.until_ms - max(one.from_ms, at_ms) for one in self.since(at_ms))


class Pulse:
    """The pulse of the service. Any number of processes may keep it, and listen to it."""

    def __init__(self, pipelining: Pipelining, keys: Keys) -> None:
        self._pipelining = pipelining
        self._keys = keys.of_shard(_SHARD, "pulse")

    async def beat(self, grace_ms: int) -> Heard:
        """Say that answers can be taken now; what is heard then."""
        now_ms, fields = await self._pipelining.run(
            _SHARD, _BEAT, self._keys, [grace_ms, OUTAGES_KEPT]
        )
        return _heard(now_ms, dict(pairs(fields)))

    async def listen(self) -> Heard:
        """The pulse as it is."""
        now_ms, _, fields = await self._pipelining.timed(_SHARD, "HGETALL", *self._keys)
        return _heard(now_ms, dict(pairs(fields)))


def _heard(now_ms: int, fields: Mapping[bytes, Any]) -> Heard:
    if not fields:
        return Heard(now_ms)
    spans = [map(int, span.split(b"-")) for span in fields.get(b"outages", b"").split()]
    return Heard(
        now_ms=now_ms,
        last_ms=int(fields[b"at"]),
        grace_ms=int(fields[b"grace"]),
        # None goes on beyond now, but by a clock that was set back and is not heard of yet.
        outages=tuple([Outage(start, min(end, now_ms)) for start, end in spans if start < now_ms]),
        count=int(fields.get(b"count", 0)),
        lost_ms=int(fields.get(b"lost", 0)),
    )
