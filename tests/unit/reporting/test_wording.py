"""Numbers as they are written: unknown is a dash, small is not zero."""

from __future__ import annotations

import pytest

from sentinel.reporting.params import ReportParams
from sentinel.reporting.wording import change_interval, count, days, decimal, interval, percent, points

THIN = "\u202f"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, f"0.0{THIN}%"),
        (0.00001, f"<{' '}0.01{THIN}%"),
        (0.0004, f"0.04{THIN}%"),
        (0.0051, f"0.51{THIN}%"),
        (0.123, f"12.3{THIN}%"),
        (1.0, f"100.0{THIN}%"),
    ],
)
def test_percent(value: float | None, text: str) -> None:
    assert percent(value) == text


def test_differences_carry_their_sign() -> None:
    assert (points(0.012), points(-0.012), points(None)) == ("+1.2", "−1.2", "–")
    assert change_interval({"lower": -0.01, "upper": 0.02}) == "−1.0 to +2.0"


def test_counts_and_intervals() -> None:
    assert (count(6012), count(0), count(None)) == (f"6{THIN}012", "0", "–")
    assert (decimal(float("nan")), decimal(1.25, 2)) == ("–", "1.25")
    assert interval({"lower": 0.091, "upper": 0.16}) == f"9.1–16.0{THIN}%"
    assert interval({"lower": None, "upper": None}) == "–"


@pytest.mark.parametrize(
    ("first", "end", "text"),
    [
        ("2026-11-16", "2026-11-17", "16 November 2026"),
        ("2026-11-16", "2026-11-23", "16–22 November 2026"),
        ("2026-11-30", "2026-12-07", "30 November – 6 December 2026"),
        ("2026-12-28", "2027-01-04", "28 December 2026 – 3 January 2027"),
    ],
)
def test_days(first: str, end: str, text: str) -> None:
    assert days(first, end) == text


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": 95.0},
        {"level": 0.0},
        {"minimum_labelled_per_slice": 0},
        {"most_slices": -1},
        {"trend_periods": 0},
    ],
)
def test_parameters_that_cannot_work_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ReportParams(**wrong)  # type: ignore[arg-type]
