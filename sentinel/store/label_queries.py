"""Questions that label import and reports ask across tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.schema import annotation_records, dead_letters, units

_CHUNK = 500


def drawn_among(conn: Connection, event_ids: Iterable[str]) -> frozenset[str]:
    """Return those of the event ids that are sampled units."""
    wanted = sorted(set(event_ids))
    found: set[str] = set()
    for start in range(0, len(wanted), _CHUNK):
        among = units.c.event_id.in_(wanted[start : start + _CHUNK])
        found.update(conn.scalars(sa.select(units.c.event_id).where(among)))
    return frozenset(found)


def count_outside_sample(conn: Connection) -> int:
    """Return the number of answers whose labels are all outside the probability sample."""
    records = annotation_records
    drawn = sa.func.max(sa.case((records.c.probability_sample.is_(True), 1), else_=0))
    outside = sa.select(records.c.event_id).group_by(records.c.event_id).having(drawn == 0)
    return conn.execute(sa.select(sa.func.count()).select_from(outside.subquery())).scalar_one()


def dead_letter_counts(conn: Connection, start: datetime, end: datetime) -> Counter[str]:
    """Return the parked records kept by reason; time is the earlier of the record's own and of parking.

    A record from the future counts when it came, as it does among what was not covered.
    A flood is kept only in part: `frame.not_covered_totals` counts all that could not be considered.
    """
    own, parked = dead_letters.c.record_timestamp, dead_letters.c.created_at
    moment = sa.case((own < parked, own), else_=parked)
    lower = sa.literal(start, dead_letters.c.created_at.type)
    upper = sa.literal(end, dead_letters.c.created_at.type)
    query = (
        sa.select(dead_letters.c.reason, sa.func.count().label("records"))
        .where(moment >= lower, moment < upper)
        .group_by(dead_letters.c.reason)
        .order_by(dead_letters.c.reason)
    )
    return Counter({row.reason: row.records for row in conn.execute(query)})
