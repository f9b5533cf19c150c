"""The sampling schedule: rows that say with what probability answers are drawn from when on.

The schedule is append-only. A row's numbers never change once written, so π of an answer can be
worked out again at any time from its row, its event and its record timestamp alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter

#: When row 0 begins: before any event, so that every sampling time has a row.
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_EFFECTIVE_AT = attrgetter("effective_at")


@dataclass(frozen=True, slots=True)
class Rule:
    """Answers whose `field` has this `value` are drawn with at least `probability`, until a time."""

    field: str
    value: str
    probability: float
    until: datetime | None


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """π = min(1, max(floor, uniform_probability + multiplier · size, rules that apply)).

    `take_all` maps an observed signal to the probability it asks for (1 unless it is capped);
    `design_id` names what the size measure and the draw are made of.
    """

    id: int
    effective_at: datetime
    design_id: str
    uniform_probability: float
    multiplier: float
    floor: float
    take_all: tuple[tuple[str, float], ...]
    rules: tuple[Rule, ...]
    reason: str


def row_in_force(rows: Sequence[ScheduleRow], sampling_time: datetime) -> ScheduleRow:
    """Return the last row whose `effective_at` is not after the sampling time.

    `rows` must be in order of (`effective_at`, `id`). A time before every row gets the first one.
    """
    if not rows:
        raise ValueError("an empty schedule has no row in force; row 0 is written with the store")
    position = bisect_right(rows, sampling_time, key=_EFFECTIVE_AT)
    return rows[max(position - 1, 0)]
