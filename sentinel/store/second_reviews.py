"""How the review of each labelled or escalated unit stands, with the draw of its second review."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.open_units import open_marks
from sentinel.store.review_schema import second_reviews
from sentinel.store.schema import units
from sentinel.store.upsert import insert_into

State = Literal["single", "waiting", "disagreed", "escalated", "settled"]


@dataclass(frozen=True, slots=True)
class ReviewCourse:
    """How the review of a unit stands; `probability` is that with which a second opinion was asked for."""

    unit_id: int
    state: State
    reason: str
    probability: float
    random_number: float
    created_at: datetime
    changed_at: datetime


def find_course(conn: Connection, unit_id: int, *, lock: bool = False) -> ReviewCourse | None:
    """Return how the review of a unit stands; None before its first opinion. `lock` holds the row."""
    query = sa.select(second_reviews).where(second_reviews.c.unit_id == unit_id)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else ReviewCourse(*row)


def begin_course(conn: Connection, course: ReviewCourse) -> bool:
    """Write how a review begins; False where it has begun already, and nothing is changed."""
    values = {name: getattr(course, name) for name in ReviewCourse.__slots__}
    statement = insert_into(conn, second_reviews).values(values).on_conflict_do_nothing()
    is_new = conn.execute(statement.returning(second_reviews.c.unit_id)).one_or_none() is not None
    if is_new:
        _mark(conn, course.unit_id)
    return is_new


def move_course(
    conn: Connection,
    unit_id: int,
    state: State,
    now: datetime,
    *,
    reason: str | None = None,
    probability: float | None = None,
) -> None:
    """Set how a review stands; reason and probability stay unless they are given."""
    values: dict[str, object] = {"state": state, "changed_at": now}
    values |= {} if reason is None else {"reason": reason}
    values |= {} if probability is None else {"probability": probability}
    conn.execute(sa.update(second_reviews).where(second_reviews.c.unit_id == unit_id).values(values))
    _mark(conn, unit_id)


def _mark(conn: Connection, unit_id: int) -> None:
    """Bring the unit's own marks to where its review stands: the queue is read by them."""
    conn.execute(sa.update(units).where(units.c.id == unit_id).values(open_marks()))
