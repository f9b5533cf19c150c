"""Which lines of a file were refused, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_SHOWN = 5


@dataclass(slots=True)
class RefusedLines:
    """How many lines were refused by reason, and the numbers of the first five of each, from 1."""

    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, list[int]] = field(default_factory=dict)

    def add(self, reason: str, number: int) -> None:
        """Count one refused line."""
        self.counts[reason] += 1
        numbers = self.first.setdefault(reason, [])
        if len(numbers) < _SHOWN:
            numbers.append(number)

    def by_reason(self) -> str:
        """Return reasons, counts and line numbers as words: `not_json 2 (lines 4, 9)`."""
        return ", ".join(self._reason(reason) for reason in sorted(self.counts))

    def _reason(self, reason: str) -> str:
        numbers, count = self.first[reason], self.counts[reason]
        shown = ", ".join(f"{number}" for number in numbers) + (", …" if count > len(numbers) else "")
        return f"{reason} {count} (line{'s' if count > 1 else ''} {shown})"
