"""How much traffic to expect in the hours to come, from the hours that were counted.

The expectation is a product: a rhythm of the week (168 local hours), learned over some weeks, times the
level of the present. A wrong expectation costs evenness within a window, never the budget: what was
really spent enters the next step (see `steering`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from statistics import median

HOUR = timedelta(hours=1)
#: Observations that the coarser estimate counts for: with one week behind it, an hour of the week is half
#: its own and half that hour of any day.
_PRIOR = 1.0
#: The same for days of the week, whose totals are much surer: a quarter of a day.
_DAYS_PRIOR = 0.25
#: Half-life of what counts as the present, how long a deviation from the rhythm is expected to last (1/e),
#: and the answers that the rhythm itself counts for against what was seen.
_PRESENT_HALF_LIFE_HOURS = 12.0
_DEVIATION_HOURS = 48.0
_PRESENT_PRIOR = 20.0
_LEAST_LEVEL, _MOST_LEVEL = 0.1, 10.0
#: An hour without any answer, where at least so many were expected, is an outage and says nothing of level.
_OUTAGE_EXPECTED = 10.0


@dataclass(frozen=True, slots=True)
class HourCount:
    """Answers counted in an hour; `exposure` is the part of it that was observed, within (0, 1]."""

    start: datetime
    events: int
    exposure: float = 1.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """Answers an hour to expect: `per_slot` by hour of the local week, and the present level beside it."""

    per_slot: tuple[float, ...]
    level: float
    now: datetime
    zone: tzinfo

    def expected(self, start: datetime, end: datetime) -> float:
        """Return the answers to expect in [`start`, `end`), from now on."""
        total = 0.0
        moment = start
        while moment < end:
            following = min(moment + HOUR, end)
            ahead = max((moment - self.now) / HOUR, 0.0)
            level = 1.0 + (self.level - 1.0) * math.exp(-ahead / _DEVIATION_HOURS)
            total += self.per_slot[slot_of(moment, self.zone)] * level * ((following - moment) / HOUR)
            moment = following
        return total


@lru_cache(maxsize=4096)
def slot_of(moment: datetime, zone: tzinfo) -> int:
    """Return the hour of the local week, 0 (Monday 0:00) to 167."""
    local = moment.astimezone(zone)
    return local.weekday() * 24 + local.hour


def forecast(hours: Sequence[HourCount], now: datetime, zone: tzinfo) -> Forecast | None:
    """Return what to expect after `now`; None where nothing was ever counted.

    An hour of the week is the mean of what was seen in it, pulled towards the product of that hour of any
    day and that day of the week, which are pulled towards the mean of all hours: flat while the history is
    thin. From three observations on, each is held within a band around their median, so that one outage
    or surge does not come back every week.
    """
    exposure = math.fsum(hour.exposure for hour in hours)
    events = sum(hour.events for hour in hours)
    if not events or exposure <= 0.0:
        return None
    mean = events / exposure
    seen: defaultdict[int, list[float]] = defaultdict(list)
    for hour in hours:
        if hour.exposure >= 0.5:
            seen[slot_of(hour.start, zone)].append(hour.events / hour.exposure)
    daily = [_pulled([one for day in range(7) for one in seen[day * 24 + hour]], mean) for hour in range(24)]
    weekdays = _weekdays(seen, daily)
    per_slot = tuple(_pulled(seen[slot], daily[slot % 24] * weekdays[slot // 24]) for slot in range(168))
    return Forecast(per_slot, _level(hours, per_slot, now, zone), now, zone)


def _weekdays(seen: Mapping[int, Sequence[float]], daily: Sequence[float]) -> list[float]:
    """How each day of the week compares with what its hours are on any day."""
    factors = []
    for day in range(7):
        counted = [(one, daily[hour]) for hour in range(24) for one in _held(seen.get(day * 24 + hour, ()))]
        came, usual = math.fsum(one for one, _ in counted), math.fsum(one for _, one in counted)
        prior = _DAYS_PRIOR * math.fsum(daily)
        factors.append((came + prior) / (usual + prior) if usual + prior > 0.0 else 1.0)
    return factors


def _pulled(seen: Sequence[float], towards: float) -> float:
    return (math.fsum(_held(seen)) + _PRIOR * towards) / (len(seen) + _PRIOR)


def _held(seen: Sequence[float]) -> Iterable[float]:
    if len(seen) < 3:
        return seen
    middle = median(seen)
    # Three standard deviations of a count, or a third of it where counts are large.
    band = max(3.0 * math.sqrt(middle), middle / 3.0, 1.0)
    return [min(max(one, middle - band), middle + band) for one in seen]


def _level(hours: Sequence[HourCount], per_slot: Sequence[float], now: datetime, zone: tzinfo) -> float:
    """The present traffic against the rhythm's, weighted towards the last hours."""
    seen, wanted = [], []
    for hour in hours:
        expected = per_slot[slot_of(hour.start, zone)] * hour.exposure
        if hour.events == 0 and expected >= _OUTAGE_EXPECTED:
            continue
        weight = 0.5 ** (max((now - hour.start) / HOUR, 0.0) / _PRESENT_HALF_LIFE_HOURS)
        seen.append(weight * hour.events)
        wanted.append(weight * expected)
    level = (math.fsum(seen) + _PRESENT_PRIOR) / (math.fsum(wanted) + _PRESENT_PRIOR)
    return min(max(level, _LEAST_LEVEL), _MOST_LEVEL)
