"""Batches of answers with known labels, made of decided cases, and how a reviewer's trial went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy import Connection

from sentinel.errors import DeadLetterError
from sentinel.labelling.adjudication import derive
from sentinel.labelling.draft import annotation_of, draft_document, draft_from, parse_draft
from sentinel.labelling.paired_verdicts import agreement_table
from sentinel.labelling.reliability import Coefficient
from sentinel.labelling.second_review import agree
from sentinel.records import Annotation
from sentinel.store.annotations import annotations_of_event
from sentinel.store.calibration import add_batch, answers_of, batch_items, batch_sizes
from sentinel.store.columns import stored_key
from sentinel.store.review_schema import second_reviews
from sentinel.store.schema import annotation_records, unit_contents, units

log = structlog.get_logger("calibration")
MOST_ITEMS = 100


@dataclass(frozen=True, slots=True)
class Trial:
    """How far a person is with a batch. `claims` is the agreement with the known labels, once it is done."""

    batch: str
    items: int
    answered: int
    equal: int
    claims: Coefficient | None
    next_unit: int | None

    @property
    def is_done(self) -> bool:
        """Return whether every answer of the batch has been labelled."""
        return self.answered >= self.items


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
    said = {one.unit_id: one for one in answers_of(conn, batch, person_id)}
    wanted = _to_label(conn, batch, person_id) | said.keys()
    items, pairs = [], []
    for item in batch_items(conn, batch):
        if item.unit_id not in wanted:
            continue
        trial = said.get(item.unit_id)
        try:
            pair = [_annotation(item.known, "known")]
            pair += [] if trial is None else [_annotation(trial.document, "trial")]
        except DeadLetterError as error:
            log.warning("trial skipped", batch=batch, unit_id=item.unit_id, error=str(error))
            continue
        items.append(item)
        if trial is not None:
            pairs.append(pair)
    done = len(pairs) >= len(items) > 0
    following = next((item.unit_id for item in items if item.unit_id not in said), None)
    return Trial(
        batch,
        len(items),
        len(pairs),
        sum(agree(one, other) for one, other in pairs),
        agreement_table(pairs).claims if done else None,
        following,
    )


def open_items(conn: Connection, batch: str, person_id: str) -> set[int]:
    """Return the ids of the answers of a batch that a person has still to label in it."""
    said = {one.unit_id for one in answers_of(conn, batch, person_id)}
    return _to_label(conn, batch, person_id) - said


def trials_of(conn: Connection, person_id: str) -> list[Trial]:
    """Return a person's trials, one for each batch, by name."""
    return [trial_of(conn, batch, person_id) for batch in batch_sizes(conn)]


def people_tried(conn: Connection) -> list[tuple[str, str]]:
    """Return which people have begun which batch."""
    return sorted({(one.batch, one.annotator) for one in answers_of(conn)})


def _to_label(conn: Connection, batch: str, person_id: str) -> set[int]:
    """Return the answers of a batch that still have content and that a person has not labelled in earnest."""
    in_earnest = sa.exists().where(
        annotation_records.c.event_id == units.c.event_id,
        annotation_records.c.annotator == stored_key(person_id),
    )
    query = (
        sa.select(units.c.id)
        .join(unit_contents, unit_contents.c.unit_id == units.c.id)
        .where(units.c.id.in_([item.unit_id for item in batch_items(conn, batch)]), ~in_earnest)
    )
    return set(conn.scalars(query))


def _annotation(document: Mapping[str, Any], who: str) -> Annotation:
    return annotation_of(parse_draft(document), "trial", who, "annotator", None)
