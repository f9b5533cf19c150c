"""Calibration of the weights to known counts of the traffic (Deville and Särndal 1992)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sentinel.errors import StopError
from sentinel.estimation.sample import FloatArray, TextArray
from sentinel.estimation.weighting import DesignWeighting, LabelledUnits, spread

CalibrationMethod = Literal["poststratify", "linear", "raking"]
CALIBRATION_METHODS: tuple[CalibrationMethod, ...] = ("poststratify", "linear", "raking")
#: Weight adjustments outside this range, and cells thinner than this, are named in the notes.
_USUAL_ADJUSTMENT = (0.3, 3.0)
_THIN_CELL = 10


@dataclass(frozen=True, slots=True)
class Margin:
    """A column of the labelled units and how many answers of the traffic have each of its values."""

    name: str
    values: TextArray
    counts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class CalibratedWeighting(LabelledUnits):
    """Weights g/π that reproduce known counts; the variance is that of the residuals.

    V = Σ (1 − π) (g e / π)² with e the residual of y regressed on the calibration columns by least
    squares weighted with 1/π (Deville and Särndal 1992, eq. 3.4). `notes` say where the calibration
    leans on thin cells.

    The one unit of a lonely cell has no residual, as if it were known that all others of its cell are
    like it. Where there is such a cell `collapsed` holds the columns with it joined to another one, and
    intervals rest on the larger of both variances: a cell of one never makes them narrower than joining
    it would.
    """

    adjustment: FloatArray
    design: FloatArray
    collapsed: FloatArray | None
    notes: tuple[str, ...]

    @property
    def weights(self) -> FloatArray:
        """Return the calibrated weights."""
        return self.adjustment * self.units.design_weights

    def variance(self, score: FloatArray) -> float | None:
        """Return the variance of the calibrated total of `score`."""
        return self._residual_variance(self.design, score)

    @property
    def is_cautious(self) -> bool:
        """Return whether there is a lonely cell."""
        return self.collapsed is not None

    def cautious_variance(self, score: FloatArray) -> float | None:
        """Return the variance, or that with lonely cells joined to others where it is larger."""
        whole = self.variance(score)
        if self.collapsed is None or whole is None:
            return whole
        joined = self._residual_variance(self.collapsed, score)
        return whole if joined is None else max(whole, joined)

    def _residual_variance(self, design: FloatArray, score: FloatArray) -> float | None:
        roots = np.sqrt(self.units.design_weights)
        fit = np.linalg.lstsq(design * roots[:, None], score * roots, rcond=None)[0]
        return spread(self.units, self.weights * (score - design @ fit), self.kind)


def _scaled(margin: Margin, size: float) -> dict[str, float]:
    """Return the counts of the values that were sampled, scaled so that they sum to `size`.

    Raises:
        StopError: a sampled value has no known count.
    """
    present = [str(value) for value in np.unique(margin.values)]
    unknown = [value for value in present if not margin.counts.get(value, 0.0) > 0.0]
    if unknown:
        msg = f"calibration: the population has no count for {margin.name} value {unknown[0]!r}"
        raise StopError(msg)
    total = sum(margin.counts[value] for value in present)
    return {value: margin.counts[value] * size / total for value in present}


def _design(margins: Sequence[Margin], size: float) -> tuple[FloatArray, FloatArray]:
    """Return the calibration columns (n, k) and their known totals (k,)."""
    columns, targets = [np.ones(margins[0].values.shape[0])], [size]
    for margin in margins:
        for value, count in list(_scaled(margin, size).items())[1:]:
            columns.append((margin.values == value).astype(np.float64))
            targets.append(count)
    return np.column_stack(columns), np.asarray(targets)


def _collapsed(margins: Sequence[Margin]) -> FloatArray | None:
    """Return the calibration columns with cells of one unit joined to the smallest other cell.

    None where every cell has two units or more.
    """
    columns, lonely_found = [np.ones(margins[0].values.shape[0])], False
    for margin in margins:
        counts = dict(zip(*np.unique(margin.values, return_counts=True), strict=True))
        lonely = [value for value, count in counts.items() if count < 2]
        others = [value for value, count in counts.items() if count >= 2]
        lonely_found |= bool(lonely)
        home = min(others, key=lambda value: (counts[value], value), default=None)
        for value in others:
            members = [value, *lonely] if value == home else [value]
            columns.append(np.isin(margin.values, members).astype(np.float64))
    return np.column_stack(columns) if lonely_found else None


def _linear(weights: FloatArray, design: FloatArray, targets: FloatArray) -> FloatArray:
    """Return g = 1 + x′λ: the generalised regression estimator."""
    gram = design.T @ (design * weights[:, None])
    step = np.linalg.lstsq(gram, targets - design.T @ weights, rcond=None)[0]
    return np.asarray(1.0 + design @ step)


def _raking(weights: FloatArray, design: FloatArray, targets: FloatArray) -> FloatArray:
    """Return g = exp(x′λ), always positive, by Newton steps on the calibration equations.

    Raises:
        StopError: the steps do not converge, because the counts contradict each other.
    """
    adjustment = np.ones_like(weights)
    exponent = np.zeros_like(weights)
    for _ in range(200):
        current = weights * adjustment
        gap = targets - design.T @ current
        if np.max(np.abs(gap)) <= 1e-12 * max(1.0, float(np.max(targets))):
            return adjustment
        gram = design.T @ (design * current[:, None])
        exponent = exponent + design @ np.linalg.lstsq(gram, gap, rcond=None)[0]
        adjustment = np.exp(np.clip(exponent, -50.0, 50.0))
    if np.max(np.abs(gap)) <= 1e-9 * float(np.max(targets)):
        return adjustment
    raise StopError("calibration: raking does not converge; the population counts contradict the sample")


def _notes(margins: Sequence[Margin], adjustment: FloatArray) -> tuple[str, ...]:
    notes = []
    for margin in margins:
        for value, count in zip(*np.unique(margin.values, return_counts=True), strict=True):
            if count < 2:
                notes.append(
                    f"{margin.name}={value} has one labelled unit, whose error cannot be seen: intervals "
                    "rest on the larger error of that cell joined with another"
                )
            elif count < _THIN_CELL:
                notes.append(f"calibration rests on {count} labelled units of {margin.name}={value}")
    low, high = float(adjustment.min()), float(adjustment.max())
    if low < _USUAL_ADJUSTMENT[0] or high > _USUAL_ADJUSTMENT[1]:
        notes.append(f"calibration changes weights by factors of {low:.2f} to {high:.2f}")
    return tuple(notes)


def calibrate(
    base: DesignWeighting, margins: Sequence[Margin], size: float, method: CalibrationMethod
) -> CalibratedWeighting:
    """Return weights of the labelled units that reproduce the counts of every margin.

    Counts of values that were not sampled are spread over the sampled ones, so that every margin sums to
    `size`, the number of answers of the traffic. `poststratify` takes one margin; give it the crossed
    column for several.

    Raises:
        StopError: no labelled units, an unknown count, or counts that cannot be met.
    """
    if method not in CALIBRATION_METHODS:
        msg = f"calibration {method!r} is unknown: choose one of {', '.join(CALIBRATION_METHODS)}"
        raise StopError(msg)
    if len(base.units) == 0 or not margins or not size > 0:
        raise StopError("calibration: needs labelled units, a margin and the size of the population")
    design, targets = _design(margins, size)
    solve = _raking if method == "raking" else _linear
    adjustment = solve(base.weights, design, targets)
    if np.any(adjustment <= 0.0):
        raise StopError("calibration: a linear adjustment makes a weight negative; use raking")
    reached = design.T @ (base.weights * adjustment)
    if not np.allclose(reached, targets, rtol=1e-6):
        raise StopError("calibration: the population counts cannot be met by this sample")
    notes = _notes(margins, adjustment)
    return CalibratedWeighting(base.units, base.kind, adjustment, design, _collapsed(margins), notes)
