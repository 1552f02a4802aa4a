"""Families: a metric with all its series, and labels whose values are a closed set.

A value outside the set is counted as `other`, so that nothing a caller sends makes a new series.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final, Generic, TypeVar

from msgspec import Struct
from prometheus_client import Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.metrics import MetricWrapperBase

OTHER: Final = "other"

# A `_created` gauge beside each counter would double the series for nothing that is asked here.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Label:
    """A label and all values it may take, besides `other`.

    With `values` they are fixed; without, a process allows its own at its start.
    """

    def __init__(self, name: str, meaning: str, values: Iterable[str] = ()) -> None:
        self.name = name
        self.meaning = meaning
        self.values = set(values)
        self.fixed = bool(self.values)

    def allow(self, *values: str) -> None:
        """Add values that this process knows. For its start, not for what callers send."""
        self.values.update(values)

    def admit(self, value: str) -> str:
        """That value, or `other`."""
        return value if value in self.values else OTHER


Metric = TypeVar("Metric", bound=MetricWrapperBase)


class Family(Generic[Metric]):
    """One metric, as a series for each combination of its labels' values."""

    def __init__(
        self,
        kind: type[Metric],
        name: str,
        meaning: str,
        *labels: Label,
        buckets: tuple[float, ...] | None = None,
    ) -> None:
        self.kind, self.name, self.meaning, self.label_set = kind, name, meaning, labels
        self.metric = (
            kind(name, meaning, [label.name for label in labels])
            if buckets is None
            else kind(name, meaning, [label.name for label in labels], buckets=buckets)  # type: ignore[call-arg]
        )
        self._names = tuple(label.name for label in labels)
        self._series: dict[tuple[tuple[str, str], ...], Metric] = {}
        if kind is Counter and labels and all(label.fixed for label in labels):
            # A counter that appears with its first event does not increase by it, so that no alert
            # would see it.
            for key in product(*(sorted(label.values) for label in labels)):
                self.labels(**dict(zip(self._names, key, strict=True)))

    def labels(self, **values: str) -> Metric:
        """The series of those values; every label is to be named."""
        named = tuple(values.items())
        series = self._series.get(named)
        if series is None:
            asked = [values[name] for name in self._names]
            admitted = [
                label.admit(value) for label, value in zip(self.label_set, asked, strict=True)
            ]
            series = self.metric.labels(*admitted) if admitted else self.metric
            # Only admitted values are remembered: what callers send must not fill this dict.
            if admitted == asked:
                self._series[named] = series
        return series


class Surveyed(Struct, frozen=True):
    """A gauge whose value is asked for when it is scraped."""

    name: str
    meaning: str
    label_set: tuple[Label, ...] = ()


AnyFamily = Family[Counter] | Family[Gauge] | Family[Histogram] | Surveyed
