"""The labelled units of a period as a sample for the estimators, and weighted counts of what was found."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from sentinel.estimation.sample import Sample
from sentinel.records import Annotation
from sentinel.reporting.inputs import PeriodInputs, ReviewedUnit

Key = TypeVar("Key", bound=Hashable)


def label_of(unit: ReviewedUnit) -> Annotation | None:
    """Return the label that counts for a unit; None where it has none."""
    return None if unit.adjudication is None else unit.adjudication.annotation


def labelled(units: Iterable[ReviewedUnit]) -> list[tuple[ReviewedUnit, Annotation]]:
    """Return the labelled units with their labels, in order."""
    pairs = ((unit, label_of(unit)) for unit in units)
    return [(unit, label) for unit, label in pairs if label is not None]


def sample_of(inputs: PeriodInputs) -> Sample:
    """Return all drawn units, with unlabelled ones as missing; one entry per unit, in order.

    It is a census only if every answer was drawn with certainty and labelled and none was left out of
    consideration.
    """
    return sample_of_units(inputs.units, complete=not any(inputs.not_covered.values()))


def sample_of_units(units: Sequence[ReviewedUnit], *, complete: bool = False) -> Sample:
    """Return drawn units as a sample; `complete`: whether they can be all there was."""
    labels = [label_of(unit) for unit in units]
    certain = all(unit.inclusion_probability == 1.0 for unit in units)
    known = all(label is not None for label in labels)
    return Sample(
        inclusion_probability=np.array([unit.inclusion_probability for unit in units], dtype=np.float64),
        labelled=np.array([label is not None for label in labels], dtype=np.bool_),
        answered=np.array([label is None or label.answered for label in labels], dtype=np.bool_),
        verifiable_claims=_counts(labels, "verifiable_claims"),
        unsupported_claims=_counts(labels, "unsupported_claims"),
        critical_unsupported=_counts(labels, "critical_unsupported"),
        census=bool(units) and certain and known and complete,
    )


def _counts(labels: Sequence[Annotation | None], name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([0 if label is None else getattr(label, name) for label in labels], dtype=np.float64)


def counts_and_shares(
    found: Iterable[tuple[Key, float]], keys: Iterable[Key], whole: float
) -> dict[Key, dict[str, Any]]:
    """Return for each key its number of occurrences and its weight as a share of `whole`.

    `found` yields (key, design weight) of each occurrence. Keys that did not occur count 0; without
    anything in `whole` the share is null.
    """
    counts: dict[Key, int] = dict.fromkeys(keys, 0)
    weights: dict[Key, float] = dict.fromkeys(counts, 0.0)
    for key, weight in found:
        counts[key] = counts.get(key, 0) + 1
        weights[key] = weights.get(key, 0.0) + weight
    return {
        key: {"count": count, "share": weights[key] / whole if whole > 0 else None}
        for key, count in counts.items()
    }


def share(part: float, whole: float) -> float | None:
    """Return part ÷ whole, null where there is no whole."""
    return part / whole if whole > 0 else None


def sorted_by_count(counted: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the entries with the most frequent first, equal ones by name."""
    return dict(sorted(counted.items(), key=lambda item: (-item[1]["count"], item[0])))
