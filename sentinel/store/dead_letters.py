"""Records that could not be used: where they are and why, never what they held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.records import Partition
from sentinel.store.row_sets import insert_new
from sentinel.store.schema import dead_letters


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Coordinates of one record and the reason why it was parked; `detail` names field and rule."""

    partition: Partition
    offset: int
    reason: str
    detail: str
    record_timestamp: datetime | None
    size_bytes: int


def add_dead_letters(conn: Connection, letters: Sequence[DeadLetter], keep: int, now: datetime) -> int:
    """Write at most `keep` of the letters, the first ones, and return how many became rows.

    A flood of bad records must not fill the store; all of them are counted as not covered elsewhere.
    A record that is there already stays as it is.
    """
    if keep < 0:
        raise ValueError("keep is a number of rows")
    rows = [
        {
            "topic": letter.partition.topic,
            "partition": letter.partition.number,
            "offset": letter.offset,
            "reason": letter.reason,
            "detail": letter.detail,
            "record_timestamp": letter.record_timestamp,
            "size_bytes": letter.size_bytes,
            "created_at": now,
        }
        for letter in letters[:keep]
    ]
    if not rows:
        return 0
    rows.sort(key=lambda row: (row["topic"], row["partition"], row["offset"]))
    place = ("topic", "partition", "offset")
    return len(insert_new(conn, dead_letters, rows, unique=place, returning=("id",)).all())


def iter_dead_letters(conn: Connection, limit: int = 1000) -> Iterator[DeadLetter]:
    """Yield the newest dead letters, newest first."""
    query = sa.select(dead_letters).order_by(dead_letters.c.created_at.desc(), dead_letters.c.id.desc())
    for row in conn.execute(query.limit(limit)):
        yield DeadLetter(
            partition=Partition(row.topic, row.partition),
            offset=row.offset,
            reason=row.reason,
            detail=row.detail,
            record_timestamp=row.record_timestamp,
            size_bytes=row.size_bytes,
        )


def purge_dead_letters(conn: Connection, before: datetime) -> int:
    """Delete the dead letters written before `before` and return how many."""
    return conn.execute(sa.delete(dead_letters).where(dead_letters.c.created_at < before)).rowcount
