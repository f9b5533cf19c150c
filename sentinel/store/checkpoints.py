"""How far each partition has been read: the compare-and-set that guards a commit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.errors import RejoinError
from sentinel.records import Partition
from sentinel.store.schema import checkpoints
from sentinel.store.upsert import insert_into

_MOVED = ("next_offset", "updated_at", "batch_id", "log_mark")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where to go on; `batch_id` names the commit that led here, `log_mark` the log it was read from.

    Both are None where nobody gave them.
    """

    next_offset: int
    batch_id: str | None
    log_mark: str | None


def read(conn: Connection, partitions: Collection[Partition]) -> dict[Partition, Checkpoint]:
    """Return the checkpoints of those partitions that have one."""
    found = {}
    for partition in partitions:
        row = conn.execute(sa.select(checkpoints).where(*_is(partition))).one_or_none()
        if row is not None:
            found[partition] = Checkpoint(row.next_offset, row.batch_id, row.log_mark)
    return found


def begin_log(conn: Connection, starts: Mapping[Partition, int], now: datetime) -> dict[Partition, int]:
    """Write where each partition of a log begins, unless the store knows the log; return what it holds.

    `starts` are all partitions of one topic. A partition that is not among those returned was added to a
    log already known: nothing of it can have been seen.
    """
    topics = {partition.topic for partition in starts}
    known = sa.select(sa.func.count()).select_from(checkpoints).where(checkpoints.c.topic.in_(topics))
    if not conn.scalar(known):
        rows = [
            {
                "topic": partition.topic,
                "partition": partition.number,
                "next_offset": offset,
                "updated_at": now,
            }
            for partition, offset in sorted(starts.items())
        ]
        # Another worker may begin at the same moment: the first one's offsets stand.
        conn.execute(insert_into(conn, checkpoints).on_conflict_do_nothing(), rows)
    return {partition: held.next_offset for partition, held in read(conn, list(starts)).items()}


def next_offset(conn: Connection, partition: Partition) -> int | None:
    """Return the offset to go on from; None where nothing of the partition was ever committed."""
    return conn.scalar(sa.select(checkpoints.c.next_offset).where(*_is(partition)))


def next_offsets(conn: Connection) -> dict[Partition, int]:
    """Return the offset to go on from of every partition."""
    return {
        Partition(row.topic, row.partition): row.next_offset for row in conn.execute(sa.select(checkpoints))
    }


def last_commit(conn: Connection) -> datetime | None:
    """Return when any partition was last moved on, by its worker's clock; None where none ever was."""
    moved_at: datetime | None = conn.execute(sa.select(sa.func.max(checkpoints.c.updated_at))).scalar_one()
    return moved_at


def advance(
    conn: Connection,
    partition: Partition,
    expected: int | None,
    next_offset: int,
    now: datetime,
    *,
    batch_id: str | None = None,
    log_mark: str | None = None,
) -> None:
    """Move the partition's checkpoint from `expected` (None: no checkpoint yet) to `next_offset`.

    Call it first in the transaction: its row lock makes a second worker that also believes it owns the
    partition wait, and then fail. Raises `RejoinError` if the checkpoint is not at `expected`.
    """
    if next_offset < (expected or 0):
        raise ValueError("a checkpoint never moves back")
    values = {
        "next_offset": next_offset,
        "updated_at": now,
        "batch_id": batch_id,
        "log_mark": log_mark,
    }
    if expected is None:
        key = {"topic": partition.topic, "partition": partition.number}
        statement = insert_into(conn, checkpoints).values(**key, **values).on_conflict_do_nothing()
        moved = conn.scalar(statement.returning(checkpoints.c.next_offset))
    else:
        key = {"of_topic": partition.topic, "of_partition": partition.number, "at_offset": expected}
        moved = conn.scalar(_ADVANCE, key | {f"new_{name}": value for name, value in values.items()})
    if moved is None:
        message = f"the checkpoint of {partition} is no longer {expected}: another worker moved it"
        raise RejoinError(message)


def _named(name: str, column: str) -> sa.BindParameter[Any]:
    return sa.bindparam(name, type_=checkpoints.c[column].type)


_ADVANCE = (
    sa.update(checkpoints)
    .where(
        checkpoints.c.topic == _named("of_topic", "topic"),
        checkpoints.c.partition == _named("of_partition", "partition"),
        checkpoints.c.next_offset == _named("at_offset", "next_offset"),
    )
    .values({name: _named(f"new_{name}", name) for name in _MOVED})
    .returning(checkpoints.c.next_offset)
)


def _is(partition: Partition) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return checkpoints.c.topic == partition.topic, checkpoints.c.partition == partition.number
