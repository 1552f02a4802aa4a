"""Keeping time: claim what is due, play its default, sleep until the next.

What is due in a moment is claimed, loaded and resolved already, so that nothing is left to do then
but store it, which Redis refuses before its time: who answers in time is in time.

Nothing is played in an outage, and before anything is played after one, the table's clocks are put
off by it (see `TurnPath`): a timer that came due meanwhile finds nothing to do.

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
from hutch.runtime.tracing import follow, of_sampled, sampled_id
from hutch.store.doorbell import ShardBell
from hutch.store.errors import StoreUnavailable
from hutch.store.keys import ALL_SHARDS
from hutch.store.store import Store
from hutch.store.timers import Due
from hutch.turns.outages import Outages
from hutch.turns.turn import Turn
from hutch.turns.turn_path import TurnPath
from hutch.wire.errors import Fault, Wrong

log = structlog.get_logger(__name__)

#: Timers that may be under way at once; more stay for others to claim. With many more than this
#: the last are still waiting when their lease ends, on a machine that has too much to do.
AT_ONCE = 64
#: A shard is looked at so long before its next timer is due, and with it those that are due so soon
#: after: what is due in the same moment travels together.
AHEAD_MS = 5
TOGETHER_MS = 10
#: While nothing can be done it is tried again after so long.
PAUSE_SECONDS = 0.25


class Timekeeper:
    """Plays defaults. Any number of them may run.

    It knows for each shard when its next timer is due, from what it read and from what the doorbell
    told since; every `poll_seconds` it reads all shards anew, for a ring may be lost.
    """

    def __init__(
        self,
        path: TurnPath,
        store: Store,
        outages: Outages,
        *,
        lease_seconds: float,
        poll_seconds: float,
    ) -> None:
        self._path = path
        self._store = store
        self._outages = outages
        self._lease_ms = int(lease_seconds * 1000)
        self._poll_seconds = poll_seconds
        self._next: dict[int, int] = {}
        #: How far Redis' clock was ahead of ours when it was read last.
        self._redis_ahead_ms = 0.0
        self._settling: dict[str, asyncio.Task[None]] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Keep time until `stop` is set."""
        async with self._store.doorbell.listen_to_shards("timers") as bell:
            while not stop.is_set():
                try:
                    await self._round(bell)
                except StoreUnavailable:
                    await asyncio.sleep(PAUSE_SECONDS)
            await asyncio.gather(*self._settling.values())

    async def _round(self, bell: ShardBell) -> None:
        """Wait for what is due next, and begin to settle it: one timer waits for no other.

        In an outage all wait, for nobody could have answered.
        """
        if await self._outages.is_on():
            await asyncio.sleep(PAUSE_SECONDS)
            return
        while len(self._settling) >= AT_ONCE:
            await asyncio.wait(self._settling.values(), return_when=asyncio.FIRST_COMPLETED)
        wait_seconds = self._poll_seconds
        if self._next:
            next_ms = min(self._next.values()) - AHEAD_MS
            wait_seconds = min(wait_seconds, (next_ms - self._now_ms()) / 1000)
        wakes = await bell.wait(max(0.0, wait_seconds))  # however much there is to do
        for shard, at_ms in wakes.by_shard.items():
            self._next[shard] = min(at_ms, self._next.get(shard, at_ms))
        if wakes.missed:
            await self._read()
        soon_ms = self._now_ms() + AHEAD_MS + TOGETHER_MS
        if due := [shard for shard, at_ms in self._next.items() if at_ms <= soon_ms]:
            await self._claim(sorted(due, key=self._next.__getitem__))

    async def _claim(self, shards: list[int]) -> None:
        """Claim what is due in those shards, the first of them first, and begin to settle it."""
        asked = monotonic()
        claimed = await self._store.timers.claim_due(
            shards,
            AT_ONCE - len(self._settling),
            self._lease_ms,
            ahead_ms=AHEAD_MS + TOGETHER_MS,
        )
        self._learn(claimed.next_ms, claimed.now_ms, asked)
        for one in claimed.due:
            if one.table_id not in self._settling:  # else its lease ran out, not our patience
                self._settling[one.table_id] = asyncio.create_task(self._settle(one))

    async def _read(self) -> None:
        """Ask Redis when the next timer of every shard is due, and what time it is there."""
        asked = monotonic()
        found, now_ms = await asyncio.gather(
            self._store.timers.next_due(ALL_SHARDS), self._store.tables.now_ms()
        )
        self._learn({shard: found.get(shard) for shard in ALL_SHARDS}, now_ms, asked)

    def _learn(self, next_ms: dict[int, int | None], now_ms: int, asked: float) -> None:
        """Remember what Redis told when it was asked then."""
        self._redis_ahead_ms = now_ms - (asked + monotonic()) / 2 * 1000
        for shard, at_ms in next_ms.items():
            if at_ms is None:
                self._next.pop(shard, None)
            else:
                self._next[shard] = at_ms

    def _now_ms(self) -> float:
        """The time by Redis' clock, as far as ours can tell."""
        return monotonic() * 1000 + self._redis_ahead_ms

    async def _settle(self, due: Due) -> None:
        """Play what is due at one table. Where that fails the lease ends, and it is due again."""
        try:
            try:
                stored, _ = await self._path.load(due.table_id)
                follow(of_sampled(stored.trace_id))
                if not await self._outages.is_on(stored.now_ms):
                    await self._play(due)
            except Fault as fault:
                await self._unsettled(due, fault)
        except StoreUnavailable:
            pass  # the lease ends, and it is due again
        except Exception:
            log.exception("timer_failed", table=due.table_id)
        finally:
            del self._settling[due.table_id]

    async def _play(self, due: Due) -> None:
        turn = Turn(
            table_id=due.table_id,
            request=rules_pb.ResolveRequest(tick=rules_pb.Tick()),
            seat=0,
            by="clock",
            since_ms=due.due_ms,
            not_before_ms=due.due_ms,
        )
        accepted = await self._path.play(turn)
        metrics.TIMERS_FIRED.labels().inc()
        if accepted.stored is not None:
            lateness = (accepted.stored.now_ms - due.due_ms) / 1000
            metrics.TIMER_LATENESS.labels().observe(max(0.0, lateness))
            if sampled_id() is not None:
                log.info("default_played", table=due.table_id, revision=accepted.revision)

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
