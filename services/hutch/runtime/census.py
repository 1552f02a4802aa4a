"""The census: what Redis holds, exported as gauges at every scrape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import structlog
from msgspec import Struct
from prometheus_client import REGISTRY, CollectorRegistry
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
            structlog.get_logger(__name__).warning("no census for this scrape", exc_info=True)
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


def export_census(
    take: Callable[[], Census | None], registry: CollectorRegistry = REGISTRY
) -> CensusCollector:
    """Export what `take` finds, at every scrape; `take` is called in the scraper's thread."""
    collector = CensusCollector(take)
    registry.register(collector)
    return collector


def _family(gauge: Surveyed) -> GaugeMetricFamily:
    return GaugeMetricFamily(
        gauge.name, gauge.meaning, labels=[label.name for label in gauge.label_set]
    )
