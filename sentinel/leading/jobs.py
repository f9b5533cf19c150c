"""What a leader does: named jobs, and the fenced transactions in which they write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import tzinfo

from sqlalchemy import Connection

from sentinel.store import leases
from sentinel.store.database import Database
from sentinel.store.leases import Lease


@dataclass(frozen=True, slots=True)
class Turn:
    """One run of a job under the lease its process held when the run began."""

    database: Database
    lease: Lease

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Yield a connection in a write transaction that cannot outlive the lease.

        Every effect of a job belongs into such a transaction.

        Raises:
            LeaseLostError: another process leads by now, or may at any moment.
        """
        with self.database.begin() as connection:
            leases.hold(connection, self.lease)
            yield connection


@dataclass(frozen=True, slots=True)
class Weekly:
    """A moment of the week in a zone: `weekday` as `mon` … `sun`, at `hour`:00 local time."""

    weekday: str
    hour: int
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Job:
    """Work for the leader, looked at `every_seconds` and besides `at` a moment of the week.

    `run` finds in the store what is due, does it, and returns at once where nothing is: what was missed
    while nobody led is found like anything else, so no run depends on a timer's memory. It may raise;
    the failure is logged and counted, and the job tried again later.
    """

    name: str
    every_seconds: float
    run: Callable[[Turn], None]
    at: Weekly | None = None
