"""Weekly windows tile the time line, and each has one planned moment, whatever a zone does to its clocks."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.reporting.params import ReportParams, ReportSchedule, Weekday
from sentinel.reporting.planned import planned_week, planned_weeks
from sentinel.store.frame import WINDOW, window_of

#: Both ways at night, half an hour, at midnight, on a Monday, before the epoch's zones, a day left out.
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Santiago",
    "America/Havana",
    "Asia/Beirut",
    "Africa/Cairo",
    "America/Asuncion",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Pacific/Kwajalein",
    "Africa/Casablanca",
    "Asia/Pyongyang",
    "UTC",
)
WEEK = timedelta(days=7)
MONDAYS = st.integers(0, 52 * 45).map(lambda number: date(1985, 1, 7) + number * WEEK)
PLANS = st.builds(
    ReportSchedule,
    weekday=st.sampled_from(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]),
    hour=st.integers(0, 23),
    label_days=st.integers(0, 20),
    make_up_weeks=st.integers(1, 30),
)


@settings(max_examples=400, deadline=None)
@given(MONDAYS, st.sampled_from(ZONES), PLANS)
def test_each_week_ends_where_the_next_begins_and_is_planned_after_it(
    monday: date, zone: str, plan: ReportSchedule
) -> None:
    weeks = [planned_week(monday + number * WEEK, zone, plan) for number in range(60)]
    for week, following in pairwise(weeks):
        assert week.period.end == following.period.start
        assert week.planned_at < following.planned_at
        assert abs((following.planned_at - week.planned_at) - WEEK) <= timedelta(days=1, hours=1)
    for week in weeks:
        assert week.planned_at >= week.period.end + timedelta(days=plan.label_days, hours=-25)
        assert week.planned_at < week.period.end + timedelta(days=plan.label_days + 7, hours=25)
    assert len({week.name for week in weeks}) == 60


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(ZONES),
    st.lists(st.datetimes(datetime(2021, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC)), min_size=1),
)
def test_every_moment_lies_in_exactly_one_week(zone: str, moments: list[datetime]) -> None:
    plan = ReportSchedule()
    mondays = [date(2020, 12, 21) + number * WEEK for number in range(320)]
    periods = [planned_week(monday, zone, plan).period for monday in mondays]
    for moment in moments:
        holding = [one for one in periods if one.start <= moment < one.end]
        assert len(holding) == 1
        # The frame counts by quarters of an hour: none may lie in two weeks.
        window = window_of(moment)
        assert holding[0].start <= window
        assert window + WINDOW <= holding[0].end


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(ZONES),
    PLANS,
    st.datetimes(datetime(2022, 1, 1), datetime(2026, 6, 1), timezones=st.just(UTC)),
    st.lists(st.floats(0.01, 24 * 9), min_size=1, max_size=30),
)
def test_however_seldom_somebody_looks_each_week_comes_up_once(
    zone: str, plan: ReportSchedule, began: datetime, pauses: list[float]
) -> None:
    """Looks at any times, with pauses up to what is made up: each week whose moment came is found once."""
    params = ReportParams(timezone=zone, schedule=plan)
    done: Counter[str] = Counter()
    now = began
    for pause in pauses:
        now += min(timedelta(hours=pause), plan.make_up_weeks * WEEK)
        for week in planned_weeks(began, now, params):
            done[week.name] += week.name not in done
            assert began < week.period.end <= week.planned_at + timedelta(hours=1)
    planned = set()
    monday = date.fromordinal(began.toordinal() - 14)
    monday -= timedelta(days=monday.weekday())
    for number in range(60):
        week = planned_week(monday + number * WEEK, zone, plan)
        if week.period.end > began and week.planned_at <= now and week.planned_at > began:
            planned.add(week.name)
    assert planned <= set(done)
    assert set(done.values()) <= {1}


@pytest.mark.parametrize(
    ("zone", "monday", "weekday", "hour", "planned_at"),
    [
        # 02:30 does not exist on 29 March 2026 in Berlin; 02:00 stands for 03:00 CEST.
        ("Europe/Berlin", date(2026, 3, 16), "sunday", 2, "2026-03-29T01:00:00+00:00"),
        # 02:00 comes twice on 25 October 2026; the first one, in CEST.
        ("Europe/Berlin", date(2026, 10, 12), "sunday", 2, "2026-10-25T00:00:00+00:00"),
        ("Europe/Berlin", date(2026, 3, 23), "monday", 6, "2026-03-30T04:00:00+00:00"),
        ("Europe/Berlin", date(2026, 10, 19), "monday", 6, "2026-10-26T05:00:00+00:00"),
        ("America/New_York", date(2026, 2, 23), "sunday", 2, "2026-03-08T07:00:00+00:00"),
        ("America/New_York", date(2026, 10, 19), "sunday", 1, "2026-11-01T05:00:00+00:00"),
        # Midnight of 6 September 2026 does not exist in Santiago; of 5 April 23:00 came twice.
        ("America/Santiago", date(2026, 8, 24), "sunday", 0, "2026-09-06T04:00:00+00:00"),
        ("America/Santiago", date(2026, 3, 23), "saturday", 23, "2026-04-05T02:00:00+00:00"),
        # Half an hour: 2:00 on 4 October 2026 stands for 2:30 of summer time.
        ("Australia/Lord_Howe", date(2026, 9, 21), "sunday", 2, "2026-10-03T15:30:00+00:00"),
        ("UTC", date(2026, 11, 23), "wednesday", 6, "2026-12-02T06:00:00+00:00"),
    ],
)
def test_the_planned_moment_on_days_of_a_clock_change(
    zone: str, monday: date, weekday: Weekday, hour: int, planned_at: str
) -> None:
    plan = ReportSchedule(weekday=weekday, hour=hour, label_days=0)
    planned = planned_week(monday, zone, plan).planned_at
    assert planned == datetime.fromisoformat(planned_at), planned.astimezone(ZoneInfo(zone))


@pytest.mark.parametrize(
    ("zone", "monday", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 23), 167),
        ("Europe/Berlin", date(2026, 10, 19), 169),
        ("America/New_York", date(2026, 3, 2), 167),
        ("America/New_York", date(2026, 10, 26), 169),
        ("Australia/Lord_Howe", date(2026, 9, 28), 167.5),
        ("Australia/Lord_Howe", date(2026, 3, 30), 168.5),
        ("America/Santiago", date(2026, 8, 31), 167),
        ("America/Santiago", date(2026, 3, 30), 169),
        ("Pacific/Apia", date(2011, 12, 26), 144),
    ],
)
def test_a_week_of_a_clock_change_is_as_long_as_it_was(zone: str, monday: date, hours: float) -> None:
    period = planned_week(monday, zone, ReportSchedule()).period
    assert period.end - period.start == timedelta(hours=hours)
