"""How far reviewers who saw the same answer agree: percentage and Krippendorff's alpha."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from sentinel.records import Annotation


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on nominal verdicts.

    Attributes:
        units: answers with two verdicts or more.
        pairs: pairs of verdicts on the same answer.
        agreeing: pairs that are equal.
        alpha: Krippendorff's alpha; None without pairs, or where all verdicts are the same, so that no
            disagreement could have been expected by chance either.
    """

    units: int
    pairs: int
    agreeing: int
    alpha: float | None

    @property
    def share(self) -> float | None:
        """Return the share of pairs that are equal; None without pairs."""
        return self.agreeing / self.pairs if self.pairs else None


def verdict(annotation: Annotation) -> str:
    """Return what an opinion says of a whole answer: `abstained`, `unsupported` or `supported`."""
    if not annotation.answered:
        return "abstained"
    return "unsupported" if annotation.unsupported_claims else "supported"


def agreement(verdicts: Iterable[Sequence[Hashable]]) -> Agreement:
    """Return the agreement on answers, each with the verdicts of all who judged it.

    α = 1 − D_o / D_e with, over answers of m ≥ 2 verdicts, D_o the mean share of unequal pairs (each
    answer with weight m) and D_e the share of unequal pairs among all verdicts together (Krippendorff
    2011, *Computing Krippendorff's alpha-reliability*, nominal data). Answers with one verdict do not
    enter.
    """
    paired = [tuple(one) for one in verdicts if len(one) >= 2]
    pairs = agreeing = 0
    observed, everything = 0.0, Counter[Hashable]()
    for one in paired:
        equal = sum(first == second for first, second in combinations(one, 2))
        count = len(one) * (len(one) - 1) // 2
        pairs, agreeing = pairs + count, agreeing + equal
        observed += (count - equal) * 2.0 / (len(one) - 1)
        everything.update(one)
    total = sum(everything.values())
    expected = total * total - sum(number * number for number in everything.values())
    alpha = None if expected == 0 else 1.0 - (total - 1) * observed / expected
    return Agreement(len(paired), pairs, agreeing, alpha)
