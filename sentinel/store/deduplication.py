"""The persistent window of event hashes that keeps the frame from counting an answer twice.

A hash is 8 bytes and the place of its answer in the frame 2, both little-endian; each commit appends one
chunk to its minute of arrival, and once the minute has passed its chunks become one row.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.records import Partition
from sentinel.store.schema import seen_hashes

Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.uint16]
_HASH = np.dtype("<u8")
_PLACE = np.dtype("<u2")
_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
# A minute of a busy partition is megabytes.
_ROWS_AT_ONCE = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SeenHashes:
    """Hashes of event ids, shape (n,), and the place in the frame at which each was counted, shape (n,)."""

    hashes: Hashes
    places: Places


def append(conn: Connection, partition: Partition, seen: SeenHashes, now: datetime) -> None:
    """Append the hashes of a commit to the minute of `now`, and pack the partition's past minutes.

    Without hashes it only packs.
    """
    minute = _minute_of(now)
    if seen.hashes.size:
        row = {
            "minute": minute,
            "merged": False,
            "hashes": seen.hashes.astype(_HASH).tobytes(),
            "places": seen.places.astype(_PLACE).tobytes(),
        }
        conn.execute(_APPEND, _owner(partition) | row)
    _pack(conn, partition, minute)


def load(
    conn: Connection, since: datetime, most: int, partitions: Collection[Partition] | None = None
) -> dict[datetime, SeenHashes]:
    """Return about `most` hashes of the minute of `since` and later, the newest, by the hour of arrival.

    Oldest hour first; `partitions` None is all of them. An event's hash may stand more than once; the
    earlier comes first. No more than that, and a few rows, is ever in memory.
    """
    query = sa.select(seen_hashes).where(seen_hashes.c.minute >= _minute_of(since))
    if partitions is not None:
        among = [sa.and_(*_belongs(partition)) for partition in partitions]
        query = query.where(sa.or_(sa.false(), *among))
    query = query.order_by(seen_hashes.c.minute.desc(), seen_hashes.c.id.desc())
    hours: dict[datetime, list[tuple[bytes, bytes]]] = {}
    loaded = 0
    rows = conn.execute(query.execution_options(yield_per=_ROWS_AT_ONCE))
    for row in rows:
        hours.setdefault(row.minute - (row.minute - _EPOCH) % _HOUR, []).append((row.hashes, row.places))
        loaded += len(row.hashes) // _HASH.itemsize
        if loaded >= most:
            break
    rows.close()
    return {hour: _unpacked(hours.pop(hour)[::-1]) for hour in sorted(hours)}


def _unpacked(packed: list[tuple[bytes, bytes]]) -> SeenHashes:
    return SeenHashes(
        np.frombuffer(b"".join(hashes for hashes, _ in packed), dtype=_HASH).astype(np.uint64),
        np.frombuffer(b"".join(places for _, places in packed), dtype=_PLACE).astype(np.uint16),
    )


def purge(conn: Connection, before: datetime) -> int:
    """Delete the minutes that ended at or before `before` and return how many rows that were."""
    ended = seen_hashes.c.minute < _minute_of(before)
    return conn.execute(sa.delete(seen_hashes).where(ended)).rowcount


def _pack(conn: Connection, partition: Partition, current: datetime) -> None:
    minutes = list(conn.scalars(_LOOSE, _owner(partition) | {"current": current}))
    if not minutes:
        return
    of_minutes = (*_belongs(partition), seen_hashes.c.minute.in_(minutes))
    chunks: dict[datetime, tuple[list[bytes], list[bytes]]] = {}
    for row in conn.execute(sa.select(seen_hashes).where(*of_minutes).order_by(seen_hashes.c.id)):
        hashes, places = chunks.setdefault(row.minute, ([], []))
        hashes.append(row.hashes)
        places.append(row.places)
    conn.execute(sa.delete(seen_hashes).where(*of_minutes))
    packed = [
        _owner(partition)
        | {"minute": minute, "merged": True, "hashes": b"".join(hashes), "places": b"".join(places)}
        for minute, (hashes, places) in sorted(chunks.items())
    ]
    conn.execute(sa.insert(seen_hashes), packed)


_APPEND = sa.insert(seen_hashes)
_LOOSE = (
    sa.select(seen_hashes.c.minute)
    .where(
        seen_hashes.c.topic == sa.bindparam("topic", type_=seen_hashes.c.topic.type),
        seen_hashes.c.partition == sa.bindparam("partition", type_=seen_hashes.c.partition.type),
        sa.not_(seen_hashes.c.merged),
        seen_hashes.c.minute < sa.bindparam("current", type_=seen_hashes.c.minute.type),
    )
    .distinct()
)


def _owner(partition: Partition) -> dict[str, Any]:
    return {"topic": partition.topic, "partition": partition.number}


def _belongs(partition: Partition) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return seen_hashes.c.topic == partition.topic, seen_hashes.c.partition == partition.number


def _minute_of(moment: datetime) -> datetime:
    return moment - (moment - _EPOCH) % _MINUTE
