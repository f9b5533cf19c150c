"""The sampling schedule: rows that, with the answer alone, fix every inclusion probability."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Rule:
    """Answers whose `field` has `value` are drawn with at least `probability`, before `until` if set."""

    field: str
    value: str
    probability: float
    until: datetime | None


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """One row of the schedule: what enters π from `effective_at` on, under one design.

    `take_all` pairs a signal with its probability. Probabilities are in (0, 1]; `multiplier` turns a
    size measure into a probability; `floor` is the smallest π.
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
