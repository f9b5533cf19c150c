"""The persistent window of event hashes that keeps the frame from counting an answer twice.

A hash is 8 bytes, little-endian; each commit appends one chunk to its minute of arrival, and once the
minute has passed its chunks become one row.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.records import Partition
from sentinel.store.schema import seen_hashes

_PACKED = np.dtype("<u8")
_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
# A minute of a busy partition is megabytes.
_ROWS_AT_ONCE = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def append(conn: Connection, partition: Partition, hashes: npt.NDArray[np.uint64], now: datetime) -> None:
    """Append the hashes of a commit to the minute of `now`, and pack the partition's past minutes.

    `hashes` is one-dimensional; an empty one only packs.
    """
    minute = _minute_of(now)
    if hashes.size:
        row = {"minute": minute, "merged": False, "hashes": hashes.astype(_PACKED).tobytes()}
        conn.execute(sa.insert(seen_hashes).values(_owner(partition) | row))
    _pack(conn, partition, minute)


def load(
    conn: Connection, since: datetime, partitions: Collection[Partition] | None = None
) -> npt.NDArray[np.uint64]:
    """Return the hashes of the minute of `since` and later, in no particular order.

    `partitions` None is all of them. An event's hash may stand more than once.
    """
    return _unpacked(b"".join(row.hashes for row in conn.execute(_since(since, partitions))))


def load_newest(
    conn: Connection, since: datetime, most: int, partitions: Collection[Partition] | None = None
) -> list[tuple[datetime, npt.NDArray[np.uint64]]]:
    """Return about `most` of the hashes that `load` would, the newest, by hours: (end of the hour, hashes).

    Oldest hour first. No more than that, and one row, is ever in memory.
    """
    query = _since(since, partitions).order_by(seen_hashes.c.minute.desc())
    hours: dict[datetime, list[bytes]] = {}
    loaded = 0
    rows = conn.execute(query.execution_options(yield_per=_ROWS_AT_ONCE))
    for row in rows:
        hour = row.minute.replace(minute=0, second=0, microsecond=0) + _HOUR
        hours.setdefault(hour, []).append(row.hashes)
        loaded += len(row.hashes) // _PACKED.itemsize
        if loaded >= most:
            break
    rows.close()
    return [(hour, _unpacked(b"".join(hours.pop(hour)))) for hour in sorted(hours)]


def purge(conn: Connection, before: datetime) -> int:
    """Delete the minutes that ended at or before `before` and return how many rows that were."""
    ended = seen_hashes.c.minute < _minute_of(before)
    return conn.execute(sa.delete(seen_hashes).where(ended)).rowcount


def _pack(conn: Connection, partition: Partition, current: datetime) -> None:
    loose = (
        sa.select(seen_hashes.c.minute)
        .where(*_belongs(partition), sa.not_(seen_hashes.c.merged), seen_hashes.c.minute < current)
        .distinct()
    )
    minutes = list(conn.scalars(loose))
    if not minutes:
        return
    of_minutes = (*_belongs(partition), seen_hashes.c.minute.in_(minutes))
    chunks: dict[datetime, list[bytes]] = {}
    for row in conn.execute(sa.select(seen_hashes).where(*of_minutes).order_by(seen_hashes.c.id)):
        chunks.setdefault(row.minute, []).append(row.hashes)
    conn.execute(sa.delete(seen_hashes).where(*of_minutes))
    packed = [
        _owner(partition) | {"minute": minute, "merged": True, "hashes": b"".join(parts)}
        for minute, parts in sorted(chunks.items())
    ]
    conn.execute(sa.insert(seen_hashes), packed)


def _since(since: datetime, partitions: Collection[Partition] | None) -> sa.Select[Any]:
    recent = seen_hashes.c.minute >= _minute_of(since)
    query = sa.select(seen_hashes.c.minute, seen_hashes.c.hashes).where(recent)
    if partitions is None:
        return query
    return query.where(sa.or_(sa.false(), *(sa.and_(*_belongs(partition)) for partition in partitions)))


def _unpacked(packed: bytes) -> npt.NDArray[np.uint64]:
    return np.frombuffer(packed, dtype=_PACKED).astype(np.uint64)


def _owner(partition: Partition) -> dict[str, Any]:
    return {"topic": partition.topic, "partition": partition.number}


def _belongs(partition: Partition) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return seen_hashes.c.topic == partition.topic, seen_hashes.c.partition == partition.number


def _minute_of(moment: datetime) -> datetime:
    return moment - (moment - _EPOCH) % _MINUTE
