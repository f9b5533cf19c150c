"""How long labels take: pauses of over a minute were spent elsewhere and are not in the seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class TimeOnTask:
    """How long one person's labels took, in seconds, over those whose time is known."""

    annotator: str
    labels: int
    median_seconds: float
    p90_seconds: float


def times_on_task(seconds: Mapping[str, Iterable[float]]) -> tuple[TimeOnTask, ...]:
    """Return the times of each annotator, by name; who has none is left out."""
    found = {annotator: sorted(times) for annotator, times in sorted(seconds.items())}
    return tuple(
        TimeOnTask(annotator, len(times), median(times), times[int(0.9 * (len(times) - 1))])
        for annotator, times in found.items()
        if times
    )
