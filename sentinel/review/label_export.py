"""Labels to a file that can be imported again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from sentinel.labelling.label_document import label_document
from sentinel.review.json_lines import json_line
from sentinel.store.annotations import StoredAnnotation, iter_annotations


def label_lines(conn: Connection) -> Iterator[str]:
    """Yield all labels in the order of writing, one line of JSON each, corrections after what they replace.

    Imported in this order into another store, they make the same lines of records there. `record_id`,
    `replaces`, `recorded_at` and `probability_sample` say where a label stands; an import ignores them.
    """
    for stored in iter_annotations(conn):
        yield json_line(label_row(stored))


def label_row(stored: StoredAnnotation) -> dict[str, Any]:
    """Return a label with where it stands, JSON-ready."""
    return label_document(stored.annotation) | {
        "record_id": stored.id,
        "replaces": stored.replaces,
        "recorded_at": stored.created_at.isoformat(),
        "probability_sample": stored.probability_sample,
    }
