"""Cohen's kappa and Krippendorff's alpha for nominal verdicts, each with an interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sentinel.labelling.agreement import agreement

_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of agreement with a 95 % interval; None is *cannot be worked out*.

    `units` are the things judged twice or more, `agreeing` of `pairs` the pairs of equal verdicts.
    """

    value: float | None
    lower: float | None
    upper: float | None
    units: int
    pairs: int
    agreeing: int

    @property
    def share(self) -> float | None:
        """Return the share of equal pairs."""
        return self.agreeing / self.pairs if self.pairs else None


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> Coefficient:
    """Return Cohen's kappa of two raters: each pair is what the first and the second said of one thing.

    κ = (p_o − p_e) / (1 − p_e). The interval is κ ± 1.96 s with the large-sample standard error of Fleiss,
    Cohen and Everitt (1969), *Large sample standard errors of kappa and weighted kappa*. Undefined where
    both always say one and the same. Where one of them always does, κ is 0 whatever the other says and the
    formula gives an error of 0: there is no interval then.
    """
    n = len(pairs)
    equal = sum(a == b for a, b in pairs)
    if n == 0:
        return Coefficient(None, None, None, 0, 0, 0)
    rows, columns, both = Counter(a for a, _ in pairs), Counter(b for _, b in pairs), Counter(pairs)
    observed = equal / n
    expected = sum(rows[c] * columns[c] for c in rows) / n**2
    if expected >= 1.0:
        return Coefficient(None, None, None, n, n, equal)
    kappa = (observed - expected) / (1.0 - expected)
    if min(len(rows), len(columns)) == 1:
        return Coefficient(kappa, None, None, n, n, equal)
    on = sum(
        both[c, c] / n * (1.0 - (rows[c] + columns[c]) / n * (1.0 - kappa)) ** 2 for c in {*rows, *columns}
    )
    off = (1.0 - kappa) ** 2 * sum(
        count / n * ((columns[a] + rows[b]) / n) ** 2 for (a, b), count in both.items() if a != b
    )
    rest = (kappa - expected * (1.0 - kappa)) ** 2
    variance = max(0.0, (on + off - rest) / ((1.0 - expected) ** 2 * n))
    half = _Z95 * math.sqrt(variance)
    return Coefficient(kappa, max(-1.0, kappa - half), min(1.0, kappa + half), n, n, equal)


def krippendorff_alpha(verdicts: Sequence[Sequence[Hashable]]) -> Coefficient:
    """Return Krippendorff's alpha over things with the verdicts of all who judged each.

    The interval is α ± 1.96 s with the jackknife's standard error over things (Efron & Stein 1981): no
    random numbers, so the same labels always give the same interval. None below three things.
    """
    paired = [tuple(one) for one in verdicts if len(one) >= 2]
    whole = agreement(paired)
    if whole.alpha is None:
        return Coefficient(None, None, None, whole.units, whole.pairs, whole.agreeing)
    half = _jackknife(paired)
    lower = None if half is None else max(-1.0, whole.alpha - half)
    upper = None if half is None else min(1.0, whole.alpha + half)
    return Coefficient(whole.alpha, lower, upper, whole.units, whole.pairs, whole.agreeing)


def _jackknife(paired: Sequence[tuple[Hashable, ...]]) -> float | None:
    """Half the width of the interval: things with equal verdicts leave the same α when they are left out."""
    kinds = Counter(_shape(one) for one in paired)
    n = len(paired)
    left_out: list[tuple[float, int]] = []
    for shape, times in kinds.items():
        alpha = _alpha_of(kinds - Counter([shape]))
        if alpha is None:
            return None
        left_out.append((alpha, times))
    if n < 3:
        return None
    mean = sum(alpha * times for alpha, times in left_out) / n
    variance = (n - 1) / n * sum(times * (alpha - mean) ** 2 for alpha, times in left_out)
    return _Z95 * math.sqrt(variance)


_Shape = frozenset[tuple[Hashable, int]]


def _shape(verdicts: tuple[Hashable, ...]) -> _Shape:
    return frozenset(Counter(verdicts).items())


def _alpha_of(kinds: Counter[_Shape]) -> float | None:
    observed, everything = 0.0, Counter[Hashable]()
    for shape, times in kinds.items():
        counts = [number for _, number in shape]
        m = sum(counts)
        unequal = m * m - sum(number * number for number in counts)
        observed += times * unequal / (m - 1)
        for value, number in shape:
            everything[value] += times * number
    total = sum(everything.values())
    expected = total * total - sum(number * number for number in everything.values())
    return None if expected == 0 else 1.0 - (total - 1) * observed / expected
