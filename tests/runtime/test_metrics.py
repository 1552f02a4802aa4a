"""Metrics have the names the docs tell, and labels with closed sets of values."""

from pathlib import Path

import pytest
from prometheus_client import Counter, Gauge

from hutch.runtime import metrics
from hutch.runtime.families import OTHER, Family, Label, Surveyed

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "metrics.md"
SERVICES = ROOT / "services" / "hutch"


def test_a_value_outside_the_set_is_counted_as_other() -> None:
    colour = Label("colour", "of a carrot")
    colour.allow("orange")
    family = Family(Counter, "test_carrots_total", "Carrots.", colour)

    family.labels(colour="orange").inc()
    family.labels(colour="purple").inc()
    family.labels(colour="black").inc()
    colour.allow("purple")
    family.labels(colour="purple").inc()

    counts = {
        sample.labels["colour"]: sample.value
        for metric in family.metric.collect()
        for sample in metric.samples
    }
    assert counts == {"orange": 1, OTHER: 2, "purple": 1}


def test_values_that_callers_send_are_not_remembered() -> None:
    family = Family(Counter, "test_junk_total", "Junk.", Label("kind", "of junk"))
    for number in range(1000):
        family.labels(kind=f"junk {number}").inc()
    assert len(family._series) == 0
    assert sum(len(metric.samples) for metric in family.metric.collect()) == 1


def test_a_counter_whose_labels_are_fixed_starts_at_zero_for_each() -> None:
    size = Label("size", "of a carrot", ["big", "small"])
    family = Family(Counter, "test_sizes_total", "Carrots.", size)
    values = {
        sample.labels["size"]: sample.value
        for metric in family.metric.collect()
        for sample in metric.samples
    }
    assert values == {"big": 0, "small": 0}


def test_every_label_has_to_be_named() -> None:
    with pytest.raises(KeyError):
        metrics.ACTIONS.labels(ruleset="rabbit-space")


def test_metrics_without_labels_count() -> None:
    before = metrics.TIMERS_FIRED.labels()._value.get()
    metrics.TIMERS_FIRED.labels().inc()
    assert metrics.TIMERS_FIRED.labels()._value.get() == before + 1


def test_every_family_is_listed_in_a_group() -> None:
    listed = {id(metric) for group in metrics.GROUPS.values() for metric in group}
    defined = [value for value in vars(metrics).values() if isinstance(value, Family | Surveyed)]
    assert [metric.name for metric in defined if id(metric) not in listed] == []


def test_names_keep_to_prometheus_customs() -> None:
    for group in metrics.GROUPS.values():
        for metric in group:
            assert metric.name.startswith("hutch_")
            kind = metric.kind if isinstance(metric, Family) else Gauge
            assert metric.name.endswith("_total") == (kind is Counter), metric.name
            assert metric.meaning.endswith("."), metric.name


def test_every_value_of_a_closed_label_is_one_that_some_code_counts() -> None:
    sources = [path.read_text() for path in SERVICES.rglob("*.py") if path.name != "metrics.py"]
    for label in {
        label for group in metrics.GROUPS.values() for m in group for label in m.label_set
    }:
        if label.fixed and label.name not in ("code", "version", "python"):
            for value in label.values:
                assert any(f'"{value}"' in source for source in sources), (label.name, value)


def test_the_page_of_metrics_is_up_to_date() -> None:
    assert PAGE.read_text() == metrics.markdown(), (
        "run `python -m hutch.runtime.metrics > docs/metrics.md`"
    )
