"""Which values of a domain get a cell of their own, and which are counted as `other`.

Values come from events, so without a cap a tenant per answer would make a cell, a metric series and a
report line per answer. The cap bounds cells only; it never enters π.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

OTHER = "other"


@dataclass(frozen=True, slots=True)
class DomainParams:
    """Which attributes are domains too, and how many values of a domain get cells of their own.

    A value counts against `most_values` for `value_days` after it was first seen, so that a year of
    prompt versions does not end in `other`.
    """

    attributes: tuple[str, ...] = ()
    most_values: int = 50
    value_days: float = 90.0

    def __post_init__(self) -> None:
        if self.most_values < 1 or self.value_days <= 0:
            raise ValueError("most_values must be at least 1 and value_days positive")


class DomainCaps:
    """The known values of each domain field, with the time each was first seen."""

    def __init__(self, params: DomainParams, known: Mapping[tuple[str, str], datetime]) -> None:
        self._params = params
        self._known: dict[tuple[str, str], datetime] = {}
        self._times: dict[str, list[datetime]] = {}
        for pair in sorted(known, key=lambda pair: (known[pair], pair)):
            self._add(pair, known[pair])

    def admit(self, field: str, value: str, seen_at: datetime) -> tuple[str, bool]:
        """Return the value to count under, and whether it was unknown until now.

        A new value takes its place at once; if its batch is never committed, the caps are built anew
        from the store together with everything else the worker remembers.
        """
        if (field, value) in self._known:
            return value, False
        times = self._times.get(field, [])
        recent = len(times) - bisect_left(times, seen_at - timedelta(days=self._params.value_days))
        if recent >= self._params.most_values:
            return OTHER, False
        self._add((field, value), seen_at)
        return value, True

    def _add(self, pair: tuple[str, str], seen_at: datetime) -> None:
        self._known[pair] = seen_at
        insort(self._times.setdefault(pair[0], []), seen_at)
