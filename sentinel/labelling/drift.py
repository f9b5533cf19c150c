"""Whether a reviewer moves away from the others who saw the same answers: how much stricter they are.

For each answer with two opinions or more, the difference between a reviewer's share of unsupported claims and
the mean of the others' on that answer. Answers differ, so people who saw other answers are not compared.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from scipy.special import stdtrit

from sentinel.records import Annotation

#: With fewer shared answers no interval is given.
FEWEST_ANSWERS = 5


@dataclass(frozen=True, slots=True)
class Stretch:
    """One stretch of time of one reviewer against the others.

    `strictness` is the mean difference of the shares of unsupported claims: above 0 finds more. `lower` and
    `upper` are its 95 % interval (Student's t over answers), None with fewer than
    five answers, or where all differ alike.
    """

    start: datetime
    answers: int
    strictness: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class ReviewerDrift:
    """A reviewer's stretches in order. `moved`: the last interval leaves out the mean of those before."""

    annotator: str
    stretches: tuple[Stretch, ...]
    moved: bool


def reviewer_drift(
    answers: Iterable[Sequence[tuple[datetime, Annotation]]], starts: Sequence[datetime]
) -> tuple[ReviewerDrift, ...]:
    """Return the drift of each reviewer over stretches that begin at `starts` (in order).

    `answers` holds for each answer the standing opinions of its annotators and when each was given.
    """
    found: defaultdict[str, defaultdict[datetime, list[float]]] = defaultdict(lambda: defaultdict(list))
    for opinions in answers:
        shares = [(at, one.annotator, _share(one)) for at, one in opinions if one.role == "annotator"]
        for at, annotator, own in shares:
            others = [share for _, other, share in shares if other != annotator]
            start = max((begin for begin in starts if begin <= at), default=None)
            if others and start is not None:
                found[annotator][start].append(own - sum(others) / len(others))
    return tuple(_drift(annotator, found[annotator]) for annotator in sorted(found))


def _share(annotation: Annotation) -> float:
    verifiable = annotation.verifiable_claims if annotation.answered else 0
    return annotation.unsupported_claims / verifiable if verifiable else 0.0


def _drift(annotator: str, by_start: dict[datetime, list[float]]) -> ReviewerDrift:
    stretches = tuple(_stretch(start, by_start[start]) for start in sorted(by_start))
    last, before = stretches[-1], stretches[:-1]
    moved = False
    if before and last.lower is not None and last.upper is not None:
        total = sum(one.answers for one in before)
        mean = sum(one.strictness * one.answers for one in before) / total
        moved = total >= FEWEST_ANSWERS and not last.lower <= mean <= last.upper
    return ReviewerDrift(annotator, stretches, moved)


def _stretch(start: datetime, differences: Sequence[float]) -> Stretch:
    n = len(differences)
    mean = sum(differences) / n
    if n < FEWEST_ANSWERS or len(set(differences)) == 1:  # one value tells nothing of the spread
        return Stretch(start, n, mean, None, None)
    spread = math.sqrt(sum((one - mean) ** 2 for one in differences) / (n - 1) / n)
    half = float(stdtrit(n - 1, 0.975)) * spread
    return Stretch(start, n, mean, mean - half, mean + half)
