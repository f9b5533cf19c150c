"""A process's part in leading: it keeps asking for the lease, and runs the jobs while it has it."""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Sequence
from datetime import datetime
from types import TracebackType
from typing import Self

from sentinel.clock import Clock
from sentinel.errors import SentinelError
from sentinel.leading.jobs import Job
from sentinel.leading.params import LeaderParams
from sentinel.leading.timetable import Timetable
from sentinel.store import leases
from sentinel.store.database import Database
from sentinel.store.leases import Lease
from sentinel.telemetry import catalogue as c
from sentinel.telemetry.health import Health
from sentinel.telemetry.logs import get_logger
from sentinel.telemetry.metrics import Metrics

log = get_logger("leading")
LEASE_NAME = "scheduled work"
#: A lease is asked for so many times while it lasts: one request may fail without losing it.
_RENEWALS = 3
#: The wall clock that drives the timetable may be off the monotonic one by so much before it is set anew.
_STEP_SECONDS = 2.0


class Leader:
    """Asks for the lease of scheduled work until stopped, and does the work while it holds it.

    A context manager. Any number of processes may run one on the same store; at most one leads.
    """

    def __init__(
        self,
        database: Database,
        jobs: Sequence[Job],
        params: LeaderParams,
        metrics: Metrics,
        health: Health,
        clock: Clock,
    ) -> None:
        self._database = database
        self._params = params
        self._metrics = metrics
        self._clock = clock
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
        self._lease: Lease | None = None
        self._held_until = 0.0
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep_asking, name="lease", daemon=True)
        self._timetable = Timetable(database, jobs, params, self.lease, metrics, health, clock)

    def __enter__(self) -> Self:
        self._metrics.set(c.LEADER_ACTIVE, 0.0)
        self._timetable.start()
        # Before anything else is done: a lone process leads from its first answer on.
        self._ask()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def lease(self) -> Lease | None:
        """Return the lease while this process may believe that it leads; the store has the last word."""
        with self._lock:
            if self._clock.monotonic_seconds() >= self._held_until:
                return None
            return self._lease

    def settle(self) -> None:
        """Wait until this process leads, or another one proves to be alive by renewing the lease.

        At the longest until the lease that was found has ended: a process that was killed may have held it.
        """
        deadline = self._clock.monotonic_seconds() + self._params.lease_seconds
        found = self._lease_ends_at()
        while self.lease() is None and self._clock.monotonic_seconds() < deadline:
            if self._stopping.wait(min(1.0, self._params.lease_seconds / 10)):
                return
            self._ask()
            if self.lease() is None and self._lease_ends_at() != found:
                return

    def stop(self) -> None:
        """Start no more jobs, wait for those that run, then give the lease back."""
        if self._stopping.is_set():
            return
        self._timetable.stop()
        self._stopping.set()
        self._thread.join()
        lease = self.lease()
        if lease is None:
            return
        try:
            with self._database.begin() as connection:
                leases.release(connection, lease)
        except SentinelError as error:
            log.warning("lease not given back", error=str(error))
        self._metrics.set(c.LEADER_ACTIVE, 0.0)

    def _keep_asking(self) -> None:
        pause = self._params.lease_seconds / _RENEWALS
        offset = self._clock_offset()
        while not self._stopping.wait(pause):
            self._ask()
            if abs(self._clock_offset() - offset) > _STEP_SECONDS:
                offset = self._clock_offset()
                log.warning("the wall clock was set: jobs are looked at anew")
                self._timetable.look_now()

    def _ask(self) -> None:
        """Ask for the lease once; its time counts from before the request, so it never seems longer."""
        asked_at = self._clock.monotonic_seconds()
        try:
            with self._database.begin() as connection:
                lease = leases.acquire(connection, LEASE_NAME, self._holder, self._params.lease_seconds)
        except SentinelError as error:
            log.warning("lease not renewed", error=str(error))
            lease = self.lease()
        else:
            with self._lock:
                is_new = lease is not None and (self._lease is None or self._lease.token != lease.token)
                self._lease = lease
                self._held_until = asked_at + self._params.lease_seconds if lease else 0.0
            if lease is not None and is_new:
                log.info("leading", token=lease.token)
                self._timetable.look_now()
        self._metrics.set(c.LEADER_ACTIVE, 0.0 if lease is None else 1.0)

    def _lease_ends_at(self) -> datetime | None:
        try:
            with self._database.read() as connection:
                return leases.ends_at(connection, LEASE_NAME)
        except SentinelError:
            return None

    def _clock_offset(self) -> float:
        return self._clock.now().timestamp() - self._clock.monotonic_seconds()
