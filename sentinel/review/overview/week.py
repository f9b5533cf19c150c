"""The present week at a glance: traffic, draw, labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.review.identity.permission import Person
from sentinel.store import frame
from sentinel.store.review_schema import second_reviews, submissions
from sentinel.store.schema import unit_contents, units

_MICRO = 1e-6
#: A review whose answer was purged meanwhile waits for nothing that anybody could do.
_HAS_CONTENT = sa.exists().where(unit_contents.c.unit_id == second_reviews.c.unit_id)


@dataclass(frozen=True, slots=True)
class Week:
    """Counts of the answers of one ISO week (UTC) so far; `expected` is the sum of their π.

    `coverage` is the share of the drawn that are labelled, None where nothing was drawn. `waiting` and
    `to_decide` are second opinions and decisions that are outstanding and can be given, of all weeks. All
    that tells of labels is None for whoever labels blind.
    """

    start: datetime
    answers: int
    expected: float
    drawn: int
    labelled: int | None
    pending: int | None
    lost: int
    purged: int
    coverage: float | None
    labels_today: int | None
    waiting: int | None
    to_decide: int | None


def week_seen(conn: Connection, person: Person, now: datetime) -> Week:
    """Return the counts of the week that `now` lies in, as a person may know them."""
    week = week_of(conn, now)
    if not person.is_blind:
        return week
    return replace(
        week, labelled=None, pending=None, coverage=None, labels_today=None, waiting=None, to_decide=None
    )


def week_of(conn: Connection, now: datetime) -> Week:
    """Return the counts of the week that `now` lies in."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    start = midnight - timedelta(days=now.weekday())
    within = (units.c.event_time >= start, units.c.event_time < start + timedelta(days=7))
    query = sa.select(units.c.status, sa.func.count().label("units")).where(*within)
    found = {row.status: row.units for row in conn.execute(query.group_by(units.c.status))}
    cells = frame.totals(conn, start, start + timedelta(days=7), domain="").values()
    drawn = sum(found.values())
    return Week(
        start,
        sum(cell.events for cell in cells),
        sum(cell.expected_micros for cell in cells) * _MICRO,
        drawn,
        found.get("labelled", 0),
        found.get("pending", 0),
        found.get("lost", 0),
        found.get("purged", 0),
        found.get("labelled", 0) / drawn if drawn else None,
        _count(conn, submissions, submissions.c.created_at >= midnight),
        _count(conn, second_reviews, second_reviews.c.state == "waiting", _HAS_CONTENT),
        _count(conn, second_reviews, second_reviews.c.state.in_(("disagreed", "escalated")), _HAS_CONTENT),
    )


def _count(conn: Connection, table: sa.Table, *wanted: sa.ColumnElement[bool]) -> int:
    return conn.scalar(sa.select(sa.func.count()).select_from(table).where(*wanted)) or 0
