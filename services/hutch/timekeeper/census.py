"""The census: how many tables there are and how they do, counted in Redis at each scrape."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping

import structlog
from msgspec import Struct
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from hutch.runtime.families import Surveyed
from hutch.runtime.metrics import (
    NOTES_WAITING,
    OUTAGE_SECONDS,
    OUTAGES,
    RULESET,
    STUCK_TABLES,
    SURVEYED,
    TABLE_STATE,
    TABLES,
    TIMERS_PENDING,
)
from hutch.store.errors import StoreUnavailable
from hutch.store.store import Store
from hutch.timekeeper.patrol import Patrol

log = structlog.get_logger(__name__)

PATIENCE_SECONDS = 5.0


class Census(Struct, frozen=True):
    """What Redis holds at one moment.

    `tables` counts by ruleset and state; `stuck` counts tables that are playing and will not move,
    as they were looked at last.
    """

    tables: Mapping[tuple[str, str], int]
    timers_pending: int
    stuck: int
    notes_waiting: int
    outages: int
    outage_seconds: float


class CensusCollector(Collector):
    """Exports a census taken at every scrape.

    It asks the one store that all processes share, so each process that has a collector exports
    the same numbers: queries take `max`, never `sum`. A census that fails, or cannot be taken now
    (None), leaves the gauges out of that scrape, because an old number would hide the outage.
    """

    def __init__(self, take: Callable[[], Census | None]) -> None:
        self._take = take

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """The names alone, so that being registered takes no census."""
        for gauge in SURVEYED:
            yield _family(gauge)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The numbers of now."""
        try:
            census = self._take()
        except Exception:
            log.warning("no census for this scrape", exc_info=True)
            return
        if census is None:
            return
        tables = _family(TABLES)
        totals: dict[tuple[str, str], int] = {}
        for (ruleset, state), count in census.tables.items():
            key = (RULESET.admit(ruleset), TABLE_STATE.admit(state))
            totals[key] = totals.get(key, 0) + count
        for key, count in sorted(totals.items()):
            tables.add_metric(key, count)
        yield tables
        for gauge, value in (
            (TIMERS_PENDING, census.timers_pending),
            (STUCK_TABLES, census.stuck),
            (NOTES_WAITING, census.notes_waiting),
            (OUTAGES, census.outages),
            (OUTAGE_SECONDS, census.outage_seconds),
        ):
            family = _family(gauge)
            family.add_metric((), value)
            yield family


def export_tables(store: Store, patrol: Patrol, loop: asyncio.AbstractEventLoop) -> None:
    """Export the census of that store, with what the patrol found; `loop` is the one that both
    belong to."""

    def take() -> Census | None:
        counting = asyncio.run_coroutine_threadsafe(_count(store, patrol), loop)
        try:
            return counting.result(PATIENCE_SECONDS)
        except (StoreUnavailable, TimeoutError):  # Redis is away, or so slow that it may as well be
            return None

    REGISTRY.register(CensusCollector(take))


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


def _family(gauge: Surveyed) -> GaugeMetricFamily:
    return GaugeMetricFamily(
        gauge.name, gauge.meaning, labels=[label.name for label in gauge.label_set]
    )
