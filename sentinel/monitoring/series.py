"""The one registry of series: what is watched, how it is counted, and which stored answers show it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentinel.detection.histograms import distance_scores, word_scores
from sentinel.detection.profile import Floats
from sentinel.detection.size import Kind
from sentinel.indicators.contract import INDICATOR_NAMES, LOW_OVERLAP

#: Scores are counted in thousandths by slice.
_MILLI = 1_000.0
#: Indicators that only answers of a certain kind can have; all others are shares of all answers.
_DENOMINATORS = {
    "empty_retrieval": "known_retrieval",
    "high_distance": "known_distance",
    "ungrounded_number": "known_evidence",
    "ungrounded_name": "known_evidence",
    "low_overlap": "known_evidence",
    "ungrounded_quote": "known_evidence",
    "truncated_answer": "known_finish",
    "blocked_answer": "known_finish",
    "tool_error": "known_tools",
    "denied_access": "known_access",
    "superseded_citation": "known_supersession",
}
#: Where a stored unit shows an indicator under another name than its own.
_SHOWN: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "abstained": lambda stored: stored.get("abstention") == "full",
    "partial_abstention": lambda stored: stored.get("abstention") == "partial",
    "invalid_citation": lambda stored: bool(stored.get("invalid_citations")),
    "unknown_retrieval": lambda stored: stored.get("retrieval_known") is False,
    "ungrounded_number": lambda stored: bool(stored.get("ungrounded_numbers")),
    "ungrounded_name": lambda stored: bool(stored.get("ungrounded_names")),
    "low_overlap": lambda stored: stored.get("overlap") is not None and stored["overlap"] < LOW_OVERLAP,
    "empty_answer": lambda stored: stored.get("words") == 0,
    "ungrounded_quote": lambda stored: bool(stored.get("ungrounded_quotes")),
    "tool_error": lambda stored: bool(stored.get("tool_errors")),
    "denied_access": lambda stored: bool(stored.get("denied_passages")),
    "superseded_citation": lambda stored: bool(stored.get("superseded_cited")),
}


@dataclass(frozen=True, slots=True)
class Series:
    """Something that is watched: the share `name` ÷ `denominator`, or the mean of a histogram's scores.

    `prefix` is that of the histogram's buckets, `slice_total` the name of the scores' sum in slices,
    `measure` the stored number of a unit that belongs to it.
    """

    name: str
    kind: Kind
    denominator: str
    prefix: str = ""
    slice_total: str = ""
    measure: str = ""

    def shows(self, stored: Mapping[str, Any]) -> bool:
        """Return whether the indicator fired on a stored unit."""
        shown = _SHOWN.get(self.name)
        return shown(stored) if shown else stored.get(self.name) is True

    def readable(self, mean: float) -> float:
        """Return a mean in the unit people use: a share, words, the index's distance."""
        if self.name == "answer_words":
            return math.expm1(mean)
        if self.name == "retrieval_distance" and mean > 1.0:
            return math.exp(mean - 1.0)
        return mean


SERIES: tuple[Series, ...] = (
    *(Series(name, "rate", _DENOMINATORS.get(name, "events")) for name in INDICATOR_NAMES),
    Series("answer_words", "mean", "events", "words_", "word_score", "words"),
    Series("retrieval_distance", "mean", "known_distance", "distance_", "distance_score", "max_distance"),
)
SERIES_NAMES = tuple(series.name for series in SERIES)
#: The unit of a series' size.
UNITS = {"answer_words": "words", "retrieval_distance": "distance"}
_SCORES = {"words_": word_scores(), "distance_": distance_scores()}


def are_rates() -> NDArray[np.bool_]:
    """Return which series are rates, in the registry's order."""
    return np.array([series.kind == "rate" for series in SERIES])


def minute_sums(counts: Mapping[str, int]) -> Floats:
    """Return a minute's sums, (3, series): answers, total, squares."""
    sums = np.zeros((3, len(SERIES)))
    for place, series in enumerate(SERIES):
        if series.kind == "rate":
            fired = counts.get(series.name, 0)
            sums[:, place] = counts.get(series.denominator, 0), fired, fired
        else:
            sums[:, place] = _moments(counts, series.prefix, _SCORES[series.prefix])
    return sums


def slice_part(counts: Mapping[str, int], series: Series) -> tuple[float, float]:
    """Return the count and the total of a series in a slice."""
    if series.kind == "rate":
        return float(counts.get(series.denominator, 0)), float(counts.get(series.name, 0))
    return float(counts.get(series.denominator, 0)), counts.get(series.slice_total, 0) / _MILLI


def _moments(counts: Mapping[str, int], prefix: str, scores: Sequence[float]) -> tuple[float, float, float]:
    answers = total = squares = 0.0
    for bucket, score in enumerate(scores):
        count = counts.get(f"{prefix}{bucket}", 0)
        if count:
            answers += count
            total += count * score
            squares += count * score * score
    return answers, total, squares
