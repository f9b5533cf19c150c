"""Drafts of opinions, kept on the server: each save names the revision it builds on.

A save that builds on an older revision than the stored one changes nothing and is given the stored one: two
tabs, or a page from before a step back, cannot overwrite each other without a word. A save that was stored
and whose answer was lost on the way is recognised by its id and answered again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.review_schema import drafts
from sentinel.store.upsert import insert_into

#: A stretch between two saves that is longer than this was spent elsewhere.
LONGEST_STRETCH_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class DraftKey:
    """Whose draft of which unit; `slot` is `opinion`, `adjudication` or `calibration:<batch>`."""

    unit_id: int
    annotator: str
    slot: str


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A draft as stored. `seconds`: time on task so far; `submitted`: it has become an opinion."""

    revision: int
    save_id: str
    document: Mapping[str, Any] = field(repr=False)
    seconds: float
    submitted: bool
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save led to; `conflict`: the stored draft is another one, and nothing was changed."""

    draft: StoredDraft
    conflict: bool


def find_draft(conn: Connection, key: DraftKey) -> StoredDraft | None:
    """Return a draft; None where there is none."""
    row = conn.execute(_select(key)).one_or_none()
    return None if row is None else _stored(row)


def save_draft(
    conn: Connection,
    key: DraftKey,
    base_revision: int,
    save_id: str,
    document: Mapping[str, Any],
    seconds: float,
    now: datetime,
) -> Saved:
    """Store a draft that builds on `base_revision` (0: there was none); `seconds` are added to its time.

    The same `save_id` again is answered with what it stored.
    """
    added = min(max(seconds, 0.0), LONGEST_STRETCH_SECONDS)
    if base_revision == 0:
        fresh = {
            "unit_id": key.unit_id,
            "annotator": key.annotator,
            "slot": key.slot,
            "revision": 1,
            "save_id": save_id,
            "document": document,
            "seconds": added,
            "submitted": False,
            "created_at": now,
            "updated_at": now,
        }
        statement = insert_into(conn, drafts).values(fresh).on_conflict_do_nothing()
        row = conn.execute(statement.returning(*drafts.c)).one_or_none()
        if row is not None:
            return Saved(_stored(row), conflict=False)
    row = conn.execute(_select(key).with_for_update()).one_or_none()
    if row is None:  # it was given up meanwhile: the save begins a new one
        return save_draft(conn, key, 0, save_id, document, seconds, now)
    if row.save_id == save_id:
        return Saved(_stored(row), conflict=False)
    if row.revision != base_revision:
        return Saved(_stored(row), conflict=True)
    changed = (
        sa.update(drafts)
        .where(*_of(key))
        .values(
            revision=row.revision + 1,
            save_id=save_id,
            document=document,
            seconds=drafts.c.seconds + added,
            submitted=False,
            updated_at=now,
        )
    )
    return Saved(_stored(conn.execute(changed.returning(*drafts.c)).one()), conflict=False)


def mark_submitted(conn: Connection, key: DraftKey, document: Mapping[str, Any], now: datetime) -> None:
    """Note that a draft has become an opinion: an older tab's next save then meets another revision."""
    changed = sa.update(drafts).where(*_of(key))
    conn.execute(
        changed.values(
            revision=drafts.c.revision + 1, document=document, submitted=True, save_id="", updated_at=now
        )
    )


def replace_documents(conn: Connection, unit_id: int, documents: Mapping[tuple[str, str], Any]) -> None:
    """Put cleaned documents in the place of a unit's drafts; keys are annotator and slot."""
    for (annotator, slot), document in documents.items():
        changed = sa.update(drafts).where(*_of(DraftKey(unit_id, annotator, slot)))
        conn.execute(changed.values(document=document, revision=drafts.c.revision + 1))


def drafts_of_unit(conn: Connection, unit_id: int) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the documents of all drafts of a unit by annotator and slot."""
    query = sa.select(drafts).where(drafts.c.unit_id == unit_id)
    return {(row.annotator, row.slot): row.document for row in conn.execute(query)}


def _of(key: DraftKey) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        drafts.c.unit_id == key.unit_id,
        drafts.c.annotator == key.annotator,
        drafts.c.slot == key.slot,
    )


def _select(key: DraftKey) -> sa.Select[Any]:
    return sa.select(drafts).where(*_of(key))


def _stored(row: sa.Row[Any]) -> StoredDraft:
    return StoredDraft(
        row.revision, row.save_id, row.document, row.seconds, row.submitted, row.created_at, row.updated_at
    )
