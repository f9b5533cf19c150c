"""How large a shift is, with an interval, and which part of the traffic it comes from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scipy.special import ndtri

#: A part of the traffic without history is judged by its app's usual, worth so many answers.
_PRIOR_ANSWERS = 20.0
#: By how much the evidence for *one part alone* must exceed that for *all of it*.
_LEAST_ADVANTAGE = 2.0


@dataclass(frozen=True, slots=True)
class Size:
    """The mean of one answer since the onset, with its interval, beside what is usual."""

    observed: float
    lower: float
    upper: float
    usual: float
    answers: int
    level: float


@dataclass(frozen=True, slots=True)
class Part:
    """Count and total of answers, of a whole or of a slice."""

    count: float
    total: float


@dataclass(frozen=True, slots=True)
class Culprit:
    """The slice that explains most of a shift, and the share of the excess that lies in it."""

    domain: str
    value: str
    share: float
    answers: int
    observed: float
    before: float


Kind = Literal["rate", "mean"]


def shift_size(
    now: Part, expected: float, kind: Kind, variance: float, dispersion: float, level: float = 0.95
) -> Size:
    """Return the size of a shift from sums since its onset and the total expected for them.

    A rate has Wilson's interval (1927) for n ÷ dispersion answers, a mean the normal one. `variance` is
    that of one answer. The onset was chosen because it made the shift visible, so a size taken at the
    very beginning of an alarm is somewhat too large; it settles as answers come in.
    """
    count = max(now.count, 1.0)
    observed, usual = now.total / count, expected / count
    z = float(-ndtri((1.0 - level) / 2.0))
    effective = count / dispersion
    if kind == "mean":
        half = z * math.sqrt(variance / effective)
        return Size(observed, observed - half, observed + half, usual, round(now.count), level)
    centre = (observed + z * z / (2 * effective)) / (1 + z * z / effective)
    half = z / (1 + z * z / effective)
    half *= math.sqrt(observed * (1 - observed) / effective + z * z / (4 * effective**2))
    lower, upper = max(0.0, min(centre - half, observed)), min(1.0, max(centre + half, observed))
    return Size(observed, lower, upper, usual, round(now.count), level)


def culprit(
    before: Mapping[tuple[str, str], Part],
    after: Mapping[tuple[str, str], Part],
    whole_before: Part,
    whole_after: Part,
    kind: Kind,
    variance: float,
) -> Culprit | None:
    """Return the slice in which a shift lies, or None where it is as good as everywhere.

    The likelihood that one slice alone has changed is compared with that of a change of everything, as in
    Kulldorff's scan statistic (1997, *A spatial scan statistic*): a slice is named only if it explains
    the counts better than the whole does.
    """
    usual = whole_before.total / max(whole_before.count, 1.0)
    to_beat = _evidence(whole_after, usual, kind, variance) + _LEAST_ADVANTAGE
    excess = whole_after.total - whole_after.count * usual
    best: Culprit | None = None
    for (domain, value), part in sorted(after.items()):
        past = before.get((domain, value), Part(0.0, 0.0))
        expected = (past.total + _PRIOR_ANSWERS * usual) / (past.count + _PRIOR_ANSWERS)
        surplus = part.total - part.count * expected
        evidence = _evidence(part, expected, kind, variance)
        if surplus * excess <= 0 or evidence <= to_beat:
            continue
        to_beat = evidence
        observed = part.total / part.count
        best = Culprit(domain, value, min(surplus / excess, 1.0), round(part.count), observed, expected)
    return best


def _evidence(part: Part, usual: float, kind: Kind, variance: float) -> float:
    """Log likelihood ratio of a part's own mean against the usual one."""
    if part.count <= 0:
        return 0.0
    mean = part.total / part.count
    if kind == "mean":
        return float(part.count * (mean - usual) ** 2 / (2.0 * variance))
    usual = min(max(usual, 1e-5), 1 - 1e-5)
    yes = mean * math.log(mean / usual) if mean > 0 else 0.0
    no = (1 - mean) * math.log((1 - mean) / (1 - usual)) if mean < 1 else 0.0
    return float(part.count * (yes + no))
