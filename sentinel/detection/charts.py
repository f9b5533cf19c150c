"""Shiryaev–Roberts charts: evidence in both directions that a series has left its baseline.

R ← (1 + R)·Λ with the likelihood ratio Λ of each minute, summed over a mixture of shifts (Pollak 1985,
*Optimal detection of a change in distribution*). Without a shift R minus the minutes seen is a
martingale, so an alarm at R ≥ A comes on average not before A minutes, whatever the traffic: the threshold
is the budget of false alarms and needs no table. Log likelihood ratios are divided by the dispersion
(quasi-likelihood: McCullagh and Nelder 1989, *Generalized Linear Models*, chapter 9). A CUSUM beside each
tells since when (Page 1954, *Continuous inspection schemes*).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from sentinel.detection.baseline import Baseline, null_means
from sentinel.detection.params import ShiftParams
from sentinel.detection.profile import Floats, Ints

MINUTES_OF_BUDGET = 30 * 24 * 60
DOWN, UP = range(2)


def threshold(series: int, params: ShiftParams) -> float:
    """Return the evidence at which a chart alarms, for an app of so many series in two directions."""
    return MINUTES_OF_BUDGET * 2 * series / params.false_alarms_per_30_days


@dataclass(slots=True)
class Weights:
    """A minute's log likelihood ratio is `of_total`·total + `of_count`·count; arrays (S, 2, J)."""

    of_total: Floats
    of_count: Floats


def chart_weights(baseline: Baseline, is_rate: NDArray[np.bool_], params: ShiftParams) -> Weights:
    """Return what the charts of an hour weigh counts with, for every shift they are made for."""
    edges = null_means(baseline, is_rate, params)
    shape = (len(is_rate), 2, len(params.odds_ratios))
    weights = Weights(np.zeros(shape), np.zeros(shape))
    spread = np.sqrt(baseline.variance)[:, None]
    for direction, sign in ((DOWN, -1.0), (UP, 1.0)):
        null = edges[direction][:, None]
        steps = np.where(is_rate[:, None], np.log(params.odds_ratios), np.array(params.mean_shifts) / spread)
        of_total, of_count = likelihood_weights(null, sign * steps, baseline, is_rate)
        weights.of_total[:, direction] = of_total
        weights.of_count[:, direction] = of_count
    return weights


def likelihood_weights(
    null: Floats, step: Floats, baseline: Baseline, is_rate: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Weights of total and count in the log likelihood ratio of `null` shifted by `step` against `null`.

    `null` is (S, 1) or (S, J), `step` (S, J) in log odds (rate) or difference ÷ variance (mean).
    """
    rate = np.where(is_rate[:, None], np.clip(null, 1e-7, 1 - 1e-7), 0.5)
    shifted = np.clip(expit(logit(rate) + step), 1e-9, 1 - 1e-9)
    variance = baseline.variance[:, None]
    mean = np.where(is_rate[:, None], 0.0, null)
    moved = mean + variance * step
    of_count = np.where(
        is_rate[:, None],
        np.log1p(-shifted) - np.log1p(-rate),
        -(moved**2 - mean**2) / (2.0 * variance),
    )
    dispersion = baseline.dispersion[:, None]
    return np.broadcast_to(step, of_count.shape) / dispersion, of_count / dispersion


@dataclass(slots=True)
class Charts:
    """Evidence for each series, direction and shift, with sums since the CUSUM last stood at 0.

    Arrays: `evidence`, `cusum` (S, 2, J), `since` (S, 2, J) in minutes since 1970, `sums` (3, S, 2, J):
    count, total and expected total.
    """

    evidence: Floats
    cusum: Floats
    since: Ints
    sums: Floats

    @classmethod
    def empty(cls, series: int, shifts: int) -> Charts:
        """Return charts without evidence."""
        shape = (series, 2, shifts)
        return cls(np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=np.int64), np.zeros((3, *shape)))

    def add_minute(
        self,
        minute: int,
        sums: Floats,
        expected: Floats,
        weights: Weights,
        live: NDArray[np.bool_],
        most: float,
    ) -> None:
        """Weigh a minute's count and total, `sums` (2, S), of the series in `live`."""
        seen = (live & (sums[0] > 0)).astype(np.float64)[:, None, None]
        ratio = sums[1][:, None, None] * weights.of_total
        ratio += sums[0][:, None, None] * weights.of_count
        np.minimum(ratio, most, out=ratio)
        ratio *= seen
        self.evidence += seen
        self.evidence *= np.exp(ratio)
        self.cusum += ratio
        away = self.cusum > 0.0
        self.cusum *= away
        np.copyto(self.since, minute + 1, where=~away)
        for kept, part in zip(self.sums, (sums[0], sums[1], expected), strict=True):
            kept += part[:, None, None] * seen
            kept *= away

    def mixed(self) -> Floats:
        """Return the evidence of each series and direction, the mean over shifts; (S, 2)."""
        return np.asarray(self.evidence.mean(axis=2))

    def best(self, series: int, direction: int) -> tuple[int, Floats]:
        """Return since when the best supported shift has lasted, and its count, total, expected total."""
        shift = int(np.argmax(self.cusum[series, direction]))
        return int(self.since[series, direction, shift]), self.sums[:, series, direction, shift].copy()

    def restart(self, series: NDArray[np.bool_], minute: int) -> None:
        """Forget the evidence of these series."""
        self.evidence[series] = 0.0
        self.cusum[series] = 0.0
        self.since[series] = minute + 1
        self.sums[:, series] = 0.0
