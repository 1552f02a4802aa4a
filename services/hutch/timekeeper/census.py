"""The census: how many tables there are and how they do, counted in Redis at each scrape."""

from __future__ import annotations

import asyncio

from hutch.runtime.census import Census, export_census
from hutch.store.errors import StoreUnavailable
from hutch.store.store import Store
from hutch.timekeeper.patrol import Patrol

PATIENCE_SECONDS = 5.0


def export_tables(store: Store, patrol: Patrol, loop: asyncio.AbstractEventLoop) -> None:
    """Export the census of that store, with what the patrol found; `loop` is the one that both
    belong to."""

    def take() -> Census | None:
        counting = asyncio.run_coroutine_threadsafe(_count(store, patrol), loop)
        try:
            return counting.result(PATIENCE_SECONDS)
        except (StoreUnavailable, TimeoutError):  # Redis is away, or so slow that it may as well be
            return None

    export_census(take)


async def _count(store: Store, patrol: Patrol) -> Census:
    counts, timers, notes, heard = await asyncio.gather(
        store.index.counts(), store.timers.size(), store.outbox.size(), store.pulse.listen()
    )
    tables = {(listing.ruleset, listing.state): number for listing, number in counts.items()}
    return Census(
        tables=tables,
        timers_pending=timers,
        stuck=patrol.stuck,
        notes_waiting=notes,
        outages=heard.count,
        outage_seconds=heard.lost_ms / 1000,
    )
