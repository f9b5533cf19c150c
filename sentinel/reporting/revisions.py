"""Published reports do not change: what is new since makes a new revision that says what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection

from sentinel.clock import Clock
from sentinel.errors import RetryError
from sentinel.records import Report
from sentinel.reporting.assemble import assemble
from sentinel.reporting.gather import gather
from sentinel.reporting.notes import on_labels_outside_the_sample
from sentinel.reporting.params import ReportParams
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.trend import history
from sentinel.reporting.wording import count, interval, percent
from sentinel.store.database import Database
from sentinel.store.reports import Period, latest_report, save_report

_ATTEMPTS = 20
#: What differs between two looks that found the same. A change of an earlier period is told by that
#: period's own revision and by the comparison, if it is the one before. An alarm that ends later,
#: or whose size is known better, is no news of the period's rates.
_NOT_CONTENT = ("as_of", "revision", "changes", "trend", "alarms")
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


def publish(
    database: Database,
    period: ReportPeriod,
    params: ReportParams,
    clock: Clock,
    fence: Callable[[Connection], None] | None = None,
) -> Report:
    """Return the report of a period: the newest revision if nothing changed since, else a new one.

    A new revision follows the one that stood in the view of the store it was gathered from; where
    another process publishes in between, all is gathered anew. Labels that arrive while this goes on
    wait for the next revision. `fence` is called first in the transaction that writes: what it raises
    keeps the report from being written, and what it writes is there as soon as the report is.

    Raises:
        RetryError: others published the same period again and again in the meantime.
    """
    stored_period = Period(period.start, period.end, period.timezone)
    for _ in range(_ATTEMPTS):
        now = clock.now()
        with database.read() as conn:
            latest = latest_report(conn, stored_period)
            before = gather(conn, period.previous())
            earlier = history(conn, period, params)
            document = assemble(gather(conn, period), before, params, now, earlier)
        if latest is not None:
            if _content(latest.report.document) == _content(document):
                return latest.report
            document = document | {"changes": changes(latest.report.document, document)}
        after = 0 if latest is None else latest.report.revision
        with database.begin() as conn:
            if fence is not None:
                fence(conn)
            published = save_report(conn, stored_period, document, clock.now(), after)
        if published is not None:
            return published
    raise RetryError("other processes keep publishing the report of the same period")


def _content(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a new revision is made for: not a label that somebody gave outside the sample."""
    content = {key: value for key, value in document.items() if key not in _NOT_CONTENT}
    of_the_store = set(on_labels_outside_the_sample(document))
    content["notes"] = [note for note in document["notes"] if note not in of_the_store]
    content["coverage"] = {
        key: value for key, value in document["coverage"].items() if key != "non_probability"
    }
    return content


def changes(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Return which revision `later` follows and, in words, which of its main figures moved."""
    moved = []
    for key, name in _RATES.items():
        rate, rate_now = _rate_text(earlier["rates"][key]), _rate_text(later["rates"][key])
        if rate != rate_now:
            moved.append(f"{name}: {rate}, now {rate_now}")
    for (part, key), name in _COUNTS.items():
        counted, counts = earlier[part].get(key), later[part].get(key)
        if counted != counts:
            moved.append(f"{name}: {count(counted)}, now {count(counts)}")
    was, now = _content(earlier), _content(later)
    parts = [key for key in now if was.get(key) != now[key]]
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
