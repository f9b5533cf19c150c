"""How much each labelled unit counts, and the variance that comes with it.

A weighting holds the weights of the labelled units and turns a *score* into a variance. The score of a
total is the value itself; that of a ratio its linearised residual, so that every estimator of this
package needs only its scores (Binder 1983, *On the variances of asymptotically normal estimators from
complex surveys*).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from sentinel.errors import StopError
from sentinel.estimation.sample import BoolArray, FloatArray, Sample, TextArray

Variance = Literal["poisson", "ultimate-cluster"]
VARIANCES: tuple[Variance, ...] = ("poisson", "ultimate-cluster")


class Weighting(Protocol):
    """What an estimator needs to know of weights; arrays have one entry per labelled unit."""

    @property
    def units(self) -> Sample:
        """Return the labelled units."""

    @property
    def weights(self) -> FloatArray:
        """Return the weights."""

    @property
    def exact(self) -> bool:
        """Return whether the sample is the population, so that there is no sampling error."""

    @property
    def clusters(self) -> TextArray | None:
        """Return the cluster of each unit where the variance is taken over clusters, else None."""

    def variance(self, score: FloatArray) -> float | None:
        """Return the estimated variance of the weighted total of `score`, None where undefined."""

    @property
    def is_cautious(self) -> bool:
        """Return whether the cautious variance can be larger than the variance."""

    def cautious_variance(self, score: FloatArray) -> float | None:
        """Return the variance that an interval rests on: at least `variance`."""


def poisson_variance(probability: FloatArray, weighted: FloatArray) -> float:
    """Return Σ (1 − π) z², z the weighted score w·e: units draw independently, certain ones add nothing.

    With z = e / π this is Σ (1 − π) e² / π², unbiased for the variance of the Horvitz–Thompson total
    under Poisson sampling (Särndal, Swensson, Wretman 1992, *Model Assisted Survey Sampling*, 3.5).
    """
    return float(np.sum((1.0 - probability) * weighted**2))


def cluster_variance(weighted: FloatArray, clusters: TextArray | None) -> float | None:
    """Return n/(n − 1) Σ (z_g − z̄)² over the totals z_g of the n ultimate clusters; None for n < 2.

    The with-replacement variance: it speaks of traffic to come and of cases that cluster in
    conversations, and has no finite-population correction (Hansen, Hurwitz, Madow 1953).
    """
    totals = weighted
    if clusters is not None:
        groups = np.unique(clusters, return_inverse=True)[1]
        totals = np.bincount(groups, weights=weighted).astype(np.float64) if weighted.size else weighted
    count = totals.size
    if count < 2:
        return None
    return float(count / (count - 1) * np.sum((totals - totals.mean()) ** 2))


def spread(units: Sample, weighted: FloatArray, variance: Variance) -> float | None:
    """Return the variance of the sum of `weighted` (one entry per unit) by the rule named."""
    if variance == "poisson":
        return poisson_variance(units.inclusion_probability, weighted)
    return cluster_variance(weighted, units.cluster)


@dataclass(frozen=True, slots=True)
class LabelledUnits:
    """The labelled units and the rule of their variance: what every weighting has."""

    units: Sample
    kind: Variance

    @property
    def exact(self) -> bool:
        """Return whether this is a census and the question is about the census only."""
        return bool(self.units.census) and self.kind == "poisson"

    @property
    def clusters(self) -> TextArray | None:
        """Return the clusters where the variance is taken over them."""
        return self.units.cluster if self.kind == "ultimate-cluster" else None


@dataclass(frozen=True, slots=True)
class DesignWeighting(LabelledUnits):
    """Weights 1 / π of the labelled units: the Horvitz–Thompson and Hájek estimators."""

    @property
    def weights(self) -> FloatArray:
        """Return 1 / π."""
        return self.units.design_weights

    def variance(self, score: FloatArray) -> float | None:
        """Return the design variance of Σ score / π."""
        return spread(self.units, self.weights * score, self.kind)

    @property
    def is_cautious(self) -> bool:
        """Return False: nothing of the design variance is hidden."""
        return False

    def cautious_variance(self, score: FloatArray) -> float | None:
        """Return the design variance."""
        return self.variance(score)


def design_weighting(sample: Sample, variance: Variance = "poisson") -> DesignWeighting:
    """Return the design weights of the labelled units of `sample`.

    Raises:
        StopError: `variance` is not one of `VARIANCES`.
    """
    if variance not in VARIANCES:
        msg = f"variance {variance!r} is unknown: choose one of {', '.join(VARIANCES)}"
        raise StopError(msg)
    return DesignWeighting(sample.subset(sample.labelled), variance)


def kish_effective_size(weights: FloatArray) -> float | None:
    """Return (Σw)² / Σw² (Kish 1965, *Survey Sampling*), None without units."""
    if weights.size == 0:
        return None
    scaled = weights / weights.max()
    return float(scaled.sum() ** 2 / np.sum(scaled**2))


def weighting_design_effect(weights: FloatArray) -> float | None:
    """Return n Σw² / (Σw)² = 1 + cv²(w): the variance lost to unequal weights (Kish 1965)."""
    size = kish_effective_size(weights)
    return None if size is None else float(weights.size / size)


def largest_share(weights: FloatArray) -> float:
    """Return the share of the total weight that the heaviest unit carries; 0 without units."""
    return float(weights.max() / weights.sum()) if weights.size else 0.0


def everywhere(units: Sample) -> BoolArray:
    """Return the mask of a domain that holds every unit."""
    return np.ones(len(units), dtype=np.bool_)
