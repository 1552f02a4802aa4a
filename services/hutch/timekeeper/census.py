"""The census: how many tables there are and how they do, counted in Redis at each scrape."""

from __future__ import annotations

import asyncio

from hutch.runtime.metrics import Census, export_census
from hutch.store.store import Store

PATIENCE_SECONDS = 5.0


def export_tables(store: Store, loop: asyncio.AbstractEventLoop) -> None:
    """Export the census of that store; `loop` is the one the store belongs to."""

    def take() -> Census:
        return asyncio.run_coroutine_threadsafe(_count(store), loop).result(PATIENCE_SECONDS)

    export_census(take)


async def _count(store: Store) -> Census:
    counts, timers, notes = await asyncio.gather(
        store.index.counts(), store.timers.size(), store.outbox.size()
    )
    tables = {(listing.ruleset, listing.state): number for listing, number in counts.items()}
    return Census(tables=tables, timers_pending=timers, stuck=0, notes_waiting=notes)
