"""Versions of the labelling guideline; append-only: a label names the version it was made under."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.review_schema import guidelines


@dataclass(frozen=True, slots=True)
class StoredGuideline:
    """One version; `document` is a JSON object."""

    version: str
    document: Mapping[str, Any] = field(repr=False)
    created_by: str
    created_at: datetime


def save_guideline(
    conn: Connection, version: str, document: Mapping[str, Any], created_by: str, now: datetime
) -> bool:
    """Write a version; False where it is there already, and nothing is changed."""
    if find_guideline(conn, version) is not None:
        return False
    values = {"version": version, "document": document, "created_by": created_by, "created_at": now}
    conn.execute(sa.insert(guidelines).values(values))
    return True


def find_guideline(conn: Connection, version: str) -> StoredGuideline | None:
    """Return one version; None where it is not there."""
    row = conn.execute(sa.select(guidelines).where(guidelines.c.version == version)).one_or_none()
    return None if row is None else StoredGuideline(*row)


def newest_guideline(conn: Connection) -> StoredGuideline | None:
    """Return the version in force: the one written last; None where none was."""
    query = sa.select(guidelines).order_by(guidelines.c.created_at.desc(), guidelines.c.version.desc())
    row = conn.execute(query.limit(1)).one_or_none()
    return None if row is None else StoredGuideline(*row)


def all_guidelines(conn: Connection) -> tuple[StoredGuideline, ...]:
    """Return all versions, newest first."""
    query = sa.select(guidelines).order_by(guidelines.c.created_at.desc(), guidelines.c.version.desc())
    return tuple(StoredGuideline(*row) for row in conn.execute(query))
