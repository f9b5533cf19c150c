"""The registry: every indicator is watched, counted as the pipeline counts, and shown by stored units."""

from collections import Counter

import pytest

from sentinel.indicators.contract import INDICATOR_NAMES
from sentinel.monitoring.evaluate import settled_until
from sentinel.monitoring.params import MonitoringParams, WebhookParams
from sentinel.monitoring.series import SERIES, SERIES_NAMES, are_rates, minute_sums, slice_part
from sentinel.telemetry.catalogue import SHIFT_SERIES
from tests.contract.store_samples import NOON


def test_every_indicator_and_both_distributions_are_watched_and_declared() -> None:
    assert (*INDICATOR_NAMES, "answer_words", "retrieval_distance") == SERIES_NAMES
    assert set(SERIES_NAMES) <= set(SHIFT_SERIES)
    assert are_rates().tolist() == [True] * len(INDICATOR_NAMES) + [False] * 2


def test_sums_of_a_minute() -> None:
    counts = Counter(events=10, abstained=2, known_retrieval=6, empty_retrieval=3, words_0=1, words_10=9)
    counts["distance_4"] = 5
    sums = dict(zip(SERIES_NAMES, minute_sums(counts).T.tolist(), strict=True))
    assert sums["abstained"] == [10, 2, 2]
    assert sums["empty_retrieval"] == [6, 3, 3]
    assert sums["high_distance"] == [0, 0, 0]
    assert sums["answer_words"][0] == 10
    assert sums["answer_words"][2] > sums["answer_words"][1] ** 2 / 10
    assert sums["retrieval_distance"] == pytest.approx([5, 5 * 0.175, 5 * 0.175**2])


@pytest.mark.parametrize(
    ("series", "stored", "shown"),
    [
        ("abstained", {"abstention": "full"}, True),
        ("abstained", {"abstention": "partial"}, False),
        ("partial_abstention", {"abstention": "partial"}, True),
        ("invalid_citation", {"invalid_citations": 2}, True),
        ("invalid_citation", {"invalid_citations": 0}, False),
        ("missing_citation", {"missing_citation": True}, True),
        ("empty_retrieval", {"empty_retrieval": None}, False),
        ("unknown_retrieval", {"retrieval_known": False}, True),
        ("low_overlap", {"overlap": 0.0}, True),
        ("low_overlap", {"overlap": 0.5}, False),
        ("low_overlap", {"overlap": None}, False),
        ("ungrounded_name", {"ungrounded_names": None}, False),
        ("ungrounded_number", {"ungrounded_numbers": 1}, True),
        ("empty_answer", {"words": 0}, True),
        ("high_distance", {"high_distance": True}, True),
        ("ungrounded_quote", {"ungrounded_quotes": 1}, True),
        ("ungrounded_quote", {"ungrounded_quotes": None}, False),
        ("upstream_error", {"upstream_error": True}, True),
        ("truncated_answer", {"truncated_answer": None}, False),
        ("blocked_answer", {"blocked_answer": True}, True),
        ("tool_error", {"tool_errors": 2}, True),
        ("denied_access", {"denied_passages": 1}, True),
        ("superseded_citation", {"superseded_cited": 0}, False),
        ("superseded_citation", {}, False),
    ],
)
def test_a_stored_unit_shows_an_indicator(series: str, stored: dict[str, object], shown: bool) -> None:
    assert next(known for known in SERIES if known.name == series).shows(stored) is shown


def test_readable_numbers() -> None:
    words = next(series for series in SERIES if series.name == "answer_words")
    distance = next(series for series in SERIES if series.name == "retrieval_distance")
    assert words.readable(4.615) == pytest.approx(100, rel=0.01)
    assert distance.readable(0.4) == 0.4
    assert distance.readable(1.0 + 2.302585) == pytest.approx(10)
    assert slice_part({"events": 4, "word_score": 18_000}, words) == (4.0, 18.0)


def test_a_minute_settles_with_later_ones() -> None:
    from datetime import timedelta

    minute = timedelta(minutes=1)
    assert settled_until(NOON, NOON + 5 * minute, 2) == NOON - minute
    assert settled_until(NOON, NOON + 5 * minute, 0) == NOON + minute
    assert settled_until(NOON + 600 * minute, NOON, 2) == NOON - minute


@pytest.mark.parametrize("url", ["ftp://host/x", "https://", "hook", "file:///etc/passwd"])
def test_only_web_addresses_are_taken(url: str) -> None:
    with pytest.raises(ValueError, match="http"):
        WebhookParams(url=url)


def test_the_address_is_a_secret() -> None:
    assert "token" not in repr(MonitoringParams(webhook=WebhookParams(url="https://host/token")))


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"timeout_seconds": 0}, {"give_up_after_hours": -1}])
def test_webhook_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="webhook"):
        WebhookParams(**wrong)  # type: ignore[arg-type]
