"""How good the labels are: agreement, drift, time on task, calibration; read from what is stored."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.labelling.adjudication import standing_opinions
from sentinel.labelling.drift import ReviewerDrift, reviewer_drift
from sentinel.labelling.paired_verdicts import AgreementTable, agreement_table
from sentinel.labelling.time_on_task import TimeOnTask, times_on_task
from sentinel.records import Annotation
from sentinel.store.annotations import StoredAnnotation, annotations_of_event
from sentinel.store.schema import annotation_records
from sentinel.store.submissions import iter_submissions

_STRETCH = timedelta(days=7)
_STRETCHES = 8


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of the labels of a stretch of time."""

    since: datetime
    answers: int
    table: AgreementTable
    drift: tuple[ReviewerDrift, ...]
    times: tuple[TimeOnTask, ...]


def quality_of(conn: Connection, now: datetime) -> Quality:
    """Return the quality of the labels given in the last eight weeks."""
    since = now - _STRETCHES * _STRETCH
    shared = _shared_answers(conn, since)
    opinions = [standing_opinions(records) for records in shared]
    starts = [since + number * _STRETCH for number in range(_STRETCHES)]
    return Quality(
        since,
        len(shared),
        agreement_table(opinions),
        reviewer_drift([_with_times(records) for records in shared], starts),
        _times(conn, since, now),
    )


def _shared_answers(conn: Connection, since: datetime) -> list[tuple[StoredAnnotation, ...]]:
    """Return the records on answers that two annotators or more have labelled."""
    records = annotation_records
    query = (
        sa.select(records.c.event_id)
        .where(records.c.role == "annotator", records.c.created_at >= since)
        .group_by(records.c.event_id)
        .having(sa.func.count(sa.distinct(records.c.annotator)) > 1)
        .order_by(records.c.event_id)
    )
    return [annotations_of_event(conn, event_id) for event_id in conn.scalars(query).all()]


def _with_times(records: tuple[StoredAnnotation, ...]) -> list[tuple[datetime, Annotation]]:
    """Return standing opinions with the time of their author's first record."""
    first: dict[str, datetime] = {}
    for record in records:
        first.setdefault(record.annotation.annotator, record.created_at)
    return [(first[one.annotator], one) for one in standing_opinions(records)]


def _times(conn: Connection, since: datetime, now: datetime) -> tuple[TimeOnTask, ...]:
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for one in iter_submissions(conn, since, now + timedelta(seconds=1)):
        if one.seconds is not None:
            seconds[one.annotator].append(one.seconds)
    return times_on_task(seconds)
