"""The few shapes of PromQL that panels and rules share; names come from the catalogue alone."""

from __future__ import annotations

from collections.abc import Sequence

from sentinel.telemetry.declarations import CounterSpec, GaugeSpec, HistogramSpec

#: Windows of panels: Grafana's own for what is frequent, fixed ones for what is counted.
STEP = "$__rate_interval"


def rate(spec: CounterSpec, window: str = STEP, by: Sequence[str] = (), match: str = "") -> str:
    """Return the increments per second over all processes."""
    return f"sum{_by(by)}(rate({spec.name}{_braces(match)}[{window}]))"


def increase(spec: CounterSpec, window: str, by: Sequence[str] = (), match: str = "") -> str:
    """Return the increments within `window` over all processes."""
    return f"sum{_by(by)}(increase({spec.name}{_braces(match)}[{window}]))"


def quantile(share: float, spec: HistogramSpec, window: str) -> str:
    """Return a quantile of the observations within `window`."""
    return f"histogram_quantile({share}, sum by (le) (rate({spec.name}_bucket[{window}])))"


def average(spec: HistogramSpec, window: str) -> str:
    """Return the mean of the observations within `window`."""
    return f"sum(rate({spec.name}_sum[{window}])) / sum(rate({spec.name}_count[{window}]))"


def greatest(spec: GaugeSpec, by: Sequence[str] = (), match: str = "") -> str:
    """Return the greatest value any process tells; several read the same store and tell the same."""
    return f"max{_by(by)}({spec.name}{_braces(match)})"


def least(spec: GaugeSpec, by: Sequence[str] = ()) -> str:
    """Return the least value any process tells."""
    return f"min{_by(by)}({spec.name})"


def _by(labels: Sequence[str]) -> str:
    return f" by ({', '.join(labels)}) " if labels else ""


def _braces(match: str) -> str:
    return f"{{{match}}}" if match else ""
