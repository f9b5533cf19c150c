"""The audit trail: who did what, when, to which unit. Append-only, without any text of an answer or label."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.access_tables import audit_records


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One deed. `about` names what it was done to besides a unit: a record, a person, a token, by id."""

    id: int
    recorded_at: datetime
    person_id: str
    deed: str
    unit_id: int | None
    about: str | None


def record_deed(
    conn: Connection,
    person_id: str,
    deed: str,
    now: datetime,
    *,
    unit_id: int | None = None,
    about: str | None = None,
) -> None:
    """Write down a deed, in the transaction in which it is done."""
    values = {"recorded_at": now, "person_id": person_id, "deed": deed, "unit_id": unit_id, "about": about}
    conn.execute(sa.insert(audit_records).values(values))


def audit_page(
    conn: Connection, limit: int, before: int | None = None, unit_id: int | None = None
) -> tuple[AuditRecord, ...]:
    """Return up to `limit` records, newest first, older than the record `before`; of one unit or of all."""
    query = sa.select(audit_records).order_by(audit_records.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(audit_records.c.id < before)
    if unit_id is not None:
        query = query.where(audit_records.c.unit_id == unit_id)
    return tuple(
        AuditRecord(row.id, row.recorded_at, row.person_id, row.deed, row.unit_id, row.about)
        for row in conn.execute(query)
    )
