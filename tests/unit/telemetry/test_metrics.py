"""Metrics: bounded series, gauges that are absent while unknown, labels that cannot break a scrape."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from sentinel.telemetry import catalogue
from sentinel.telemetry.catalogue import CATALOGUE
from sentinel.telemetry.declarations import CounterSpec, GaugeSpec, HistogramSpec, LabelSpec, MetricSpec
from sentinel.telemetry.labels import OTHER, UNKNOWN, CappedLabel, clean_label_value
from sentinel.telemetry.metrics import Metrics, MetricsParams


def samples(metrics: Metrics) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


CONTRACT_NAMES = {
    "sentinel_stream_events_total": (),
    "sentinel_stream_dead_letters_total": ("reason",),
    "sentinel_stream_consumer_lag_records": (),
    "sentinel_indicator_events_total": ("indicator",),
    "sentinel_answer_words": (),
    "sentinel_sampling_units_total": (),
    "sentinel_sampling_expected_units_total": (),
    "sentinel_review_pending_units": (),
    "sentinel_review_oldest_pending_seconds": (),
    "sentinel_audited_rate": ("level", "bound"),
    "sentinel_label_coverage_ratio": (),
    "sentinel_shift_active": ("series",),
    "sentinel_report_last_success_timestamp_seconds": (),
}


def test_the_names_of_the_contract_are_declared_with_their_labels() -> None:
    declared = {spec.name: spec.label_names for spec in CATALOGUE}
    assert {name: declared.get(name) for name in CONTRACT_NAMES} == CONTRACT_NAMES
    assert next(s for s in CATALOGUE if s.name == "sentinel_answer_words").kind == "histogram"


def test_each_metric_is_declared_once_and_described() -> None:
    names = [spec.name for spec in CATALOGUE]
    assert len(names) == len(set(names))
    assert [spec.name for spec in CATALOGUE if len(spec.help) < 10 or not spec.unit] == []


@pytest.mark.parametrize(
    "name", ["events_total", "sentinel_Events_total", "sentinel_events", "sentinel__x_total"]
)
def test_a_counter_with_a_name_out_of_style_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"sentinel_|_total"):
        CounterSpec(name, "A help text.", "events")


def test_everything_exported_is_in_the_catalogue_when_everything_is_used() -> None:
    metrics = Metrics()
    for spec in CATALOGUE:
        labels = {label.name: (label.known or ("x",))[0] for label in spec.labels}
        if isinstance(spec, CounterSpec):
            metrics.increment(spec, **labels)
        elif isinstance(spec, GaugeSpec):
            metrics.set(spec, 1.0, **labels)
        elif isinstance(spec, HistogramSpec):
            metrics.observe(spec, 0.5, **labels)
    declared = {series for spec in CATALOGUE for series in spec.series_names}
    assert {name for name, _ in samples(metrics)} == declared


def test_two_sets_of_metrics_share_nothing() -> None:
    first, second = Metrics(), Metrics(CollectorRegistry())
    first.increment(catalogue.STREAM_EVENTS, 3)
    assert samples(first)["sentinel_stream_events_total", ()] == 3
    assert samples(second)["sentinel_stream_events_total", ()] == 0


def test_a_gauge_is_absent_until_set_and_after_it_was_cleared() -> None:
    metrics = Metrics()
    key = ("sentinel_stream_consumer_lag_records", ())
    assert key not in samples(metrics)
    metrics.set(catalogue.STREAM_CONSUMER_LAG, 0)
    assert samples(metrics)[key] == 0
    metrics.clear(catalogue.STREAM_CONSUMER_LAG)
    assert key not in samples(metrics)


@pytest.mark.parametrize("unknown", [None, math.nan, math.inf, -math.inf])
def test_an_unknown_value_takes_the_series_away(unknown: float | None) -> None:
    metrics = Metrics()
    metrics.set(catalogue.AUDITED_RATE, 0.1, level="claim", bound="estimate")
    metrics.set(catalogue.AUDITED_RATE, 0.2, level="case", bound="estimate")
    metrics.set(catalogue.AUDITED_RATE, unknown, level="claim", bound="estimate")
    assert [key for key in samples(metrics) if key[0] == "sentinel_audited_rate"] == [
        ("sentinel_audited_rate", (("bound", "estimate"), ("level", "case")))
    ]


def test_replace_leaves_no_series_of_before() -> None:
    metrics = Metrics()
    metrics.set(catalogue.SHIFT_ACTIVE, 1, series="abstained")
    metrics.replace(catalogue.SHIFT_ACTIVE, {("low_overlap",): 0.0, ("answer_words",): None})
    shown = {key: value for key, value in samples(metrics).items() if key[0] == "sentinel_shift_active"}
    assert shown == {("sentinel_shift_active", (("series", "low_overlap"),)): 0.0}


def test_clear_without_labels_takes_all_series_of_a_gauge() -> None:
    metrics = Metrics()
    for bound in catalogue.RATE_BOUNDS:
        metrics.set(catalogue.AUDITED_RATE, 0.1, level="claim", bound=bound)
    metrics.clear(catalogue.AUDITED_RATE)
    assert not [key for key in samples(metrics) if key[0] == "sentinel_audited_rate"]


def test_closed_labels_start_at_zero_so_that_the_first_increment_is_seen() -> None:
    shown = samples(Metrics())
    for name in catalogue.INDICATOR_NAMES:
        assert shown["sentinel_indicator_events_total", (("indicator", name),)] == 0


def test_indicator_labels_are_fixed_names_only() -> None:
    metrics = Metrics()
    for number in range(200):
        metrics.increment(catalogue.INDICATOR_EVENTS, indicator=f"made_up_{number}")
    shown = {k[1][0][1]: v for k, v in samples(metrics).items() if k[0] == "sentinel_indicator_events_total"}
    assert set(shown) == {*catalogue.INDICATOR_NAMES, OTHER}
    assert shown[OTHER] == 200


@pytest.mark.parametrize("limit", [0, 1, 7, 50])
def test_series_stay_under_a_bound_with_every_value_new(limit: int) -> None:
    metrics = Metrics(params=MetricsParams(label_values=limit))
    quiet = len(samples(metrics))
    for number in range(5000):
        for domain in ("tenant", "prompt_version", f"doc-{number}"):
            metrics.increment(catalogue.STREAM_DOMAIN_EVENTS, domain=domain, value=f"hash-{number}")
        metrics.increment(catalogue.STREAM_DEAD_LETTERS, reason=f"reason-{number}")
    shown = samples(metrics)
    # Three domains (the unknown ones are one: other) and the reasons, each with its cap and `other`.
    assert len(shown) == quiet + 4 * (limit + 1)
    assert (
        shown["sentinel_stream_domain_events_total", (("domain", "tenant"), ("value", OTHER))] == 5000 - limit
    )
    total = sum(v for k, v in shown.items() if k[0] == "sentinel_stream_domain_events_total")
    assert total == 15000


def test_alarms_of_apps_beyond_the_cap_are_added_up() -> None:
    metrics = Metrics(params=MetricsParams(label_values=2))
    metrics.replace(catalogue.SHIFT_ACTIVE_ALARMS, {(f"app-{n}",): 3.0 for n in range(5000)})
    shown = {k: v for k, v in samples(metrics).items() if k[0] == "sentinel_shift_active_alarms"}
    assert len(shown) == 3
    assert sum(shown.values()) == 15000
    assert shown["sentinel_shift_active_alarms", (("app", OTHER),)] == 14994


@pytest.mark.parametrize("spec", CATALOGUE, ids=lambda spec: spec.name)
def test_every_label_of_every_metric_is_bounded_whatever_comes(spec: MetricSpec) -> None:
    metrics, limit = Metrics(params=MetricsParams(label_values=7)), 7
    hostile = [f"tenant-{n}\n{'x' * 90}{n}" for n in range(300)]
    for value in hostile:
        labels = dict.fromkeys(spec.label_names, value)
        if isinstance(spec, CounterSpec):
            metrics.increment(spec, **labels)
        elif isinstance(spec, GaugeSpec):
            metrics.set(spec, 1.0, **labels)
        else:
            assert isinstance(spec, HistogramSpec)
            metrics.observe(spec, 1.0, **labels)
    shown = [key for key in samples(metrics) if key[0] in spec.series_names]
    # Each label: its known values, the cap where it is open, and `other`.
    each = [len(label.known) + limit * label.is_open + 1 for label in spec.labels]
    buckets = len(spec.buckets) + 3 if isinstance(spec, HistogramSpec) else 1
    assert len(shown) <= math.prod(each) * buckets
    assert all(len(value) <= 64 and value.isprintable() for _, pairs in shown for _, value in pairs)


def test_one_crowded_domain_leaves_the_cap_of_the_others_alone() -> None:
    metrics = Metrics(params=MetricsParams(label_values=2))
    for number in range(10):
        metrics.increment(catalogue.STREAM_DOMAIN_EVENTS, domain="tenant", value=str(number))
    metrics.increment(catalogue.STREAM_DOMAIN_EVENTS, domain="app", value="shop")
    assert ("sentinel_stream_domain_events_total", (("domain", "app"), ("value", "shop"))) in samples(metrics)


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ("plain", "plain"),
        ("", UNKNOWN),
        (" \t\n ", UNKNOWN),
        ("two\nlines\r\nhere", "two lines here"),
        ("nul\x00inside", "nulinside"),
        ("\x1b[31mred", "[31mred"),
        ("right\u202eleft", "rightleft"),
        ("lone\ud800surrogate", "lonesurrogate"),
        ("\u200b\u200d", UNKNOWN),
        ("x" * 1000, "x" * 64),
        ("Zürich – 東京", "Zürich – 東京"),
        ('quote"back\\slash', 'quote"back\\slash'),
    ],
)
def test_label_values_become_short_and_printable(value: str, cleaned: str) -> None:
    assert clean_label_value(value) == cleaned
    metrics = Metrics()
    metrics.increment(catalogue.STREAM_DOMAIN_EVENTS, domain="tenant", value=value)
    assert (
        "sentinel_stream_domain_events_total",
        (("domain", "tenant"), ("value", cleaned)),
    ) in samples(metrics)


def test_a_capped_label_keeps_the_first_and_is_steady() -> None:
    label = CappedLabel(2, known=("home",))
    assert [label(v) for v in ("a", "b", "c", "a", "home", "other", "c")] == [
        "a", "b", OTHER, "a", "home", OTHER, OTHER,
    ]  # fmt: skip
    assert label.kept == {"a", "b"}
    with pytest.raises(ValueError, match="0 or more"):
        CappedLabel(-1)


def test_a_capped_label_holds_its_limit_under_many_threads() -> None:
    label = CappedLabel(20)
    barrier = threading.Barrier(8)

    def work(worker: int) -> set[str]:
        barrier.wait()
        return {label(f"{worker}-{number}") for number in range(500)}

    with ThreadPoolExecutor(8) as pool:
        seen = set().union(*pool.map(work, range(8)))
    assert len(label.kept) == 20
    assert seen == label.kept | {OTHER}


def test_counting_from_many_threads_loses_nothing() -> None:
    metrics = Metrics(params=MetricsParams(label_values=3))

    def work(worker: int) -> None:
        for number in range(500):
            metrics.increment(catalogue.STREAM_DEAD_LETTERS, reason=f"r{(worker + number) % 9}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    dead = {k: v for k, v in samples(metrics).items() if k[0] == "sentinel_stream_dead_letters_total"}
    assert sum(dead.values()) == 3000
    assert len(dead) == len(catalogue.PARKED_REASONS) + 3 + 1


@pytest.mark.parametrize("labels", [{}, {"cause": "x"}, {"reason": "x", "tenant": "y"}])
def test_wrong_label_names_are_a_fault_of_the_program(labels: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="takes the labels"):
        Metrics().increment(catalogue.STREAM_DEAD_LETTERS, **labels)


@pytest.mark.parametrize("amount", [math.nan, math.inf, -1.0])
def test_a_counter_only_grows_by_finite_amounts(amount: float) -> None:
    metrics = Metrics()
    with pytest.raises(ValueError):
        metrics.increment(catalogue.SAMPLING_EXPECTED_UNITS, amount)
    assert samples(metrics)["sentinel_sampling_expected_units_total", ()] == 0


def test_unknown_observations_are_left_out() -> None:
    metrics = Metrics()
    for value in (None, math.nan, 12.0):
        metrics.observe(catalogue.ANSWER_WORDS, value)
    assert samples(metrics)["sentinel_answer_words_count", ()] == 1
    assert samples(metrics)["sentinel_answer_words_sum", ()] == 12


@given(st.lists(st.text(st.characters(codec=None)), max_size=30))
@settings(max_examples=100, deadline=None)
def test_any_text_is_a_label_that_a_scraper_reads_back(values: list[str]) -> None:
    metrics = Metrics(params=MetricsParams(label_values=5))
    for value in values:
        metrics.increment(catalogue.STREAM_DOMAIN_EVENTS, domain="tenant", value=value)
    shown = {
        dict(labels)["value"]: count
        for (name, labels), count in samples(metrics).items()
        if name == "sentinel_stream_domain_events_total"
    }
    assert sum(shown.values()) == len(values)
    assert len(shown) <= 6
    assert all(0 < len(value) <= 64 and value.isprintable() for value in shown)


def test_a_negative_cap_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        MetricsParams(label_values=-1)


def test_an_open_label_beside_known_values_has_both() -> None:
    label = LabelSpec("reason", ("nul",), is_open=True)
    assert CappedLabel(1, label.known)("nul") == "nul"
