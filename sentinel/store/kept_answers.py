"""What was answered to requests that carry an idempotency key, so that one that comes again does nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.access_tables import kept_answers
from sentinel.store.upsert import insert_into


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer given before; `request_hash` is that of the request it was given to."""

    request_hash: str
    status: int
    body: Mapping[str, Any] = field(repr=False)


def kept_answer(conn: Connection, person_id: str, key: str) -> KeptAnswer | None:
    """Return the answer kept for a person's key; None where there is none."""
    wanted = (kept_answers.c.person_id == person_id, kept_answers.c.key == key)
    row = conn.execute(sa.select(kept_answers).where(*wanted)).one_or_none()
    return None if row is None else KeptAnswer(row.request_hash, row.status, row.body)


def keep_answer(conn: Connection, person_id: str, key: str, answer: KeptAnswer, now: datetime) -> bool:
    """Keep an answer, in the transaction of its effect; False where the key was used meanwhile.

    A second request with the key waits here for the commit of the first.
    """
    values: dict[str, Any] = {"person_id": person_id, "key": key, "request_hash": answer.request_hash}
    values |= {"status": answer.status, "body": answer.body, "created_at": now}
    statement = insert_into(conn, kept_answers).values(values).on_conflict_do_nothing()
    return conn.execute(statement.returning(kept_answers.c.key)).one_or_none() is not None


def forget_answers(conn: Connection, before: datetime) -> int:
    """Forget the answers given before a time; return how many there were."""
    return conn.execute(sa.delete(kept_answers).where(kept_answers.c.created_at < before)).rowcount
