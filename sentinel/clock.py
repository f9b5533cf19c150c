"""Time as something that is passed in, so that a test can hold it still."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the present comes from."""

    def now(self) -> datetime:
        """Return the present as an aware UTC time."""
        ...

    def monotonic_seconds(self) -> float:
        """Return seconds that never step backwards; only differences mean anything."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the machine's time in UTC."""
        return datetime.now(UTC)

    def monotonic_seconds(self) -> float:
        """Return the machine's monotonic seconds."""
        return time.monotonic()


class FixedClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime) -> None:
        if now.tzinfo is None:
            raise ValueError("a clock needs an aware time; add a UTC offset")
        self._now = now.astimezone(UTC)

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self._now

    def monotonic_seconds(self) -> float:
        """Return the set time as seconds since the epoch."""
        return self._now.timestamp()

    def set(self, now: datetime) -> None:
        """Move the clock, in either direction."""
        self._now = now.astimezone(UTC)
