"""Periods: local days and ISO weeks, across clock changes and year ends."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.errors import ConfigurationError
from sentinel.reporting.period import ReportPeriod, last_whole_week, requested_period

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


def test_dates_are_utc_unless_told_otherwise_and_the_end_is_exclusive() -> None:
    period = requested_period("2026-11-16", "2026-11-23", None, "UTC", NOW)
    assert (period.start, period.end, period.days, period.week) == (
        utc(2026, 11, 16),
        utc(2026, 11, 23),
        7,
        "2026-W47",
    )


@pytest.mark.parametrize(
    ("week", "monday"),
    [
        ("2026-W48", date(2026, 11, 23)),
        ("2026W48", date(2026, 11, 23)),
        ("2026-W01", date(2025, 12, 29)),
        ("2026-W53", date(2026, 12, 28)),
        ("2025-W01", date(2024, 12, 30)),
    ],
)
def test_iso_weeks(week: str, monday: date) -> None:
    period = requested_period(None, None, week, "UTC", NOW)
    assert (period.first_day, period.days) == (monday, 7)
    assert period.week == f"{week[:4]}-W{week[-2:]}"


@pytest.mark.parametrize(
    ("zone", "first", "end", "start_at", "end_at"),
    [
        # The clock goes back, forward; at midnight itself; by half an hour; zones of quarters of hours.
        ("Europe/Berlin", "2026-10-19", "2026-10-26", utc(2026, 10, 18, 22), utc(2026, 10, 25, 23)),
        ("Europe/Berlin", "2026-03-23", "2026-03-30", utc(2026, 3, 22, 23), utc(2026, 3, 29, 22)),
        ("America/New_York", "2026-11-01", "2026-11-02", utc(2026, 11, 1, 4), utc(2026, 11, 2, 5)),
        ("America/Sao_Paulo", "2018-11-04", "2018-11-05", utc(2018, 11, 4, 3), utc(2018, 11, 5, 2)),
        ("Africa/Cairo", "2026-04-24", "2026-04-25", utc(2026, 4, 23, 22), utc(2026, 4, 24, 21)),
        ("Australia/Lord_Howe", "2026-10-04", "2026-10-05", utc(2026, 10, 3, 13, 30), utc(2026, 10, 4, 13)),
        ("Asia/Kathmandu", "2026-11-16", "2026-11-17", utc(2026, 11, 15, 18, 15), utc(2026, 11, 16, 18, 15)),
        ("Pacific/Kiritimati", "2026-11-16", "2026-11-17", utc(2026, 11, 15, 10), utc(2026, 11, 16, 10)),
        ("America/St_Johns", "2026-03-08", "2026-03-09", utc(2026, 3, 8, 3, 30), utc(2026, 3, 9, 2, 30)),
        ("Asia/Jerusalem", "2026-10-25", "2026-10-26", utc(2026, 10, 24, 21), utc(2026, 10, 25, 22)),
    ],
)
def test_days_begin_at_local_midnight(
    zone: str, first: str, end: str, start_at: datetime, end_at: datetime
) -> None:
    period = requested_period(first, end, None, zone, NOW)
    assert (period.start, period.end) == (start_at, end_at)


def test_without_options_the_last_week_that_has_ended() -> None:
    assert requested_period(None, None, None, "UTC", NOW).week == "2026-W48"
    assert last_whole_week(utc(2026, 11, 29, 23, 59), "UTC").week == "2026-W47"
    assert last_whole_week(utc(2026, 11, 29, 23, 59), "Europe/Berlin").week == "2026-W48"
    assert last_whole_week(utc(2026, 11, 30, 2), "America/New_York").week == "2026-W47"


@pytest.mark.parametrize(
    ("first", "end", "week", "zone", "named"),
    [
        ("2026-11-16", None, None, "UTC", "--to"),
        (None, "2026-11-16", None, "UTC", "--from"),
        ("2026-11-16", "2026-11-16", None, "UTC", "--to"),
        ("2026-11-17", "2026-11-16", None, "UTC", "--to"),
        ("2026-11-16", "2026-11-23", "2026-W48", "UTC", "--week"),
        (None, None, "2026-W54", "UTC", "2026-W54"),
        (None, None, "2025-W53", "UTC", "2025-W53"),
        (None, None, "2026-48", "UTC", "2026-48"),
        (None, None, "٢٠٢٦-W48", "UTC", "ISO week"),
        ("16.11.2026", "2026-11-23", None, "UTC", "--from"),
        ("2026-02-30", "2026-11-23", None, "UTC", "--from"),
        ("2026-11-16T00:00", "2026-11-23", None, "UTC", "--from"),
        ("2026-11-16", "2026-11-23", None, "Berlin", "Berlin"),
        ("2026-11-16", "2026-11-23", None, "../../etc/passwd", "timezone"),
        ("2026-11-16", "2026-11-23", None, "", "timezone"),
        ("0001-01-01", "0001-01-02", None, "UTC", "1900"),
        ("2026-11-16", "2126-11-23", None, "UTC", "days"),
        ("1930-01-01", "1930-01-08", None, "Europe/Amsterdam", "UTC"),
    ],
)
def test_a_request_that_makes_no_sense_is_one_line(
    first: str | None, end: str | None, week: str | None, zone: str, named: str
) -> None:
    with pytest.raises(ConfigurationError, match=named) as caught:
        requested_period(first, end, week, zone, NOW)
    assert "\n" not in str(caught.value)


@given(
    st.dates(date(2000, 1, 1), date(2100, 1, 1)),
    st.integers(1, 40),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]),
)
def test_the_period_before_ends_where_this_one_begins(first: date, days: int, zone: str) -> None:
    period = ReportPeriod(first, first + timedelta(days=days), zone)
    before = period.previous()
    assert (before.end, before.days) == (period.start, period.days)
    assert abs((period.end - period.start) - timedelta(days=days)) <= timedelta(hours=2)
