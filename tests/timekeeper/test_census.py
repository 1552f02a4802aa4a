"""The census: a number for each scrape, and none where none can be had."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from hutch.runtime.metrics import RULESET
from hutch.timekeeper.census import Census, CensusCollector


def test_a_census_is_taken_at_each_scrape() -> None:
    registry = CollectorRegistry()
    RULESET.allow("rabbit-space")
    stuck = iter([0, 2])
    tables = {
        ("rabbit-space", "playing"): 3,
        ("unheard-of", "playing"): 1,
        ("unknown", "playing"): 1,
    }

    def take() -> Census:
        return Census(
            tables=tables,
            timers_pending=5,
            stuck=next(stuck),
            notes_waiting=3,
            outages=2,
            outage_seconds=71.5,
        )

    registry.register(CensusCollector(take))

    first, second = (samples(registry), samples(registry))

    assert first['hutch_tables{"ruleset": "rabbit-space", "state": "playing"}'] == 3
    assert first['hutch_tables{"ruleset": "other", "state": "playing"}'] == 2
    assert first["hutch_timers_pending{}"] == 5
    assert first["hutch_notes_waiting{}"] == 3
    assert (first["hutch_outages{}"], first["hutch_outage_seconds{}"]) == (2, 71.5)
    assert (first["hutch_stuck_tables{}"], second["hutch_stuck_tables{}"]) == (0, 2)


def no_number() -> Census:
    raise ValueError("no number")


@pytest.mark.parametrize("take", [no_number, lambda: None])
def test_a_census_that_fails_or_cannot_be_taken_leaves_its_gauges_out_and_the_rest_in(
    take: Callable[[], Census | None],
) -> None:
    registry = CollectorRegistry()
    Gauge("steady", "Stays.", registry=registry).set(1)
    registry.register(CensusCollector(take))
    assert samples(registry) == {"steady{}": 1}


def samples(registry: CollectorRegistry) -> dict[str, float]:
    text = generate_latest(registry).decode()
    return {
        sample.name + str(dict(sorted(sample.labels.items()))).replace("'", '"'): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
