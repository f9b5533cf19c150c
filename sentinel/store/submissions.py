"""How an opinion came in through the workbench: whose key, which splitter, how long it took; append-only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.review_schema import submissions
from sentinel.store.schema import units


@dataclass(frozen=True, slots=True)
class Submission:
    """One opinion's way in. `seconds`: time on task, None unknown; `idempotency_key`: of the request."""

    annotation_id: int
    unit_id: int
    annotator: str
    slot: str
    idempotency_key: str | None
    splitter_version: str
    seconds: float | None
    created_at: datetime


def record_submission(conn: Connection, submission: Submission) -> None:
    """Write how an opinion came in."""
    values = {name: getattr(submission, name) for name in Submission.__slots__}
    conn.execute(sa.insert(submissions).values(values))


def submission_by_key(conn: Connection, annotator: str, key: str) -> Submission | None:
    """Return what an annotator's request with this key has written; None where it has written nothing."""
    query = sa.select(submissions).where(
        submissions.c.annotator == annotator, submissions.c.idempotency_key == key
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else Submission(*row)


def submissions_of_unit(conn: Connection, unit_id: int) -> tuple[Submission, ...]:
    """Return the submissions on a unit in the order of writing."""
    query = sa.select(submissions).where(submissions.c.unit_id == unit_id)
    return tuple(Submission(*row) for row in conn.execute(query.order_by(submissions.c.annotation_id)))


def task_seconds(conn: Connection, start: datetime, end: datetime) -> dict[str, tuple[float, ...]]:
    """Return by annotator the known seconds on task of opinions on answers of [`start`, `end`)."""
    query = (
        sa.select(submissions.c.annotator, submissions.c.seconds)
        .join(units, units.c.id == submissions.c.unit_id)
        .where(
            units.c.event_time >= start,
            units.c.event_time < end,
            submissions.c.slot == "opinion",
            submissions.c.seconds.is_not(None),
        )
        .order_by(submissions.c.annotation_id)
    )
    found: defaultdict[str, list[float]] = defaultdict(list)
    for row in conn.execute(query):
        found[row.annotator].append(row.seconds)
    return {annotator: tuple(seconds) for annotator, seconds in sorted(found.items())}


def iter_submissions(conn: Connection, start: datetime, end: datetime) -> Iterator[Submission]:
    """Yield the submissions written in [`start`, `end`) in their order."""
    query = (
        sa.select(submissions)
        .where(submissions.c.created_at >= start, submissions.c.created_at < end)
        .order_by(submissions.c.created_at, submissions.c.annotation_id)
    )
    for row in conn.execute(query.execution_options(yield_per=1000)):
        yield Submission(*row)
