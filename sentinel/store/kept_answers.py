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
    """A key with the hash of the request it came with; `body` None: not answered yet, or cut off."""

    request_hash: str
    body: Mapping[str, Any] | None = field(repr=False)


def claim_key(conn: Connection, person_id: str, key: str, request_hash: str, now: datetime) -> bool:
    """Bind a person's key to a request before it does anything; False where it is bound already."""
    values: dict[str, Any] = {"person_id": person_id, "key": key, "request_hash": request_hash}
    values |= {"body": None, "created_at": now}
    statement = insert_into(conn, kept_answers).values(values).on_conflict_do_nothing()
    return conn.execute(statement.returning(kept_answers.c.key)).one_or_none() is not None


def kept_answer(conn: Connection, person_id: str, key: str) -> KeptAnswer | None:
    """Return what is kept for a person's key; None where there is nothing."""
    row = conn.execute(sa.select(kept_answers).where(*_is(person_id, key))).one_or_none()
    return None if row is None else KeptAnswer(row.request_hash, row.body)


def keep_answer(conn: Connection, person_id: str, key: str, answer: KeptAnswer) -> bool:
    """Keep the answer to the request that a key is bound to; False where it is answered already."""
    mine = (*_is(person_id, key), kept_answers.c.request_hash == answer.request_hash)
    is_open = sa.type_coerce(kept_answers.c.body, sa.Text) == "null"
    kept = sa.update(kept_answers).where(*mine, is_open).values(body=answer.body)
    return bool(conn.execute(kept).rowcount)


def release_key(conn: Connection, person_id: str, key: str) -> None:
    """Forget a key whose request was refused: it may come with another one."""
    is_open = sa.type_coerce(kept_answers.c.body, sa.Text) == "null"
    conn.execute(sa.delete(kept_answers).where(*_is(person_id, key), is_open))


def forget_answers(conn: Connection, before: datetime) -> int:
    """Forget the answers to requests from before a time; return how many there were."""
    return conn.execute(sa.delete(kept_answers).where(kept_answers.c.created_at < before)).rowcount


def _is(person_id: str, key: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (kept_answers.c.person_id == person_id, kept_answers.c.key == key)
