"""Published reports do not change: what is new since makes a new revision that says what changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from sentinel.clock import Clock
from sentinel.records import Report
from sentinel.reporting.assemble import assemble
from sentinel.reporting.gather import gather
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.wording import count, interval, percent
from sentinel.store.database import Database
from sentinel.store.reports import Period, latest_report, save_report

#: What differs between two looks that found the same.
_NOT_CONTENT = ("as_of", "revision", "changes")
_RATES = {"case": "case rate", "claim": "claim rate", "critical_claim": "critical claim rate"}
_COUNTS = {
    ("coverage", "drawn"): "drawn answers",
    ("coverage", "labelled"): "labelled answers",
    ("coverage", "adjudicated"): "final labels",
    ("coverage", "provisional"): "provisional labels",
    ("coverage", "lost"): "lost answers",
    ("coverage", "purged"): "purged answers",
    ("population", "events"): "answers of the traffic",
    ("population", "not_covered"): "records not covered",
}


def publish(database: Database, period: ReportPeriod, params: ReportParams, clock: Clock) -> Report:
    """Return the report of a period: the newest revision if nothing changed since, else a new one.

    Gathering and saving see one state of the store each; labels that arrive in between wait for the
    next revision.
    """
    now = clock.now()
    with database.read() as conn:
        before = gather(conn, period.previous())
        document = assemble(gather(conn, period), before, params, now)
    with database.begin() as conn:
        return _saved(conn, period, document, clock)


def _saved(conn: Connection, period: ReportPeriod, document: dict[str, Any], clock: Clock) -> Report:
    stored_period = Period(period.start, period.end, period.timezone)
    latest = latest_report(conn, stored_period)
    if latest is not None:
        if _content(latest.report.document) == _content(document):
            return latest.report
        document = document | {"changes": changes(latest.report.document, document)}
    return save_report(conn, stored_period, document, clock.now())


def _content(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in _NOT_CONTENT}


def changes(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Return which revision `later` follows and, in words, which of its main figures moved."""
    moved = []
    for key, name in _RATES.items():
        was, now = _rate_text(earlier["rates"][key]), _rate_text(later["rates"][key])
        if was != now:
            moved.append(f"{name}: {was}, now {now}")
    for (part, key), name in _COUNTS.items():
        counted, counts = earlier[part].get(key), later[part].get(key)
        if counted != counts:
            moved.append(f"{name}: {count(counted)}, now {count(counts)}")
    parts = [key for key in later if key not in _NOT_CONTENT and earlier.get(key) != later[key]]
    return {
        "since_revision": earlier["revision"],
        "since": earlier["as_of"],
        "moved": moved,
        "parts": parts,
    }


def _rate_text(rate: Mapping[str, Any]) -> str:
    if rate["estimate"] is None:
        return "no data" if rate["status"] == "no_data" else "not shown"
    return f"{percent(rate['estimate'])} ({interval(dict(rate))})"
