"""Estimate, truth and the plain average of the drawn answers, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sentinel.demo.truth import Truth, true_rates

Level = Literal["case", "claim"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One rate: what the report says, what is true, and what an unweighted average would have said.

    Shares, not percentages; None is *not published* (`estimate`, `lower`, `upper`) or *no denominator*.
    """

    name: str
    level: Level
    estimate: float | None
    lower: float | None
    upper: float | None
    truth: float | None
    plain_average: float | None

    @property
    def holds(self) -> bool | None:
        """Return whether the interval holds the truth; None where one of them is missing."""
        if self.lower is None or self.upper is None or self.truth is None:
            return None
        return self.lower <= self.truth <= self.upper


def compare(document: Mapping[str, Any], truths: Iterable[Truth]) -> list[Compared]:
    """Return the rates of all traffic, and the case rate of each prompt version, next to the truth.

    `truths` are those of every answer of the report's period that could have been drawn.
    """
    known = list(truths)
    whole = true_rates(known)
    rates = document["rates"]
    rows = [
        _compared("case rate", "case", rates["case"], whole.case),
        _compared("claim rate", "claim", rates["claim"], whole.claim),
    ]
    for part in sorted(document["slices"], key=lambda one: str(one["value"])):
        if part["domain"] == "prompt_version":
            version = part["value"]
            true = true_rates(one for one in known if one.domains["prompt_version"] == version)
            rows.append(_compared(f"case rate, {version}", "case", part["case"], true.case))
    return rows


def _compared(name: str, level: Level, rate: Mapping[str, Any], truth: float | None) -> Compared:
    denominator = rate["denominator"]
    plain = rate["numerator"] / denominator if denominator else None
    return Compared(name, level, rate["estimate"], rate["lower"], rate["upper"], truth, plain)
