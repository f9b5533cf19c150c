"""What is found out about an alarm: its size, the slice it comes from, drawn answers that show it."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from sentinel.detection.detector import Detector
from sentinel.detection.size import Culprit, Part, culprit, shift_size
from sentinel.detection.watch import Watch
from sentinel.monitoring.series import SERIES, UNITS, Series, slice_part
from sentinel.store.frame import window_of
from sentinel.store.shifts import AlarmFindings
from sentinel.store.slice_counts import slice_totals
from sentinel.store.unit_queries import UnitFilter, iter_units

#: How far back a slice's usual is looked up.
HISTORY = timedelta(days=7)
_MOST_EXAMPLES = 5
#: What the values of a domain beyond its cap are counted under.
OTHER = "other"
_MOST_UNITS = 5_000


def at_minute(minute: int) -> datetime:
    """Return the time of a minute since 1970."""
    return datetime.fromtimestamp(minute * 60, tz=UTC)


def find_out(
    conn: Connection, app: str, version: str, detector: Detector, watch: Watch, place: int, minute: int
) -> AlarmFindings:
    """Return what can be said of the alarm of series number `place` after a minute (since 1970)."""
    series = SERIES[place]
    onset, until = at_minute(int(watch.onset[place])), at_minute(minute + 1)
    part = None
    if not version:
        variance = float(detector.baseline.variance[place])
        part = _culprit(conn, app, series, onset, until, variance)
    direction = int(watch.direction[place])
    where = {"app": app} if app else {}
    examples = _examples(conn, series, direction, where, version, part, onset, until)
    return AlarmFindings(_size(series, detector, watch, place), _as_json(part, series), examples)


def _size(series: Series, detector: Detector, watch: Watch, place: int) -> dict[str, Any]:
    count, total, expected = (float(number) for number in watch.sums[:, place])
    variance, dispersion = detector.baseline.variance[place], detector.baseline.dispersion[place]
    size = shift_size(Part(count, total), expected, series.kind, float(variance), float(dispersion))
    return {
        "unit": UNITS.get(series.name, "share"),
        "observed": series.readable(size.observed),
        "lower": series.readable(size.lower),
        "upper": series.readable(size.upper),
        "usual": series.readable(size.usual),
        "answers": size.answers,
        "level": size.level,
    }


def _culprit(
    conn: Connection, app: str, series: Series, onset: datetime, until: datetime, variance: float
) -> Culprit | None:
    first = window_of(onset)
    after = _parts(slice_totals(conn, app, first, until), series)
    before = _parts(slice_totals(conn, app, first - HISTORY, first), series)
    # Every answer with a value of a domain is in one slice of it: the widest domain stands for the whole.
    domains = {domain for domain, _ in after}
    if not domains:
        return None
    widest = max(sorted(domains), key=lambda name: sum(p.count for (d, _), p in after.items() if d == name))
    return culprit(before, after, _whole(before, widest), _whole(after, widest), series.kind, variance)


def _parts(
    totals: Mapping[tuple[str, str], Mapping[str, int]], series: Series
) -> dict[tuple[str, str], Part]:
    parts = {key: Part(*slice_part(counts, series)) for key, counts in totals.items()}
    return {key: part for key, part in parts.items() if part.count > 0}


def _whole(parts: Mapping[tuple[str, str], Part], domain: str) -> Part:
    inside = [part for (name, _), part in parts.items() if name == domain]
    return Part(sum(part.count for part in inside), sum(part.total for part in inside))


def _as_json(part: Culprit | None, series: Series) -> dict[str, Any] | None:
    if part is None:
        return None
    return {
        "domain": part.domain,
        "value": part.value,
        "share_of_shift": part.share,
        "answers": part.answers,
        "observed": series.readable(part.observed),
        "before": series.readable(part.before),
    }


def _examples(
    conn: Connection,
    series: Series,
    direction: int,
    where: Mapping[str, str],
    version: str,
    part: Culprit | None,
    onset: datetime,
    until: datetime,
) -> tuple[str, ...]:
    """Drawn answers of the slice: for a rate the latest that show the shift, for a mean the most extreme."""
    wanted = dict(where) | ({part.domain: part.value} if part else {})
    wanted |= dict(pair.split("=", 1) for pair in version.split(";") if "=" in pair)
    ranked: list[tuple[float, float, str]] = []
    units = iter_units(conn, UnitFilter(onset, until), with_content=False)
    for stored in islice(units, _MOST_UNITS):
        facts, shown = stored.unit.facts, stored.unit.indicators
        if any(value not in (OTHER, facts.domains.get(domain)) for domain, value in wanted.items()):
            continue
        time = facts.event_time.timestamp()
        if series.kind == "mean":
            value = shown.get(series.measure)
            if isinstance(value, (int, float)):
                ranked.append((direction * float(value), time, facts.event_id))
        elif series.shows(shown) == (direction > 0):
            ranked.append((0.0, time, facts.event_id))
    return tuple(event_id for _, _, event_id in heapq.nlargest(_MOST_EXAMPLES, ranked))
