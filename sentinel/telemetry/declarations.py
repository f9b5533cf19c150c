"""How a metric is declared: name, help, unit and labels as data, before any object exists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NAME = re.compile(r"sentinel(_[a-z0-9]+)+")


@dataclass(frozen=True, slots=True)
class LabelSpec:
    """One label of a metric.

    `known` values always keep their name. An `is_open` label takes further values, up to the cap of
    `MetricsParams.label_values`; whatever is beyond that, and every unknown value of a closed label,
    is counted as `other`.
    """

    name: str
    known: tuple[str, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric: `unit` is what one of its values is counted in."""

    name: str
    help: str
    unit: str
    labels: tuple[LabelSpec, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            msg = f"metric name {self.name!r} is not sentinel_<part>_<thing>_<unit>"
            raise ValueError(msg)

    @property
    def kind(self) -> str:
        """Return the Prometheus type: `counter`, `gauge` or `histogram`."""
        return type(self).__name__.removesuffix("Spec").lower()

    @property
    def label_names(self) -> tuple[str, ...]:
        """Return the label names in their declared order."""
        return tuple(label.name for label in self.labels)

    @property
    def series_names(self) -> tuple[str, ...]:
        """Return the names under which samples of this metric appear."""
        return (self.name,)


@dataclass(frozen=True, slots=True)
class CounterSpec(MetricSpec):
    """A count that only grows while the process lives; its name ends in `_total`."""

    def __post_init__(self) -> None:
        MetricSpec.__post_init__(self)
        if not self.name.endswith("_total"):
            msg = f"counter {self.name} must end in _total"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class GaugeSpec(MetricSpec):
    """A present value. It is exported only after it was set: unknown is not zero."""


@dataclass(frozen=True, slots=True)
class HistogramSpec(MetricSpec):
    """A distribution over fixed `buckets` (upper bounds, without +Inf)."""

    buckets: tuple[float, ...] = field(kw_only=True)

    @property
    def series_names(self) -> tuple[str, ...]:
        """Return the names under which samples of this metric appear."""
        return (f"{self.name}_bucket", f"{self.name}_sum", f"{self.name}_count")
