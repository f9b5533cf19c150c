"""What labels of drawn answers teach the risk model, and whether the lesson is worth adopting: pure.

The new coefficients are those of design-weighted logistic regression drawn to the default ones, so that a
few labels move them little. Whether they are better is judged on answers left out of the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from sentinel.sampling.fitting import FloatArray, fit_logistic
from sentinel.sampling.risk import DEFAULT_RISK_MODEL, HIGHEST_RISK, LOWEST_RISK, RiskModel, model_of
from sentinel.sampling.risk_inputs import FEATURES

#: Precision of the prior around the default coefficients, in labels: a slope is thought to be within
#: ±0.7, the level within ±3, so that the level of an app's own traffic is learned first.
SLOPE_PRECISION = 2.0
LEVEL_PRECISION = 0.1
FOLDS = 5
#: Quantiles that stand for the predictions of a design's traffic, as many as the default model's.
_QUANTILES = 41
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Lessons:
    """Labelled drawn answers, n of them.

    Attributes:
        features: shape (n, k), in the order of `FEATURES`.
        bad: 1 where the answer has an unsupported claim, shape (n,); an abstention is 0.
        answered: 1 where it is an answer, shape (n,); `bad` is 0 elsewhere.
        design_weights: 1/π, shape (n,).
        folds: in 0 … `FOLDS` − 1, shape (n,); what belongs together (a conversation) is in one.
    """

    features: FloatArray
    bad: FloatArray
    answered: FloatArray
    design_weights: FloatArray
    folds: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bad)

    def subset(self, rows: npt.NDArray[np.bool_]) -> Lessons:
        """Return the answers of these rows."""
        return Lessons(
            self.features[rows],
            self.bad[rows],
            self.answered[rows],
            self.design_weights[rows],
            self.folds[rows],
        )


@dataclass(frozen=True, slots=True)
class Score:
    """How well predictions fit labelled answers; smaller is better.

    `log_loss` is the design-weighted mean of −log of the probability given to what was the case: a proper
    score. `plain` and `calibrated` are the variances of the estimated case rate that a draw by these
    predictions would give, over that of a uniform sample of as many: of the ratio estimator, and of the one
    calibrated on the sum of predicted risk.
    """

    log_loss: float
    plain: float
    calibrated: float

    @property
    def variance(self) -> float:
        """Return the mean of both variances: what the size measure is made to make small."""
        return (self.plain + self.calibrated) / 2.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether predictions may take the place of others."""

    better: bool
    reason: str


def fit_model(lessons: Lessons) -> RiskModel:
    """Return the model these labels ask for, drawn to the default coefficients.

    Design weights are scaled to add up to Kish's effective size, so that the labels weigh against the
    prior as many as they are worth: with one huge weight next to nothing is learned. Coefficients are
    finite whatever the labels say, and rounded to 4 decimals.
    """
    prior = np.array(DEFAULT_RISK_MODEL.coefficients())
    precision = np.full(len(prior), SLOPE_PRECISION)
    precision[0] = LEVEL_PRECISION
    found = prior
    if len(lessons):
        weights = lessons.design_weights / lessons.design_weights.max()
        weights = weights * (weights.sum() / np.sum(weights**2))
        table = np.column_stack([np.ones(len(lessons)), lessons.features])
        found = fit_logistic(table, lessons.bad, weights, prior, precision)
    rounded = (round(float(value), _DECIMALS) + 0.0 for value in found)
    return model_of(dict(zip(("intercept", *FEATURES), rounded, strict=True)))


def predictions(model: RiskModel, features: FloatArray) -> FloatArray:
    """Return the predicted risks of answers with these features, shape (n,), as the draw makes them."""
    level, *slopes = model.coefficients()
    risks = expit(np.clip(level + features @ np.array(slopes), -30.0, 30.0))
    return np.asarray(np.clip(risks, LOWEST_RISK, HIGHEST_RISK), dtype=np.float64)


def unseen_predictions(lessons: Lessons) -> FloatArray:
    """Return each answer's risk as predicted by the model fitted to the other folds, shape (n,)."""
    risks = np.zeros(len(lessons))
    for fold in range(FOLDS):
        out = lessons.folds == fold
        risks[out] = predictions(fit_model(lessons.subset(~out)), lessons.features[out])
    return risks


def score(lessons: Lessons, risks: FloatArray, base_rate: float, uniform_share: float) -> Score:
    """Return how well `risks` fit the labels.

    The variances are those of small rates: with ρ = uniform share + (1 − uniform share) · size / mean size
    the draw has π ∝ ρ, and the variance over that of a uniform sample is Σ w e²/ρ ÷ Σ w e², with e the
    residual of the estimator (Särndal, Swensson, Wretman 1992, 6.4). Zero where nothing can vary.
    """
    weights = lessons.design_weights / lessons.design_weights.sum()
    bad, answered = lessons.bad, lessons.answered
    rate = float(weights @ bad) / max(float(weights @ answered), 1e-12)
    error = bad - rate * answered
    sizes = np.sqrt((risks * (1 - 2 * base_rate) + base_rate**2 + risks * (1 - risks)) / 2)
    shares = uniform_share + (1 - uniform_share) * sizes / float(weights @ sizes)
    tension = weights / shares
    centred = risks - weights @ risks
    slope = float(tension @ (error * centred)) / max(float(tension @ centred**2), 1e-12)
    uniform = max(float(weights @ error**2), 1e-12)
    return Score(
        log_loss=float(weights @ log_losses(lessons, risks)),
        plain=float(tension @ error**2) / uniform,
        calibrated=float(tension @ (error - slope * centred) ** 2) / uniform,
    )


def log_losses(lessons: Lessons, risks: FloatArray) -> FloatArray:
    """Return −log of the probability given to each answer's outcome, shape (n,)."""
    given = np.where(lessons.bad > 0.5, risks, 1 - risks)
    return np.asarray(-np.log(given), dtype=np.float64)


def compare(
    lessons: Lessons, new: FloatArray, old: FloatArray, base_rate: float, uniform_share: float
) -> Verdict:
    """Return whether the predictions `new` are better than `old` on these answers.

    They are if the log loss is lower by more than the standard error of the difference (each answer is its
    own pair), and the predicted variance of the estimate is no higher.
    """
    weights = lessons.design_weights / lessons.design_weights.sum()
    gains = log_losses(lessons, old) - log_losses(lessons, new)
    gain = float(weights @ gains)
    error = float(np.sqrt(np.sum((weights * (gains - gain)) ** 2)))
    if gain <= error:
        return Verdict(False, f"log loss lower by {gain:.4f}, standard error {error:.4f}: within chance")
    before, after = (score(lessons, risks, base_rate, uniform_share).variance for risks in (old, new))
    if after > before:
        return Verdict(False, f"variance {after:.3f} of a uniform sample's, {before:.3f} before")
    return Verdict(True, f"log loss lower by {gain:.4f}, standard error {error:.4f}")


def quantiles(
    values: Sequence[float] | FloatArray, weights: Sequence[float] | FloatArray
) -> tuple[float, ...]:
    """Return the weighted quantiles 0, 1/40, … 1: with 1/π as weights, those of the traffic drawn from."""
    found, given = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    order = np.argsort(found, kind="stable")
    reached = np.cumsum(given[order]) / given.sum()
    # The middle of a step stands for it: its ends would count the extremes as often as the rest.
    middle = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    places = np.minimum(np.searchsorted(reached, middle), len(found) - 1)
    return tuple(round(float(value), 6) for value in found[order][places])
