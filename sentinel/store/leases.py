"""Leases: of several processes one may do a kind of work, for a time that it must keep renewing.

Each time a lease changes hands its token grows. A holder's every effect is written in a transaction that
begins with `hold`, which looks at the token and at the database's clock under the row's lock: a process
that slept through its lease (stopped, suspended, cut off) can then no longer write, whatever it still
believes. See *How to do distributed locking* (Kleppmann 2016) on why a lease needs such a fence.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.errors import RejoinError
from sentinel.store.schema import leases
from sentinel.store.upsert import insert_into

_NEVER_HELD = datetime(1970, 1, 1, tzinfo=UTC)


class LeaseLostError(RejoinError):
    """The lease is no longer this holder's: nothing may be written in its name."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease as it was granted: `token` is larger than that of every holder before."""

    name: str
    holder: str
    token: int
    expires_at: datetime


def acquire(conn: Connection, name: str, holder: str, seconds: float) -> Lease | None:
    """Take the lease if it is free or has ended, or renew it if it is this holder's; else None.

    `seconds` counts from now by the database's clock. The same holder keeps its token while it renews in
    time; after that it is granted a new one like anybody else. `holder` must be unique to the process.
    """
    unclaimed = {"name": name, "holder": "", "token": 0, "expires_at": _NEVER_HELD}
    conn.execute(insert_into(conn, leases).values(unclaimed).on_conflict_do_nothing())
    row = _locked(conn, name)
    now = _database_now(conn)
    if row.expires_at > now and row.holder != holder:
        return None
    is_kept = row.expires_at > now and row.holder == holder
    granted = Lease(name, holder, row.token + (not is_kept), now + timedelta(seconds=seconds))
    conn.execute(
        sa.update(leases)
        .where(leases.c.name == name)
        .values(holder=holder, token=granted.token, expires_at=granted.expires_at)
    )
    return granted


def hold(conn: Connection, lease: Lease) -> None:
    """Make sure that the lease is this one until the transaction ends; nobody can take it meanwhile.

    Raises:
        LeaseLostError: it ended or went to another holder.
    """
    row = _locked(conn, lease.name)
    if row.token != lease.token or row.expires_at <= _database_now(conn):
        message = f"the lease {lease.name} (token {lease.token}) has ended: leave the work to its next holder"
        raise LeaseLostError(message)


def ends_at(conn: Connection, name: str) -> datetime | None:
    """Return when the lease ends unless it is renewed; None where it was never granted."""
    query = sa.select(leases.c.expires_at).where(leases.c.name == name)
    end: datetime | None = conn.execute(query).scalar_one_or_none()
    return end


def release(conn: Connection, lease: Lease) -> None:
    """Give the lease back, so that another need not wait for its end; nothing if it is already gone."""
    mine = (leases.c.name == lease.name) & (leases.c.token == lease.token)
    conn.execute(sa.update(leases).where(mine).values(expires_at=_NEVER_HELD))


def _locked(conn: Connection, name: str) -> Lease:
    query = sa.select(leases).where(leases.c.name == name).with_for_update()
    row = conn.execute(query).one_or_none()
    if row is None:
        raise LeaseLostError(f"the lease {name} was never granted in this store")
    return Lease(row.name, row.holder, row.token, row.expires_at)


def _database_now(conn: Connection) -> datetime:
    """The database's present, asked for after the lock was had: waiting for it may take a while.

    One clock for all holders. SQLite has that of its machine, which all its processes share.
    """
    if conn.dialect.name == "postgresql":
        now: datetime = conn.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
        return now.astimezone(UTC)
    text: str = conn.execute(sa.select(sa.func.strftime("%Y-%m-%dT%H:%M:%f+00:00", "now"))).scalar_one()
    return datetime.fromisoformat(text)
