"""The labelled units assisted by what is known of all answers: predicted risk and counts of the frame.

A generalised difference estimator (Cassel, Särndal, Wretman 1976) in its calibrated form (Deville and
Särndal 1992): weights g·w whose totals of the auxiliaries are those of the frame. It is the difference
estimator with weights λ tuned on the sample for every rate at once, and the auxiliaries only move the
variance: however bad the prediction, the labels keep the estimate consistent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from sentinel.estimation.params import AssistanceParams
from sentinel.estimation.sample import FloatArray, Sample, TextArray
from sentinel.estimation.weighting import Weighting

_COLLINEAR = 1e-6
#: A second prediction whose spread is to a larger part that of the ones before says nothing of its own.
_OWN_SHARE = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Auxiliary:
    """A quantity known of every labelled unit, shape (n,), and its total over all answers.

    A `margin` is a column of 0 and 1, its total the number of answers with that value. The others are
    predictions.
    """

    name: str
    values: FloatArray
    total: float
    margin: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class AssistedWeighting:
    """Weights g·w of the labelled units, w those of `base`, that reproduce the known totals.

    g = 1 + x′(Σ w x x′)⁻¹(X − Σ w x). The variance is that of `base` for the scores g e / (1 − h), e the
    residual of the score on the auxiliaries by least squares weighted with w, h its leverage. e / (1 − h)
    is the residual of a fit without the unit itself, so that the weights λ, tuned on the same labels,
    take no credit for having been so (jackknife; MacKinnon and White 1985, HC3). The leverage is
    h = w x′(Σ w x x′)⁻¹x; `inverse` is (Σ w x x′)⁻¹.
    """

    base: Weighting
    adjustment: FloatArray
    design: FloatArray = field(repr=False)
    inverse: FloatArray = field(repr=False)
    leverage: FloatArray = field(repr=False)
    columns: tuple[str, ...]

    @property
    def units(self) -> Sample:
        """Return the labelled units."""
        return self.base.units

    @property
    def weights(self) -> FloatArray:
        """Return g·w."""
        return np.asarray(self.adjustment * self.base.weights)

    @property
    def exact(self) -> bool:
        """Return whether the sample is the population."""
        return self.base.exact

    @property
    def clusters(self) -> TextArray | None:
        """Return the clusters of the base."""
        return self.base.clusters

    def slopes(self, score: FloatArray) -> FloatArray:
        """Return the least-squares coefficients of `score` on the auxiliaries, the intercept first."""
        return np.asarray(self.inverse @ (self.design.T @ (self.base.weights * score)))

    def variance(self, score: FloatArray) -> float | None:
        """Return the variance of the assisted total of `score` (one entry per labelled unit)."""
        return self.base.variance(self._deleted_residuals(score))

    @property
    def is_cautious(self) -> bool:
        """Return whether the base is."""
        return self.base.is_cautious

    def cautious_variance(self, score: FloatArray) -> float | None:
        """Return the variance of the assisted total with the caution of the base."""
        return self.base.cautious_variance(self._deleted_residuals(score))

    def _deleted_residuals(self, score: FloatArray) -> FloatArray:
        residual = score - self.design @ self.slopes(score)
        return np.asarray(self.adjustment * residual / (1.0 - self.leverage))


@dataclass(frozen=True, slots=True)
class Assistance:
    """What came of it: the weighting to estimate with, and why it is no assisted one, if it is not."""

    weighting: Weighting
    columns: tuple[str, ...]
    reason: str | None


def assist(
    base: Weighting, auxiliaries: Iterable[Auxiliary], size: float, params: AssistanceParams | None = None
) -> Assistance:
    """Return `base` assisted by the auxiliaries that the sample is thick enough for.

    Args:
        base: the labelled units with their weights.
        auxiliaries: predictions and margins; where there is no room for all the first ones count, and
            no more are asked for.
        size: number of answers of the traffic.
        params: when data are too thin; see there.

    Which auxiliaries count depends on the numbers of units alone and on nothing that a reviewer found:
    a choice by the labels would pick what makes the rate look small. Where margins move weights out of
    the usual range half of them are left out, and half of those, until none is left; where predictions
    alone do so too, nothing is used.
    """
    params = params or AssistanceParams()
    reason = _too_thin(base, size, params)
    if reason is not None:
        return Assistance(base, (), reason)
    usable = _usable(base, auxiliaries, size, params)
    for chosen in _fewer_and_fewer(usable):
        assisted = _assisted(base, chosen, size, params) if chosen else None
        if assisted is not None:
            return Assistance(assisted, assisted.columns, None)
    why = "weights would leave their usual range" if usable else "no known total varies in the sample enough"
    return Assistance(base, (), why)


def _fewer_and_fewer(usable: list[Auxiliary]) -> Iterator[list[Auxiliary]]:
    """Yield the auxiliaries with all margins, the first half of them, the first quarter, … and none."""
    predictions = [one for one in usable if not one.margin]
    margins = [one for one in usable if one.margin]
    while margins:
        yield [*predictions, *margins]
        margins = margins[: len(margins) // 2]
    yield predictions
    if len(predictions) > 1:
        yield predictions[:1]


def _too_thin(base: Weighting, size: float, params: AssistanceParams) -> str | None:
    units = base.units
    failing = int(units.failing.sum())
    if base.exact:
        return "every answer was drawn and labelled"
    if not size > 0:
        return "the number of answers is not known"
    if len(units) < params.least_labelled:
        return f"{len(units)} labelled answers, {params.least_labelled} are needed"
    if failing < params.least_failing_cases:
        return f"{failing} failing cases, {params.least_failing_cases} are needed"
    return None


def _usable(
    base: Weighting, auxiliaries: Iterable[Auxiliary], size: float, params: AssistanceParams
) -> list[Auxiliary]:
    """Return the auxiliaries with enough units on both sides that the ones before do not say already."""
    n = len(base.units)
    room = min(params.most_columns, n // params.units_per_column) - 1
    roots = np.sqrt(base.weights)
    basis = [roots / np.linalg.norm(roots)]
    kept: list[Auxiliary] = []
    for one in auxiliaries if room > 0 else ():
        if one.margin:
            inside = float(one.values.sum())
            if min(inside, n - inside) < params.margin_least_units or not 0.0 < one.total < size:
                continue
        column = roots * (one.values - one.total / size)
        left = column - sum(np.dot(column, direction) * direction for direction in basis)
        # Twice is enough: the second pass takes away what rounding left of the first.
        left = left - sum(np.dot(left, direction) * direction for direction in basis)
        if np.linalg.norm(left) <= _COLLINEAR * max(float(np.linalg.norm(roots * one.values)), 1e-300):
            continue
        alone = column - np.dot(column, basis[0]) * basis[0]
        if kept and not one.margin and np.linalg.norm(left) < _OWN_SHARE * np.linalg.norm(alone):
            continue
        basis.append(left / np.linalg.norm(left))
        kept.append(one)
        if len(kept) == room:
            break
    return kept


def _assisted(
    base: Weighting, chosen: Sequence[Auxiliary], size: float, params: AssistanceParams
) -> AssistedWeighting | None:
    """Return the assisted weights; None where they or a unit's leverage are out of the usual range."""
    weights = base.weights
    columns = [np.ones(len(base.units)), *(one.values - one.total / size for one in chosen)]
    # Centred on the mean of all answers, so that every target but the number of answers is 0.
    design = np.column_stack(columns)
    scale = np.sqrt(np.average(design**2, axis=0, weights=weights))
    design = np.asarray(design / scale, dtype=np.float64)
    target = np.zeros(design.shape[1])
    target[0] = size
    inverse: FloatArray = np.asarray(np.linalg.inv(design.T @ (design * weights[:, None])), dtype=np.float64)
    adjustment: FloatArray = 1.0 + design @ (inverse @ (target - design.T @ weights))
    leverage: FloatArray = weights * np.einsum("ij,ij->i", design @ inverse, design)
    relative = adjustment * float(weights.sum()) / size
    usual = params.least_adjustment <= relative.min() and relative.max() <= params.most_adjustment
    if not usual or leverage.max() > params.most_leverage:
        return None
    names = tuple(one.name for one in chosen)
    return AssistedWeighting(base, adjustment, design, inverse, leverage, names)
