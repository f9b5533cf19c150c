"""Drawn units without a label: weighting classes, their two-phase variance, and worst-case bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sentinel.errors import StopError
from sentinel.estimation.sample import FloatArray, Sample, TextArray
from sentinel.estimation.weighting import LabelledUnits, Variance, cluster_variance

ClassArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ResponseWeighting(LabelledUnits):
    """Weights 1/(π φ_c), φ_c the weighted share of labelled units in class c (Oh and Scheuren 1983).

    With m_c the class mean of the score y over its labelled units and z = m_c + (R/φ_c)(y − m_c), R = 1
    for a labelled unit, the two-phase variance is Σ_drawn w² z² − Σ_labelled (w/φ_c) y² (Särndal and
    Lundström 2005, *Estimation in Surveys with Nonresponse*); for the ultimate-cluster variance it is
    that of the totals of w z over all drawn units. Labels are taken to be missing at random in a class.

    Attributes:
        sample: all drawn units, labelled or not.
        classes: weighting class of every drawn unit, as a number.
        names: name of every class.
        response: φ of every class.
        weighted_response_rate: Σ_labelled w / Σ_drawn w.
        notes: classes that had to be merged.
    """

    sample: Sample
    classes: ClassArray
    names: TextArray
    response: FloatArray
    weighted_response_rate: float
    notes: tuple[str, ...]

    @property
    def weights(self) -> FloatArray:
        """Return 1/(π φ) of the labelled units."""
        return np.asarray(self.units.design_weights / self.response[self._labelled_classes])

    @property
    def exact(self) -> bool:
        """Return whether every answer of the traffic is in the sample and labelled."""
        return bool(self.sample.census) and self.kind == "poisson"

    @property
    def _labelled_classes(self) -> ClassArray:
        return self.classes[self.sample.labelled]

    def variance(self, score: FloatArray) -> float | None:
        """Return the two-phase variance of the adjusted total of `score` (one entry per labelled unit)."""
        design, labelled = self.sample.design_weights, self.sample.labelled
        classes, count = self._labelled_classes, self.response.size
        mass = np.bincount(classes, weights=design[labelled], minlength=count)
        means = np.bincount(classes, weights=design[labelled] * score, minlength=count) / mass
        values = means[self.classes]
        values[labelled] += (score - means[classes]) / self.response[classes]
        weighted = design * values
        if self.kind == "ultimate-cluster":
            return cluster_variance(weighted, self.sample.cluster)
        first = float(np.sum(weighted**2))
        return max(first - float(np.sum(self.weights * score**2)), 0.0)

    @property
    def is_cautious(self) -> bool:
        """Return whether there is a lonely class."""
        return self._with_lonely_joined() is not None

    def cautious_variance(self, score: FloatArray) -> float | None:
        """Return the two-phase variance, or that with lonely classes joined where it is larger.

        The one labelled unit of a class stands for all of its class and has no residual of its own.
        """
        whole = self.variance(score)
        joined = self._with_lonely_joined()
        other = None if joined is None else joined.variance(score)
        return whole if whole is None or other is None else max(whole, other)

    def _with_lonely_joined(self) -> ResponseWeighting | None:
        """Return the weighting with classes of one label joined to the smallest other one; None: no such."""
        labels = np.bincount(self._labelled_classes, minlength=self.response.size)
        drawn = np.bincount(self.classes, minlength=self.response.size)
        lonely = (labels < 2) & (drawn > labels)
        if not np.any(lonely) or np.all(lonely):
            return None
        home = int(np.argmin(np.where(lonely, np.iinfo(np.int64).max, labels)))
        names = np.where(lonely[self.classes], home, self.classes).astype(np.str_)
        return adjust_for_nonresponse(self.sample, names, self.kind)


def _merge_empty(names: TextArray, labelled: FloatArray) -> tuple[TextArray, tuple[str, ...]]:
    """Return classes that all have a labelled unit: an empty one joins the smallest that has some."""
    present = {str(name): int(labelled[names == name].sum()) for name in np.unique(names)}
    empty = [name for name, count in present.items() if count == 0]
    if not empty:
        return names, ()
    home = min((name for name, count in present.items() if count), key=lambda name: (present[name], name))
    merged = np.where(np.isin(names, empty), home, names)
    return merged, tuple(f"no label in class {name!r}: merged with {home!r}" for name in empty)


def adjust_for_nonresponse(
    sample: Sample, classes: TextArray, variance: Variance = "poisson"
) -> ResponseWeighting:
    """Return the weights of the labelled units adjusted within `classes` (one entry per drawn unit).

    Raises:
        StopError: nothing is labelled.
    """
    if not np.any(sample.labelled):
        raise StopError("nonresponse: no drawn unit has a label, so that nothing can be adjusted")
    merged, notes = _merge_empty(classes, sample.labelled.astype(np.float64))
    named, places = np.unique(merged, return_inverse=True)
    numbers = places.astype(np.intp)
    design = sample.design_weights
    drawn = np.bincount(numbers, weights=design)
    answered = np.bincount(numbers, weights=design * sample.labelled)
    overall = float(design[sample.labelled].sum() / design.sum())
    units = sample.subset(sample.labelled)
    return ResponseWeighting(units, variance, sample, numbers, named, answered / drawn, overall, notes)


def worst_case_claim_bounds(
    sample: Sample, most_claims: FloatArray, *, critical: bool = False
) -> tuple[float, float] | None:
    """Return the claim rate if every missing claim were supported, and if none were (Manski 1990).

    `most_claims` holds for each drawn unit the most verifiable claims that its answer can have (those
    extracted from it). With m of them in answers without a label the bounds are [u/(v+m), (u+m)/(v+m)],
    all design-weighted: the first falls and the second rises with m. None without any claim.
    """
    weights = sample.design_weights
    found = sample.critical_unsupported if critical else sample.unsupported_claims
    bad = float(np.sum(weights * found))
    missing = float(np.sum((weights * most_claims)[~sample.labelled & sample.answered]))
    total = float(np.sum(weights * sample.verifiable_claims)) + missing
    return (bad / total, (bad + missing) / total) if total > 0.0 else None


def worst_case_bounds(sample: Sample) -> tuple[float, float] | None:
    """Return the case rate if every missing label were good, and if every one were bad (Manski 1990).

    [b / W, (b + m) / W] with design weights: b of failing answered cases, m of answered cases without a
    label, W of all answered cases. No assumption on why labels are missing; None without an answered case.
    """
    weights = sample.design_weights * sample.answered
    total = float(weights.sum())
    if total <= 0.0:
        return None
    bad = float(np.sum(weights * sample.failing))
    missing = float(np.sum(weights[~sample.labelled]))
    return bad / total, (bad + missing) / total
