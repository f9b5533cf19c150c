"""A review budget: so many drawn answers a day, week or month."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

#: Answers a week that a budget assumes before it has seen any. A careful guess: with more traffic than that
#: the first hour draws too many, with less too few, and after it the leader knows better.
_ASSUMED_A_WEEK = 100_000.0
_DAYS = {"day": 1.0, "week": 7.0, "month": 365.2425 / 12}


@dataclass(frozen=True, slots=True)
class Budget:
    """How many reviews to expect `per` day, week (from Monday) or month of the report's time zone.

    `expected_answers`: the traffic of that time, if known. It only decides how the first hour of a new
    store is drawn; what comes after follows from what was counted.
    """

    units: float
    per: Literal["day", "week", "month"] = "week"
    expected_answers: float | None = None

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        if not (math.isfinite(self.units) and self.units > 0):
            raise ValueError("units must be above 0, for example {units: 200, per: week}")
        if self.per not in _DAYS:
            raise ValueError("per must be day, week or month")
        expected = self.expected_answers
        if expected is not None and not (math.isfinite(expected) and expected > 0):
            raise ValueError("expected_answers must be above 0, or left out where it is not known")

    @property
    def name(self) -> str:
        """Return the budget in words, as in `200 a week`."""
        return f"{self.units:g} a {self.per}"

    @property
    def start_rate(self) -> float:
        """Return the share of answers drawn until traffic has been counted."""
        expected = self.expected_answers or _ASSUMED_A_WEEK * _DAYS[self.per] / 7.0
        return min(1.0, self.units / expected)

    def window(self, moment: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
        """Return the budget's window [start, end), in UTC, that `moment` lies in.

        Windows are whole local days, so that they tile the time line whatever a zone does to its clocks.
        """
        day = moment.astimezone(zone).date()
        first, following = self._days_of(day)
        # Where the clock goes back over midnight, the local date goes back too.
        if _day_start(following, zone) <= moment:
            first, following = self._days_of(following)
        return _day_start(first, zone), _day_start(following, zone)

    def _days_of(self, day: date) -> tuple[date, date]:
        if self.per == "day":
            return day, day + timedelta(days=1)
        if self.per == "week":
            monday = day - timedelta(days=day.weekday())
            return monday, monday + timedelta(days=7)
        first = day.replace(day=1)
        return first, (first + timedelta(days=31)).replace(day=1)


def _day_start(day: date, zone: tzinfo) -> datetime:
    """The first moment of a local day; the first one, where the clock shows midnight twice."""
    return datetime.combine(day, time(), zone).astimezone(UTC)
