"""Batches of answers with known labels, made of decided cases, and how a reviewer's trial went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy import Connection

from sentinel.labelling.adjudication import derive
from sentinel.labelling.draft import draft_document, draft_from
from sentinel.labelling.trials import Trial, trial
from sentinel.store.annotations import annotations_of_event
from sentinel.store.calibration import add_batch, answers_of, batch_items, batch_sizes, units_to_try
from sentinel.store.review_schema import second_reviews
from sentinel.store.schema import unit_contents, units

log = structlog.get_logger("calibration")
MOST_ITEMS = 100


def make_batch(conn: Connection, batch: str, most: int, created_by: str, now: Any) -> int:
    """Make a batch of the cases decided last and return how many it holds; 0: none, or the name is taken."""
    query = (
        sa.select(units.c.id, units.c.event_id)
        .join(second_reviews, second_reviews.c.unit_id == units.c.id)
        .join(unit_contents, unit_contents.c.unit_id == units.c.id)
        .where(second_reviews.c.state == "settled")
        .order_by(second_reviews.c.changed_at.desc(), units.c.id)
        .limit(min(most, MOST_ITEMS))
    )
    known: dict[int, Mapping[str, Any]] = {}
    for row in conn.execute(query).all():
        label = derive(annotations_of_event(conn, row.event_id))
        if label is not None and label.final:
            known[row.id] = draft_document(draft_from(label.annotation))
    return len(known) if add_batch(conn, batch, known, created_by, now) else 0


def trial_of(conn: Connection, batch: str, person_id: str) -> Trial:
    """Return how far a person is with a batch.

    Answers they labelled in earnest are left out of it, and those they had not come to when their content was
    purged: nobody could finish the batch. So is one whose known label or trial cannot be read.
    """
    said = {one.unit_id: one.document for one in answers_of(conn, batch, person_id)}
    wanted = units_to_try(conn, batch, person_id) | said.keys()
    found = trial(batch, {item.unit_id: item.known for item in batch_items(conn, batch)}, said, wanted)
    if found.unreadable:
        log.warning("trials skipped", batch=batch, units=found.unreadable)
    return found


def open_items(conn: Connection, batch: str, person_id: str) -> set[int]:
    """Return the ids of the answers of a batch that a person has still to label in it."""
    said = {one.unit_id for one in answers_of(conn, batch, person_id)}
    return units_to_try(conn, batch, person_id) - said


def trials_of(conn: Connection, person_id: str) -> list[Trial]:
    """Return a person's trials, one for each batch, by name."""
    return [trial_of(conn, batch, person_id) for batch in batch_sizes(conn)]


def people_tried(conn: Connection) -> list[tuple[str, str]]:
    """Return which people have begun which batch."""
    return sorted({(one.batch, one.annotator) for one in answers_of(conn)})
