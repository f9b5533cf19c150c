"""Calibration batches: units with known labels that new reviewers try themselves on; append-only.

Their answers stand apart from the labels: a trial never enters a rate. Words of a person are taken out of
both when somebody finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.columns import stored_key
from sentinel.store.review_schema import calibration_answers, calibration_items
from sentinel.store.schema import annotation_records, unit_contents, units


@dataclass(frozen=True, slots=True)
class CalibrationItem:
    """A unit of a batch with the label that is known of it."""

    batch: str
    unit_id: int
    known: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class CalibrationAnswer:
    """What an annotator said of a unit of a batch; `seconds` on task, None unknown."""

    batch: str
    unit_id: int
    annotator: str
    document: Mapping[str, Any] = field(repr=False)
    seconds: float | None
    created_at: datetime


def add_batch(
    conn: Connection, batch: str, known: Mapping[int, Mapping[str, Any]], created_by: str, now: datetime
) -> bool:
    """Write a batch, unit ids to known labels; False where there is one of that name already."""
    if not known or batch_items(conn, batch):
        return False
    rows = [
        {"batch": batch, "unit_id": unit, "known": label, "created_by": created_by, "created_at": now}
        for unit, label in sorted(known.items())
    ]
    conn.execute(sa.insert(calibration_items), rows)
    return True


def batch_items(conn: Connection, batch: str) -> tuple[CalibrationItem, ...]:
    """Return the units of a batch in the order of their ids."""
    table = calibration_items
    query = sa.select(table.c.batch, table.c.unit_id, table.c.known).where(table.c.batch == batch)
    return tuple(CalibrationItem(*row) for row in conn.execute(query.order_by(table.c.unit_id)))


def batch_sizes(conn: Connection) -> dict[str, int]:
    """Return the number of units of each batch, by name."""
    table = calibration_items
    query = sa.select(table.c.batch, sa.func.count()).group_by(table.c.batch).order_by(table.c.batch)
    return {row.batch: row[1] for row in conn.execute(query)}


def add_answer(conn: Connection, answer: CalibrationAnswer) -> bool:
    """Write what an annotator said of a unit; False where they have said it already."""
    if find_answer(conn, answer.batch, answer.unit_id, answer.annotator) is not None:
        return False
    values = {name: getattr(answer, name) for name in CalibrationAnswer.__slots__}
    conn.execute(sa.insert(calibration_answers).values(values))
    return True


def find_answer(conn: Connection, batch: str, unit_id: int, annotator: str) -> CalibrationAnswer | None:
    """Return what an annotator said of a unit of a batch; None where they have said nothing yet."""
    table = calibration_answers
    same = (table.c.batch == batch, table.c.unit_id == unit_id, table.c.annotator == annotator)
    row = conn.execute(sa.select(table).where(*same)).one_or_none()
    return None if row is None else CalibrationAnswer(*row)


def reword_trials(conn: Connection, unit_id: int, change: Callable[[Any], Any]) -> None:
    """Take words out of what is known and was said of a unit; the store wants a `cleaned` step before."""
    for table, column in (
        (calibration_items, calibration_items.c.known),
        (calibration_answers, calibration_answers.c.document),
    ):
        for row in conn.execute(sa.select(table).where(table.c.unit_id == unit_id)).all():
            before = row._mapping[column.name]
            if (new := change(before)) != before:
                same = [key == row._mapping[key.name] for key in table.primary_key]
                conn.execute(sa.update(table).where(*same).values({column.name: new}))


def untried_units(conn: Connection, annotator: str, unit_ids: Collection[int]) -> frozenset[int]:
    """Return those of some units that stand in a batch in which an annotator has said nothing of them."""
    items, said = calibration_items, calibration_answers
    same = sa.and_(said.c.batch == items.c.batch, said.c.unit_id == items.c.unit_id)
    tried = sa.exists().where(same, said.c.annotator == annotator)
    query = sa.select(items.c.unit_id).where(items.c.unit_id.in_(sorted(unit_ids)), ~tried)
    return frozenset(conn.scalars(query))


def units_to_try(conn: Connection, batch: str, annotator: str) -> set[int]:
    """Return the units of a batch that have content and that an annotator has not labelled in earnest."""
    in_earnest = sa.exists().where(
        annotation_records.c.event_id == units.c.event_id,
        annotation_records.c.annotator == stored_key(annotator),
    )
    query = (
        sa.select(units.c.id)
        .join(unit_contents, unit_contents.c.unit_id == units.c.id)
        .where(units.c.id.in_([item.unit_id for item in batch_items(conn, batch)]), ~in_earnest)
    )
    return set(conn.scalars(query))


def trials_between(conn: Connection, start: datetime, end: datetime) -> list[tuple[str, str]]:
    """Return which annotators said something of which batches in [`start`, `end`), in order."""
    table = calibration_answers
    query = sa.select(table.c.annotator, table.c.batch).distinct()
    rows = conn.execute(query.where(table.c.created_at >= start, table.c.created_at < end))
    return sorted((row.annotator, row.batch) for row in rows)


def answers_of(
    conn: Connection, batch: str | None = None, annotator: str | None = None
) -> tuple[CalibrationAnswer, ...]:
    """Return answers, of one batch or annotator or of all, in the order of their keys."""
    table = calibration_answers
    query = sa.select(table).order_by(table.c.batch, table.c.unit_id, table.c.annotator)
    if batch is not None:
        query = query.where(table.c.batch == batch)
    if annotator is not None:
        query = query.where(table.c.annotator == annotator)
    return tuple(CalibrationAnswer(*row) for row in conn.execute(query))
