"""A distribution is exposed as the Prometheus client's own histogram would be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Histogram, disable_created_metrics, generate_latest

from sentinel.telemetry.declarations import HistogramSpec, LabelSpec
from sentinel.telemetry.distributions import Distribution

_BUCKETS = (0.25, 1.0, 2.5, 1000.0)
_PLAIN = HistogramSpec("sentinel_tests_seconds", "Seconds of the tests", "seconds", buckets=_BUCKETS)
_LABELLED = HistogramSpec(
    "sentinel_tests_seconds",
    "Seconds of the tests",
    "seconds",
    (LabelSpec("part", is_open=True),),
    buckets=_BUCKETS,
)
_VALUES = st.lists(st.sampled_from((*_BUCKETS, 0.0)) | st.floats(0.0, 1e6))


@given(st.lists(_VALUES))
def test_values_given_at_once_show_as_the_client_shows_them_one_by_one(batches: list[list[float]]) -> None:
    ours, theirs, registry, client = _pair(_PLAIN)
    for values in batches:
        ours.observe((), values)
        for value in values:
            theirs.observe(value)
    assert generate_latest(registry) == generate_latest(client)


@given(st.lists(st.tuples(st.sampled_from("abc"), _VALUES)))
def test_each_label_value_has_a_series_from_its_first_values_on(
    given_: list[tuple[str, list[float]]],
) -> None:
    ours, theirs, registry, client = _pair(_LABELLED)
    for part, values in given_:
        ours.observe((part,), values)
        series = theirs.labels(part)
        for value in values:
            series.observe(value)
    assert generate_latest(registry) == generate_latest(client)


def _pair(spec: HistogramSpec) -> tuple[Distribution, Histogram, CollectorRegistry, CollectorRegistry]:
    disable_created_metrics()  # type: ignore[no-untyped-call]
    registry, client = CollectorRegistry(), CollectorRegistry()
    ours = Distribution(spec)
    registry.register(ours)
    theirs = Histogram(spec.name, spec.help, spec.label_names, registry=client, buckets=spec.buckets)
    return ours, theirs, registry, client
