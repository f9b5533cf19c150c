"""The rhythm of the week as the budget controller learns it from hourly counts."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sentinel.sampling.rhythm import HOUR, HourCount, forecast, slot_of

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
DAY = timedelta(days=1)


def hours(rate: Callable[[datetime], float], days: float, began: datetime = MONDAY) -> list[HourCount]:
    return [
        HourCount(began + number * HOUR, round(rate(began + number * HOUR)))
        for number in range(round(days * 24))
    ]


def office(moment: datetime) -> float:
    return (400.0 if 8 <= moment.hour < 18 else 20.0) * (1.0 if moment.weekday() < 5 else 0.25)


def test_nothing_counted_is_nothing_expected() -> None:
    assert forecast([], MONDAY, UTC) is None
    assert forecast(hours(lambda _: 0.0, 3), MONDAY + 3 * DAY, UTC) is None


def test_a_thin_history_is_flat() -> None:
    found = forecast([HourCount(MONDAY, 30, 0.5)], MONDAY + HOUR / 2, UTC)
    assert found is not None
    assert set(found.per_slot) == {60.0}
    assert found.expected(MONDAY + HOUR, MONDAY + 3 * HOUR) == pytest.approx(120.0)
    three = forecast(hours(office, 0.5), MONDAY + DAY / 2, UTC)
    assert three is not None
    assert max(three.per_slot) < 400.0
    assert min(three.per_slot[12:24]) > 100.0, "the afternoon is not known yet: it is the mean so far"


@pytest.mark.parametrize(("weeks", "within"), [(1, 0.35), (2, 0.15), (3, 0.12), (4, 0.1)])
def test_the_rhythm_is_learned_week_by_week(weeks: int, within: float) -> None:
    now = MONDAY + weeks * 7 * DAY
    found = forecast(hours(office, weeks * 7), now, UTC)
    assert found is not None
    off = 0.0
    for day in range(7):
        expected = found.expected(now + day * DAY, now + (day + 1) * DAY)
        true = sum(office(now + day * DAY + hour * HOUR) for hour in range(24))
        off = max(off, abs(expected / true - 1.0))
    assert off < within, off
    assert found.expected(now, now + 7 * DAY) == pytest.approx(
        sum(office(now + hour * HOUR) for hour in range(168)), rel=0.06
    )


@pytest.mark.parametrize("kind", ["outage", "surge"])
def test_one_odd_day_does_not_come_back_every_week(kind: str) -> None:
    odd = MONDAY + 9 * DAY

    def rate(moment: datetime) -> float:
        factor = 0.0 if kind == "outage" else 8.0
        return office(moment) * (factor if odd <= moment < odd + DAY else 1.0)

    now = MONDAY + 28 * DAY
    found = forecast(hours(rate, 28), now, UTC)
    plain = forecast(hours(office, 28), now, UTC)
    assert found is not None
    assert plain is not None
    wednesday = now + 2 * DAY
    ratio = found.expected(wednesday, wednesday + DAY) / plain.expected(wednesday, wednesday + DAY)
    assert 0.85 < ratio < 1.2, ratio


def test_local_hours_keep_their_place_over_a_clock_change() -> None:
    """The clocks went back on 25 October 2026: the office opened at 6:00 UTC before and at 7:00 after."""
    zone = ZoneInfo("Europe/Berlin")
    began = datetime(2026, 10, 4, 22, tzinfo=UTC)
    found = forecast(
        hours(lambda moment: office(moment.astimezone(zone)), 20.9, began), began + 20.9 * DAY, zone
    )
    assert found is not None
    opening = datetime(2026, 10, 27, 7, tzinfo=UTC)
    assert slot_of(opening, zone) == 24 + 8
    assert found.expected(opening, opening + HOUR) > 4 * found.expected(opening - HOUR, opening)


@pytest.mark.parametrize(("factor", "low", "high"), [(3.0, 2.0, 3.2), (1.0, 0.9, 1.1), (0.3, 0.28, 0.5)])
def test_the_present_level_moves_what_is_expected_soon_but_not_for_ever(
    factor: float, low: float, high: float
) -> None:
    now = MONDAY + 22 * DAY
    past = hours(lambda moment: office(moment) * (factor if moment >= now - DAY else 1.0), 22)
    found = forecast(past, now, UTC)
    assert found is not None
    assert low <= found.level <= high
    far = found.expected(now + 10 * DAY, now + 11 * DAY)
    near = found.expected(now + 3 * DAY, now + 4 * DAY)
    assert far / near == pytest.approx(1.0, abs=0.4 * abs(factor - 1.0) + 0.05)


def test_an_outage_says_nothing_about_the_level() -> None:
    now = MONDAY + 22 * DAY + 12 * HOUR
    past = hours(lambda moment: office(moment) if moment < now - DAY else 0.0, 22.5)
    found = forecast(past, now, UTC)
    assert found is not None
    assert found.level > 0.8


def test_a_forecast_is_the_same_whatever_order_hours_come_in() -> None:
    shuffled = list(hours(office, 14))
    random.Random(3).shuffle(shuffled)
    now = MONDAY + 14 * DAY
    assert forecast(shuffled, now, UTC) == forecast(hours(office, 14), now, UTC)
