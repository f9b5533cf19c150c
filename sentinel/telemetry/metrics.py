"""The metrics of one process, built from the catalogue on a registry of their own."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from prometheus_client import (
    CollectorRegistry,
    Counter,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from sentinel.telemetry.catalogue import CATALOGUE
from sentinel.telemetry.declarations import CounterSpec, GaugeSpec, HistogramSpec, MetricSpec
from sentinel.telemetry.distributions import Distribution
from sentinel.telemetry.labels import CappedLabel


@dataclass(frozen=True, slots=True)
class MetricsParams:
    """`label_values`: how many values of an open label keep their name (others count as `other`)."""

    label_values: int = 50

    def __post_init__(self) -> None:
        if self.label_values < 0:
            msg = f"label_values is {self.label_values}; use 0 or more"
            raise ValueError(msg)


class _Gauges(Collector):
    """Present values that exist only between being set and being cleared.

    The client's own gauge shows 0 before it was ever set, which would read as a measurement.
    """

    def __init__(self) -> None:
        self._values: dict[GaugeSpec, dict[tuple[str, ...], float]] = {}
        self._lock = threading.Lock()

    def set(self, spec: GaugeSpec, labels: tuple[str, ...], value: float) -> None:
        with self._lock:
            self._values.setdefault(spec, {})[labels] = value

    def remove(self, spec: GaugeSpec, labels: tuple[str, ...]) -> None:
        with self._lock:
            self._values.get(spec, {}).pop(labels, None)

    def replace(self, spec: GaugeSpec, values: dict[tuple[str, ...], float]) -> None:
        with self._lock:
            self._values[spec] = dict(values)

    def collect(self) -> Iterator[Metric]:
        with self._lock:
            snapshot = [(spec, dict(values)) for spec, values in self._values.items() if values]
        for spec, values in snapshot:
            family = GaugeMetricFamily(spec.name, spec.help, labels=spec.label_names)
            for labels, value in values.items():
                family.add_metric(labels, value)
            yield family


class Metrics:
    """All metrics of the catalogue on one registry; every call is thread-safe.

    A metric is named by its declaration: `metrics.increment(STREAM_DEAD_LETTERS, reason="too_large")`.
    Labels that are missing or not declared raise ValueError; label values never do.
    """

    def __init__(
        self, registry: CollectorRegistry | None = None, params: MetricsParams | None = None
    ) -> None:
        self.registry = registry if registry is not None else CollectorRegistry()
        self._label_values = (params or MetricsParams()).label_values
        self._caps: dict[tuple[str, ...], CappedLabel] = {}
        self._caps_lock = threading.Lock()
        self._gauges = _Gauges()
        # The client would add a `_created` series for each one, which no catalogue names.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._counters: dict[CounterSpec, Counter] = {}
        self._distributions: dict[HistogramSpec, Distribution] = {}
        for spec in CATALOGUE:
            if isinstance(spec, CounterSpec):
                self._counters[spec] = Counter(spec.name, spec.help, spec.label_names, registry=self.registry)
                self._start_at_zero(spec)
            elif isinstance(spec, HistogramSpec):
                self._distributions[spec] = Distribution(spec)
                self.registry.register(self._distributions[spec])
        self.registry.register(self._gauges)

    def increment(self, spec: CounterSpec, amount: float = 1.0, /, **labels: str) -> None:
        """Add `amount` (finite, not negative) to a counter."""
        if not math.isfinite(amount):
            msg = f"{spec.name} cannot grow by {amount}"
            raise ValueError(msg)
        counter = self._counters[spec]
        values = self._values(spec, labels)
        (counter.labels(*values) if values else counter).inc(amount)

    def observe(self, spec: HistogramSpec, value: float | None, /, **labels: str) -> None:
        """Add one value to a distribution; None and non-finite values are unknown and left out."""
        if value is None or not math.isfinite(value):
            return
        self.observe_all(spec, (value,), **labels)

    def observe_all(self, spec: HistogramSpec, values: Sequence[float], /, **labels: str) -> None:
        """Add many finite values to a distribution; its declaration is looked up once."""
        self._distributions[spec].observe(self._values(spec, labels), values)

    def set(self, spec: GaugeSpec, value: float | None, /, **labels: str) -> None:
        """Set a present value; None and non-finite values are unknown and take the series away."""
        values = self._values(spec, labels)
        if value is None or not math.isfinite(value):
            self._gauges.remove(spec, values)
        else:
            self._gauges.set(spec, values, float(value))

    def clear(self, spec: GaugeSpec, /, **labels: str) -> None:
        """Take away one series of a gauge, or all of them when no label is given."""
        if spec.labels and not labels:
            self._gauges.replace(spec, {})
        else:
            self._gauges.remove(spec, self._values(spec, labels))

    def replace(self, spec: GaugeSpec, values: Mapping[tuple[str, ...], float | None], /) -> None:
        """Make `values` (by label values in declared order) all there is of a gauge.

        What comes together under `other` is added up.
        """
        kept: dict[tuple[str, ...], float] = {}
        for key, value in values.items():
            if value is not None and math.isfinite(value):
                labels = self._values(spec, dict(zip(spec.label_names, key, strict=True)))
                kept[labels] = kept.get(labels, 0.0) + float(value)
        self._gauges.replace(spec, kept)

    def exposition(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self.registry)

    def _start_at_zero(self, spec: CounterSpec) -> None:
        # `rate()` misses the first increment of a series that did not exist before it.
        # A label without known values leaves the product empty: what will come there nobody can say.
        if spec.labels:
            for values in product(*(label.known for label in spec.labels)):
                self._counters[spec].labels(*values)

    def _values(self, spec: MetricSpec, labels: Mapping[str, str]) -> tuple[str, ...]:
        if labels.keys() != set(spec.label_names):
            msg = f"{spec.name} takes the labels {spec.label_names}, not {tuple(labels)}"
            raise ValueError(msg)
        values: list[str] = []
        for label in spec.labels:
            # The cap counts within the labels before it: each domain has its own first N values.
            scope = (spec.name, label.name, *values)
            cap = self._caps.get(scope)
            if cap is None:
                limit = self._label_values if label.is_open else 0
                with self._caps_lock:
                    cap = self._caps.setdefault(scope, CappedLabel(limit, label.known))
            values.append(cap(labels[label.name]))
        return tuple(values)
