"""Which values of a domain get a cell of their own, and which are counted as `other`.

Values come from events, so without a cap a tenant per answer would make a cell, a metric series and a
report line per answer. The cap bounds cells only: a new version beyond it is new all the same, and draws
with the rule for what is new.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sentinel.sampling.novelty import NOVEL_FIELDS

OTHER = "other"
#: Before the name of a field under which the store keeps what was looked at as new, with a cell or without.
NOVELTY = "novelty:"
#: Values of one field that are looked at as new within `value_days`: more are a flood, such as a version
#: that is made for every answer, and would be remembered without end.
MOST_NOVEL = 500


@dataclass(frozen=True, slots=True)
class DomainParams:
    """Which attributes are domains too, and how many values of a domain get cells of their own.

    A value counts against `most_values` for `value_days` after it was first seen, so that a year of
    prompt versions does not end in `other`. An app that calls itself `other` is counted among the rest.
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
        self._celled = _Seen(params.value_days)
        self._looked_at = _Seen(params.value_days)
        for field, value in sorted(known, key=lambda pair: (known[pair], pair)):
            seen_at, plain = known[field, value], field.removeprefix(NOVELTY)
            if field == plain:
                self._celled.add(field, value, seen_at)
            if plain in NOVEL_FIELDS:
                self._looked_at.add(plain, value, seen_at)

    def admit(self, field: str, value: str, seen_at: datetime) -> tuple[str, bool]:
        """Return the value to count under, and whether it was unknown until now.

        A new value takes its place at once; if its batch is never committed, the caps are built anew
        from the store together with everything else the worker remembers.
        """
        if self._celled.has(field, value):
            return value, False
        if self._celled.recent(field, seen_at) >= self._params.most_values:
            return OTHER, False
        self._celled.add(field, value, seen_at)
        return value, True

    def knows(self, field: str, value: str) -> bool:
        """Return whether `admit` and `notice` have nothing more to do about a value."""
        is_noticed = field not in NOVEL_FIELDS or self._looked_at.has(field, value)
        return is_noticed and self._celled.has(field, value)

    def notice(self, field: str, value: str, seen_at: datetime) -> bool:
        """Return whether a value is to be looked at as new: the first time only, and whatever its cell."""
        if field not in NOVEL_FIELDS or self._looked_at.has(field, value):
            return False
        if self._looked_at.recent(field, seen_at) >= MOST_NOVEL:
            return False
        self._looked_at.add(field, value, seen_at)
        return True


class _Seen:
    """Values by field, and how many of a field were first seen lately."""

    def __init__(self, days: float) -> None:
        self._lately = timedelta(days=days)
        self._values: set[tuple[str, str]] = set()
        self._times: dict[str, list[datetime]] = {}

    def has(self, field: str, value: str) -> bool:
        return (field, value) in self._values

    def recent(self, field: str, now: datetime) -> int:
        times = self._times.get(field, [])
        return len(times) - bisect_left(times, now - self._lately)

    def add(self, field: str, value: str, seen_at: datetime) -> None:
        if (field, value) not in self._values:
            self._values.add((field, value))
            insort(self._times.setdefault(field, []), seen_at)
