"""The leader's look at new minutes: detectors move on, alarms begin and end.

State, alarms and how far the look has come are written in one transaction, so that a look that was cut
short anywhere is simply taken again: one run and many pieces of it give the same alarms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby

from sqlalchemy import Connection

from sentinel.detection.watch import Change, Watch
from sentinel.monitoring.findings import at_minute, find_out
from sentinel.monitoring.params import MonitoringParams
from sentinel.monitoring.series import SERIES
from sentinel.monitoring.versions import with_new_version
from sentinel.monitoring.watched_app import WatchedApp
from sentinel.store import shifts
from sentinel.store.minute_counts import first_and_last_minute, iter_minutes
from sentinel.store.shifts import AlarmFindings, EndReason

_MINUTE = timedelta(minutes=1)
#: Minutes of one transaction: a long way to catch up is gone in steps.
_STEP = timedelta(hours=12)
#: Minutes of event time after which the findings of an active alarm are worked out anew.
_RENEW_MINUTES = 15

Begin = Callable[[], AbstractContextManager[Connection]]
_ENDS: Mapping[str, EndReason] = {"end": "back", "accepted": "accepted"}


@dataclass(frozen=True, slots=True)
class Told:
    """An alarm's series and direction, for counting."""

    series: str
    direction: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a look brought: alarms that began, how many ended, and the time up to which all is seen."""

    begun: tuple[Told, ...] = ()
    ended: int = 0
    evaluated_to: datetime | None = None


def evaluate(begin: Begin, params: MonitoringParams, now: datetime) -> Outcome:
    """Look at all minutes that have settled since the last look; return what it brought.

    `begin` opens a write transaction (of the store, or one that is bound to a lease). A minute is settled
    when one `settle_minutes` later has been counted, so a replayed file behaves like live traffic; an event
    whose clock is ahead of `now` does not settle minutes that are still to come. Raises what the store
    raises.
    """
    total = Outcome()
    while True:
        with begin() as conn:
            step = _step(conn, params, now)
        if step is None:
            return total
        total = Outcome(total.begun + step.begun, total.ended + step.ended, step.evaluated_to)


def settled_until(last: datetime, now: datetime, settle_minutes: int) -> datetime:
    """Return the first minute that is not settled yet, from the latest that is counted."""
    latest = min(last, now.replace(second=0, microsecond=0))
    return latest + (1 - settle_minutes) * _MINUTE


def _step(conn: Connection, params: MonitoringParams, now: datetime) -> Outcome | None:
    ends = first_and_last_minute(conn)
    if ends is None:
        return None
    before = shifts.evaluated_to(conn)
    start = before or ends[0]
    end = min(settled_until(ends[1], now, params.settle_minutes), start + _STEP)
    if end <= start or not shifts.move_progress(conn, before, end):
        return None
    look = _Look(conn, params)
    for minute, counts in _by_minute(conn, start, end):
        look.at(minute, counts)
    look.write()
    return Outcome(tuple(look.begun), look.ended, end)


def _by_minute(
    conn: Connection, start: datetime, end: datetime
) -> Iterator[tuple[int, dict[str, dict[str, Mapping[str, int]]]]]:
    """Yield (minute since 1970, app → version → counts)."""
    for minute, rows in groupby(iter_minutes(conn, start, end), key=lambda row: row.minute):
        counts: defaultdict[str, dict[str, Mapping[str, int]]] = defaultdict(dict)
        for row in rows:
            counts[row.app][row.version] = row.counts
        yield int(minute.timestamp()) // 60, counts


class _Look:
    """One transaction's look: the apps it touches and the alarms that are active."""

    def __init__(self, conn: Connection, params: MonitoringParams) -> None:
        self._conn = conn
        self._params = params
        self._apps = {
            app: WatchedApp.stored(profile, state, params.detection)
            for app, (profile, state) in shifts.read_states(conn).items()
        }
        self._touched: set[str] = set()
        active = shifts.active_alarms(conn)
        self._active = {(alarm.app, alarm.version, alarm.series): alarm.id for alarm in active}
        self.begun: list[Told] = []
        self.ended = 0

    def at(self, minute: int, counts: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
        """Take in a minute of all apps."""
        for app, of_versions in counts.items():
            watched = self._apps.setdefault(app, WatchedApp.new(self._params.detection))
            self._touched.add(app)
            for version, changes in watched.add_minute(minute, of_versions).items():
                for change in changes:
                    self._note(app, version, watched, change)
            if minute % _RENEW_MINUTES == 0:
                self._renew(app, watched, minute)

    def write(self) -> None:
        """Write the states of the apps that had answers."""
        for app in sorted(self._touched):
            profile, state = self._apps[app].documents()
            shifts.write_state(self._conn, app, profile, state)

    def _note(self, app: str, version: str, watched: WatchedApp, change: Change) -> None:
        series = SERIES[change.series].name
        key = (app, version, series)
        if change.kind != "begin":
            alarm = self._active.pop(key, None)
            if alarm is not None:
                shifts.end_alarm(self._conn, alarm, at_minute(change.minute + 1), _ENDS[change.kind])
                self.ended += 1
            return
        if series in self._params.ignored_series:
            return
        watch = _watch_of(watched, version)
        direction: shifts.Direction = "up" if watch.direction[change.series] > 0 else "down"
        self._active[key] = shifts.begin_alarm(
            self._conn,
            app,
            version,
            series,
            direction,
            at_minute(int(watch.onset[change.series])),
            at_minute(change.minute + 1),
            self._findings(app, version, watched, change.series, change.minute),
        )
        self.begun.append(Told(series, direction))

    def _renew(self, app: str, watched: WatchedApp, minute: int) -> None:
        for (owner, version, series), alarm in sorted(self._active.items()):
            if owner != app or (version and version not in watched.detector.comparisons):
                continue
            place = next((place for place, known in enumerate(SERIES) if known.name == series), None)
            if place is None or not _watch_of(watched, version).direction[place]:
                continue
            shifts.update_alarm(self._conn, alarm, self._findings(app, version, watched, place, minute))

    def _findings(
        self, app: str, version: str, watched: WatchedApp, place: int, minute: int
    ) -> AlarmFindings:
        watch = _watch_of(watched, version)
        findings = find_out(self._conn, app, version, watched.detector, watch, place, minute)
        if findings.slice is not None:
            return findings
        return replace(findings, slice=with_new_version(version, watched.versions, watch, place))


def _watch_of(watched: WatchedApp, version: str) -> Watch:
    return watched.detector.comparisons[version].watch if version else watched.detector.watch
