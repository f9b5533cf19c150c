"""What is simulated: how many answers, from when on, under which seed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

DAYS = 14
_CHANGE_AFTER = timedelta(days=7, hours=9)


@dataclass(frozen=True, slots=True)
class Plan:
    """`events` answers over 14 days from the Monday `begins` on; the seed decides everything else."""

    events: int
    seed: int
    begins: datetime

    @property
    def ends(self) -> datetime:
        """Return the first moment after the simulated time."""
        return self.begins + timedelta(days=DAYS)

    @property
    def prompt_changes_at(self) -> datetime:
        """Return when prompt v8 replaces v7."""
        return self.begins + _CHANGE_AFTER


def last_two_weeks(now: datetime) -> datetime:
    """Return the Monday, 00:00 UTC, that begins the last two whole ISO weeks before `now`."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - timedelta(days=midnight.weekday() + DAYS)
