"""The drawn answers and their labels as the table that `sentinel estimate` reads."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from sqlalchemy import Connection

from sentinel.records import DOMAIN_FIELDS, VERSION_FIELDS
from sentinel.reporting.gather import reviewed_units
from sentinel.reporting.inputs import ReviewedUnit
from sentinel.reporting.period import ReportPeriod

COLUMNS = (
    "event_id",
    "occurred_at",
    "week",
    "pi",
    "labelled",
    "answered",
    "verifiable_claims",
    "unsupported_claims",
    "critical_unsupported",
    *DOMAIN_FIELDS,
    *VERSION_FIELDS,
)
# A period has ten years at most; the calendar of event times begins in 1970.
_DECADES = tuple(
    ReportPeriod(date(year, 1, 1), date(year + 10, 1, 1), "UTC") for year in range(1970, 2200, 10)
)


def estimate_rows(conn: Connection) -> Iterator[tuple[str, ...]]:
    """Yield one row of `COLUMNS` for each drawn answer, in order of event time.

    Of an answer without a label, what a label says is empty. Of several labels the one that counts in a
    report is taken. `week` is the ISO week of the event time in UTC.
    """
    for decade in _DECADES:
        for unit in reviewed_units(conn, decade):
            yield _row(unit)


def _row(unit: ReviewedUnit) -> tuple[str, ...]:
    label = None if unit.adjudication is None else unit.adjudication.annotation
    year, week, _ = unit.event_time.isocalendar()
    said = (
        ("",) * 4
        if label is None
        else (
            str(int(label.answered)),
            str(label.verifiable_claims),
            str(label.unsupported_claims),
            str(label.critical_unsupported),
        )
    )
    return (
        unit.event_id,
        unit.event_time.isoformat(),
        f"{year}-W{week:02}",
        repr(unit.inclusion_probability),
        str(int(label is not None)),
        *said,
        *(unit.domains.get(name, "") for name in (*DOMAIN_FIELDS, *VERSION_FIELDS)),
    )
