"""Opinions on answers, append-only: a correction is a new record that names the one it replaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.errors import DeadLetterError
from sentinel.records import Annotation, ClaimAnnotation
from sentinel.store.schema import annotation_records as records
from sentinel.store.schema import units
from sentinel.store.upsert import insert_into

_PAGE = 500


@dataclass(frozen=True, slots=True)
class StoredAnnotation:
    """An annotation with its record id.

    `replaces` is the id of the record it corrects; `probability_sample` whether the event was a
    sampled unit when the annotation was written: without, it never enters a rate.
    """

    id: int
    annotation: Annotation
    replaces: int | None
    probability_sample: bool
    created_at: datetime


def add_annotation(
    conn: Connection, annotation: Annotation, now: datetime, replaces: int | None = None
) -> StoredAnnotation:
    """Write an annotation and return it as stored.

    `replaces` names the newest record of the same annotator and role on the same event; a first
    opinion has none. Raises `DeadLetterError` with reason `already_annotated` (a first opinion is
    there), `replaces_unknown` (no such record of theirs) or `already_replaced` (it is not the newest).
    """
    if replaces is not None:
        _check_replaced(conn, annotation, replaces)
    drawn = sa.select(units.c.id).where(units.c.event_id == annotation.event_id)
    values = asdict(annotation) | {
        "replaces": replaces,
        "probability_sample": conn.scalar(drawn) is not None,
        "created_at": now,
    }
    statement = insert_into(conn, records).values(values).on_conflict_do_nothing()
    row = conn.execute(statement.returning(*records.c)).one_or_none()
    if row is not None:
        return _from_row(row)
    if replaces is None:
        raise DeadLetterError("already_annotated", "this annotator's record must name the one it replaces")
    raise DeadLetterError("already_replaced", "replaces must name the newest record")


def current_annotation(
    conn: Connection, event_id: str, annotator: str, role: str = "annotator"
) -> StoredAnnotation | None:
    """Return the newest record of an annotator in a role on an event; None where there is none."""
    query = (
        sa.select(records)
        .where(records.c.event_id == event_id, records.c.annotator == annotator, records.c.role == role)
        .order_by(records.c.id.desc())
        .limit(1)
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else _from_row(row)


def annotation_by_id(conn: Connection, record_id: int) -> StoredAnnotation | None:
    """Return one record; None where there is none of this id."""
    row = conn.execute(sa.select(records).where(records.c.id == record_id)).one_or_none()
    return None if row is None else _from_row(row)


def annotations_of_event(conn: Connection, event_id: str) -> tuple[StoredAnnotation, ...]:
    """Return all records on an event in the order of writing, replaced ones included."""
    query = sa.select(records).where(records.c.event_id == event_id).order_by(records.c.id)
    return tuple(_from_row(row) for row in conn.execute(query))


def annotations_of_events(conn: Connection, event_ids: Iterable[str]) -> dict[str, list[StoredAnnotation]]:
    """Return all records on some events by event id, as written; those without one are left out."""
    wanted = sorted(set(event_ids))
    found: dict[str, list[StoredAnnotation]] = {}
    for start in range(0, len(wanted), _PAGE):
        among = records.c.event_id.in_(wanted[start : start + _PAGE])
        for row in conn.execute(sa.select(records).where(among).order_by(records.c.id)):
            found.setdefault(row.event_id, []).append(_from_row(row))
    return found


def annotation_page(conn: Connection, limit: int, after: int = 0) -> list[StoredAnnotation]:
    """Return up to `limit` records after the record `after`, in the order of writing."""
    query = sa.select(records).where(records.c.id > after).order_by(records.c.id).limit(limit)
    return [_from_row(row) for row in conn.execute(query)]


def iter_period(
    conn: Connection, start: datetime, end: datetime, created_before: datetime | None = None
) -> Iterator[StoredAnnotation]:
    """Yield the records on units with an event time in [`start`, `end`), in the order of writing.

    Replaced records are among them. `created_before` leaves out later ones, so that a report's numbers
    can be found again.
    """
    query = sa.select(records).join(units, units.c.event_id == records.c.event_id)
    query = query.where(units.c.event_time >= start, units.c.event_time < end)
    if created_before is not None:
        query = query.where(records.c.created_at < created_before)
    yield from _streamed(conn, query)


def iter_annotations(
    conn: Connection, *, probability_sample: bool | None = None
) -> Iterator[StoredAnnotation]:
    """Yield all records in the order of writing, or only those of one kind."""
    query = sa.select(records)
    if probability_sample is not None:
        query = query.where(records.c.probability_sample == sa.literal(probability_sample))
    yield from _streamed(conn, query)


def _streamed(conn: Connection, query: sa.Select[Any]) -> Iterator[StoredAnnotation]:
    """Yield the records of one query, a page at a time: asking anew for each page would sort anew."""
    ordered = query.order_by(records.c.id).execution_options(yield_per=_PAGE)
    for row in conn.execute(ordered):
        yield _from_row(row)


def _check_replaced(conn: Connection, annotation: Annotation, replaces: int) -> None:
    same_line = (
        records.c.id == replaces,
        records.c.event_id == annotation.event_id,
        records.c.annotator == annotation.annotator,
        records.c.role == annotation.role,
    )
    if conn.scalar(sa.select(records.c.id).where(*same_line)) is None:
        raise DeadLetterError(
            "replaces_unknown", "replaces must name a record of the same annotator, role and event"
        )


def _from_row(row: sa.Row[Any]) -> StoredAnnotation:
    annotation = Annotation(
        event_id=row.event_id,
        annotator=row.annotator,
        role=row.role,
        answered=row.answered,
        abstention=row.abstention,
        claims=tuple(_claim(parts) for parts in row.claims),
        evidence_retrieved=row.evidence_retrieved,
        root_causes=tuple(row.root_causes),
        citations=tuple((citation, entails) for citation, entails in row.citations),
        complete=row.complete,
        comment=row.comment,
        guideline_version=row.guideline_version,
    )
    return StoredAnnotation(
        id=row.id,
        annotation=annotation,
        replaces=row.replaces,
        probability_sample=row.probability_sample,
        created_at=row.created_at,
    )


def _claim(parts: Mapping[str, Any]) -> ClaimAnnotation:
    return ClaimAnnotation(
        text=parts["text"], label=parts["label"], severity=parts["severity"], subtype=parts["subtype"]
    )
