"""A distribution over fixed buckets that takes the values of a whole batch at once.

The client's own histogram takes a lock twice a value; a worker counts two values an answer.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from prometheus_client.metrics_core import HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from sentinel.telemetry.declarations import HistogramSpec


@dataclass(slots=True)
class _Series:
    """Values by bucket, each counted in one, shape (buckets,), and their sum."""

    counts: npt.NDArray[np.int64]
    total: float = field(default=0.0)


class Distribution(Collector):
    """One histogram of the catalogue; thread-safe. Without labels it is there before its first value."""

    def __init__(self, spec: HistogramSpec) -> None:
        self._spec = spec
        bounds = (*spec.buckets, math.inf)
        self._bounds = np.array(bounds)
        self._bound_names = [str(floatToGoString(bound)) for bound in bounds]  # type: ignore[no-untyped-call]
        self._lock = threading.Lock()
        self._series: dict[tuple[str, ...], _Series] = {}
        if not spec.labels:
            self._series[()] = self._empty()

    def _empty(self) -> _Series:
        return _Series(np.zeros(len(self._bounds), dtype=np.int64))

    def observe(self, labels: tuple[str, ...], values: Sequence[float]) -> None:
        """Add finite values to the series of these label values."""
        counts = np.bincount(np.searchsorted(self._bounds, values), minlength=len(self._bounds))
        with self._lock:
            series = self._series.setdefault(labels, self._empty())
            series.counts += counts
            series.total = sum(values, series.total)

    def collect(self) -> Iterator[Metric]:
        """Yield the family with all its series."""
        with self._lock:
            snapshot = [(labels, one.counts.cumsum(), one.total) for labels, one in self._series.items()]
        spec = self._spec
        family = HistogramMetricFamily(spec.name, spec.help, labels=spec.label_names)
        for labels, reached, total in snapshot:
            buckets = list(zip(self._bound_names, reached.astype(float).tolist(), strict=True))
            family.add_metric(labels, buckets, total)
        yield family
