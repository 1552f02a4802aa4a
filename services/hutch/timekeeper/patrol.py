"""The patrol: looks for tables that stand still though nobody but us could move them, and gives up
those that have waited for people for too long.

It goes round all shards again and again, a shard at a time. Tables that moved lately or will be
moved soon are passed by with what Redis tells of them in bulk; of the others the game is looked at,
once for each revision.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import msgspec
import structlog

from hutch.store.errors import StoreUnavailable
from hutch.store.inspection import Standing
from hutch.store.keys import ALL_SHARDS
from hutch.store.pulse import Heard
from hutch.store.store import Store
from hutch.turns.diagnosis import Unreadable, live_of, lost_since, overdue, standstill
from hutch.turns.lobby import Lobby
from hutch.turns.table_meta import decode_meta
from hutch.wire.errors import Fault
from hutch.wire.failures import where_of

log = structlog.get_logger(__name__)

PAGE = 200
_DAY_MS = 86_400_000


class Patrol:
    """Counts stuck tables. Every table is looked at once in `round_seconds`, or as fast as Redis
    answers; only one that has not moved for `still_seconds` can be stuck. One that nobody but
    people can move, and that none has moved for `idle_days`, is given up; 0: never."""

    def __init__(
        self,
        store: Store,
        lobby: Lobby,
        *,
        still_seconds: float,
        round_seconds: float,
        idle_days: float,
    ) -> None:
        self._store = store
        self._lobby = lobby
        self._still_ms = int(still_seconds * 1000)
        self._idle_ms = int(idle_days * _DAY_MS)
        self._pause_seconds = round_seconds / len(ALL_SHARDS)
        #: By shard, the tables found stuck at the last look, each with its revision.
        self._stuck: dict[int, dict[str, int]] = {}
        #: By shard, the revisions at which tables were found to wait for people.
        self._waiting: dict[int, dict[str, int]] = {}

    @property
    def stuck(self) -> int:
        """How many tables were stuck when they were looked at last."""
        return sum(map(len, self._stuck.values()))

    async def run(self, stop: asyncio.Event) -> None:
        """Go round until `stop` is set."""
        while not stop.is_set():
            await self.go_round(stop)

    async def go_round(self, stop: asyncio.Event) -> None:
        """Look at all tables that are playing once, unless `stop` is set meanwhile."""
        for shard in ALL_SHARDS:
            try:
                with suppress(StoreUnavailable):
                    await self._look_at(shard)
            except Exception:  # one broken shard must not blind us for the others
                log.exception("patrol_failed", shard=shard)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), self._pause_seconds)
                return

    async def _look_at(self, shard: int) -> None:
        """Look at the tables of a shard that are playing."""
        stuck: dict[str, int] = {}
        waiting: dict[str, int] = {}
        known = self._waiting.get(shard, {})
        start = 0
        while standings := await self._store.inspection.playing(shard, start, PAGE):
            heard = await self._store.pulse.listen()
            now_ms = heard.now_ms
            for one in standings:
                if now_ms - one.commit_ms < self._still_ms:
                    continue
                if self._is_idle(one, heard):
                    await self._give_up(one)
                    continue
                if known.get(one.table_id) == one.revision:
                    waiting[one.table_id] = one.revision
                elif why := await self._why_stuck(one, now_ms - lost_since(one.due_ms, heard)):
                    stuck[one.table_id] = one.revision
                    if self._stuck.get(shard, {}).get(one.table_id) != one.revision:
                        log.error("table_stuck", table=one.table_id, revision=one.revision, why=why)
                elif one.due_ms is None and not one.hinted:
                    waiting[one.table_id] = one.revision
            start += PAGE
        self._stuck[shard] = stuck
        self._waiting[shard] = waiting

    def _is_idle(self, one: Standing, heard: Heard) -> bool:
        """Whether a table has waited for people for too long, not counting what was an outage."""
        if not self._idle_ms or one.due_ms is not None or one.hinted:
            return False
        waited_ms = heard.now_ms - one.commit_ms - heard.lost_since_ms(one.commit_ms)
        return waited_ms >= self._idle_ms

    async def _give_up(self, one: Standing) -> None:
        with suppress(Fault, msgspec.MsgspecError):  # it is gone, or cannot be read
            if await self._lobby.give_up(one.table_id, one.revision):
                log.info("table_given_up", table=one.table_id, since_ms=one.commit_ms)

    async def _why_stuck(self, one: Standing, now_ms: int) -> str:
        """Why a table that has not moved for long will not; "" where it will."""
        if one.due_ms is not None or one.hinted:
            return overdue(one.due_ms, now_ms)  # else a clock or a worker will act
        stored = await self._store.tables.load(one.table_id)
        if stored is None or stored.revision != one.revision:
            return ""  # it moved after all
        try:
            seats = decode_meta(stored.meta).seats
            awaited = live_of(stored.record or b"").awaited()
        except Unreadable as fault:
            return str(fault)
        except msgspec.MsgspecError as fault:
            return f"what is stored beside its game cannot be read: {where_of(fault)}"
        return standstill(
            [seats[seat] for seat in awaited], hinted=False, due_ms=None, now_ms=now_ms
        )
