"""What a budget is steered by: the frame's counts of the last weeks, by window, as far as they are needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection

from sentinel.sampling.rhythm import HOUR, HourCount
from sentinel.sampling.steering import RuleTraffic
from sentinel.store import frame
from sentinel.store.frame import WINDOW, CellCounts, window_of

#: How far back traffic tells about the present, and about what is usual for a rule.
MEMORY = timedelta(days=28)
_USUAL = timedelta(days=7)
#: Windows this young may still be added to. Older ones are read again once a day: late answers are few.
_UNSETTLED = timedelta(hours=26)
_READ_ANEW = timedelta(days=1)


class Traffic:
    """Counts of the last four weeks of event time, kept in memory between steps."""

    def __init__(self, signals: Sequence[str]) -> None:
        self._signals = tuple(signals)
        self._answers: dict[datetime, dict[str, CellCounts]] = {}
        self._signalled: dict[datetime, Counter[str]] = {}
        self._hourly: Counter[datetime] = Counter()
        self._read_whole_at: datetime | None = None

    def read(self, conn: Connection, now: datetime) -> None:
        """Bring the counts up to `now`, a time of events; what is counted in later windows comes too."""
        start, end = _hour_of(now - MEMORY), window_of(now) + timedelta(days=2)
        whole = self._read_whole_at is None or not (timedelta(0) <= now - self._read_whole_at < _READ_ANEW)
        if whole:
            self._read_whole_at = now
        since = start if whole else _hour_of(now - _UNSETTLED)
        for window in [at for at in self._answers if at < start or at >= since]:
            del self._answers[window]
            self._signalled.pop(window, None)
        for hour in [at for at in self._hourly if at < start or at >= since]:
            del self._hourly[hour]
        for one in frame.by_window(conn, since, end):
            self._answers.setdefault(one.window_start, {})[one.design_id] = one.counts
            self._hourly[_hour_of(one.window_start)] += one.counts.events
        for one in frame.by_window(conn, since, end, "indicator", self._signals):
            self._signalled.setdefault(one.window_start, Counter())[one.value] += one.counts.events

    def hours(self, now: datetime) -> list[HourCount]:
        """Return the counts by UTC hour from the first counted window up to `now`, idle hours with 0."""
        first = min(self._answers, default=now)
        found, hour = [], _hour_of(first)
        while hour < now:
            observed = min(now, hour + HOUR) - max(first, hour)
            found.append(HourCount(hour, self._hourly[hour], observed / HOUR))
            hour += HOUR
        return found

    def since(self, start: datetime) -> tuple[int, float]:
        """Return answers and the sum of π of all windows from `start` on."""
        cells = [counts for at, of in self._answers.items() if at >= start for counts in of.values()]
        return sum(one.events for one in cells), sum(one.expected_micros for one in cells) / 1e6

    def mean_size(self, design_id: str, now: datetime) -> float | None:
        """Return the mean size measure of the last days under a design; None where nothing was counted."""
        cells = [of[design_id] for at, of in self._answers.items() if at >= now - _USUAL and design_id in of]
        events = sum(one.events for one in cells)
        return sum(one.size_micros for one in cells) / 1e6 / events if events else None

    def of_signals(self, now: datetime) -> dict[str, RuleTraffic]:
        """Return how often each signal came, usually and in the last hour."""
        by_signal = {
            signal: {at: counts[signal] for at, counts in self._signalled.items()} for signal in self._signals
        }
        return {signal: self._compared(counts, now) for signal, counts in by_signal.items()}

    def of_rules(
        self, conn: Connection, rules: Sequence[tuple[str, str]], now: datetime
    ) -> dict[tuple[str, str], RuleTraffic]:
        """Return the same for the answers with these values of these fields.

        Not for document classes, of which an answer may have several: the frame has no cells of them.
        """
        fields: dict[str, list[str]] = {}
        for field, value in rules:
            fields.setdefault(field, []).append(value)
        counted: dict[tuple[str, str], Counter[datetime]] = {}
        start, end = window_of(now - timedelta(days=1)), window_of(now) + WINDOW
        for field, values in fields.items():
            for one in frame.by_window(conn, start, end, field, values):
                counted.setdefault((field, one.value), Counter())[one.window_start] += one.counts.events
        return {rule: self._compared(counts, now) for rule, counts in counted.items()}

    def _compared(self, counts: Mapping[datetime, int], now: datetime) -> RuleTraffic:
        recent = {at: events for at, events in counts.items() if now - _USUAL <= at < now}
        last = [events for at, events in recent.items() if at >= now - HOUR]
        first = min(self._answers, default=now)
        observed = (now - max(first, now - _USUAL)) / HOUR
        usual = (sum(recent.values()) - sum(last)) / max(observed - 1.0, 1.0)
        return RuleTraffic(usual, float(sum(last)))


def _hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)
