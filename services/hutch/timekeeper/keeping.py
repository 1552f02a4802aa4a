"""Keeping time: claim what is due, play its default, sleep until the next.

A claim is a lease: what a timekeeper that died had claimed is free for another soon. A timer leaves
Redis only with the commit that settles it, so no default is lost and none is played twice.
"""

from __future__ import annotations

import asyncio
from time import monotonic

import structlog

from hutch.engine.refusals import Reason
from hutch.internal.v1 import rules_service_pb2 as rules_pb
from hutch.runtime import metrics
from hutch.store.doorbell import ShardBell
from hutch.store.errors import StoreUnavailable
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from hutch.store.timers import Due
from hutch.turns.turn_path import Turn, TurnPath
from hutch.wire.errors import Fault, Wrong

log = structlog.get_logger(__name__)

CLAIM = 256


class Timekeeper:
    """Plays defaults. Any number of them may run.

    It knows for each shard when its next timer is due, from what it read and from what the doorbell
    told since; every `poll_seconds` without a ring it reads all shards anew.
    """

    def __init__(
        self, path: TurnPath, store: Store, *, lease_seconds: float, poll_seconds: float
    ) -> None:
        self._path = path
        self._store = store
        self._lease_ms = int(lease_seconds * 1000)
        self._poll_seconds = poll_seconds
        self._next: dict[int, int] = {}
        self._redis_ahead_ms = 0.0

    async def run(self, stop: asyncio.Event) -> None:
        """Keep time until `stop` is set."""
        async with self._store.doorbell.listen_to_shards("timers") as bell:
            while not stop.is_set():
                try:
                    await self._round(bell)
                except StoreUnavailable as fault:
                    log.warning("store_unavailable", error=str(fault)[:200])
                    await asyncio.sleep(self._poll_seconds)

    async def _round(self, bell: ShardBell) -> None:
        """Wait for what is due next, and settle it."""
        wait_seconds = self._poll_seconds
        if self._next:
            wait_seconds = min(wait_seconds, (min(self._next.values()) - self._now_ms()) / 1000)
        if wait_seconds > 0:
            wakes = await bell.wait(wait_seconds)
            for shard, at_ms in wakes.by_shard.items():
                self._next[shard] = min(at_ms, self._next.get(shard, at_ms))
            if wakes.missed:
                await self._read(ALL_SHARDS)
        now_ms = self._now_ms()
        due = [shard for shard, at_ms in self._next.items() if at_ms <= now_ms]
        if not due:
            return
        claimed = await self._store.timers.claim_due(due, CLAIM, self._lease_ms)
        await asyncio.gather(*[self._settle(one) for one in claimed])
        await self._read(due)

    async def _read(self, shards: range | list[int]) -> None:
        """Ask Redis when the next timers of those shards are due, and what time it is there."""
        asked = monotonic()
        found, now_ms = await asyncio.gather(
            self._store.timers.next_due(shards), self._store.tables.now_ms()
        )
        self._redis_ahead_ms = now_ms - (asked + monotonic()) / 2 * 1000
        for shard in shards:
            if shard in found:
                self._next[shard] = found[shard]
            else:
                self._next.pop(shard, None)

    def _now_ms(self) -> float:
        """The time by Redis' clock, as read last."""
        return monotonic() * 1000 + self._redis_ahead_ms

    async def _settle(self, due: Due) -> None:
        """Play what is due at one table."""
        turn = Turn(
            table_id=due.table_id,
            request=rules_pb.ResolveRequest(tick=rules_pb.Tick()),
            seat=0,
            by="clock",
        )
        try:
            accepted = await self._path.play(turn)
        except Fault as fault:
            await self._unsettled(due, fault)
            return
        metrics.TIMERS_FIRED.labels().inc()
        if accepted.stored is not None:
            lateness = (accepted.stored.now_ms - due.due_ms) / 1000
            metrics.TIMER_LATENESS.labels().observe(max(0.0, lateness))

    async def _unsettled(self, due: Due, fault: Fault) -> None:
        match fault.reason:
            case Wrong.TABLE_NOT_FOUND | Wrong.TABLE_NOT_PLAYING | Reason.GAME_OVER:
                await self._store.timers.forget(due.table_id)  # nothing is left to play
            case Reason.NOTHING_DUE:
                pass  # somebody answered in time: that commit armed what comes next
            case _:
                log.error(
                    "timer_unsettled",
                    table=due.table_id,
                    reason=fault.reason,
                    sentence=fault.sentence,
                )
