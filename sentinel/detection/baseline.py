"""What a series should be this hour, and how sure that is.

A mean, plus what the hour of the day adds, plus what the hour of the week adds to that. Each addition is
shrunk towards nothing by how little the data support it (empirical Bayes on scores; the variance between
groups by moments: DerSimonian and Laird 1986, *Meta-analysis in clinical trials*). So three quiet weeks give
hour-of-week baselines, and a single afternoon gives a mean with a band as wide as rhythms usually are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from sentinel.detection.params import ShiftParams
from sentinel.detection.profile import COUNT, HOURS_OF_WEEK, SQUARES, TOTAL, Floats, Profile

#: Hours of history that the assumed rhythms are worth.
_DAY_PRIOR_HOURS = 12.0
_WEEK_PRIOR_HOURS = 48.0
_EXTREME = 1e-5
#: A null rate at which no count tells of a fall.
_NOTHING = 1e-7


@dataclass(slots=True)
class Baseline:
    """The expectation of one hour; arrays of shape (S,).

    `variance` is that of one answer, `error` the standard deviation of the baseline itself in log odds
    (rate) or in score units, difference ÷ `variance` (mean); `dispersion` is variance-to-mean.
    """

    ready: NDArray[np.bool_]
    mean: Floats
    variance: Floats
    error: Floats
    dispersion: Floats

    @classmethod
    def unknown(cls, series: int) -> Baseline:
        """Return the baseline of an app nobody has seen."""
        ones = np.ones(series)
        return cls(np.zeros(series, dtype=bool), ones / 2, ones, ones, ones)


def variance_of_rate(mean: Floats) -> Floats:
    """Return p(1−p)."""
    return np.asarray(mean * (1.0 - mean))


def hourly_baseline(profile: Profile, is_rate: NDArray[np.bool_], hour: int) -> Baseline:
    """Return the baseline for an hour (hours since 1970)."""
    params = profile.params
    means, additions = weekly_means(profile, is_rate)
    cell = hour % HOURS_OF_WEEK
    mean = means[:, cell]
    count = profile.cells[COUNT].sum(axis=1)
    spread = _spread(profile, is_rate)
    variance = np.where(is_rate, variance_of_rate(mean), spread)
    dispersion = profile.dispersion()
    level_error = dispersion / np.maximum(count * spread, 1e-9)
    error = np.sqrt(level_error + additions[:, cell] + residual_variance(profile))
    ready = (profile.hours_seen >= params.warm_up_hours) & (count >= params.warm_up_answers)
    return Baseline(ready, mean, variance, error, dispersion)


def weekly_means(profile: Profile, is_rate: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the mean of each hour of the week and the variance of what the hour adds, both (S, 168)."""
    params = profile.params
    count, total = profile.cells[COUNT], profile.cells[TOTAL]
    level = _level(profile, is_rate)[:, None]
    spread = _spread(profile, is_rate)[:, None]
    dispersion = profile.dispersion()[:, None]
    scale = np.where(is_rate[:, None], 1.0, 1.0 / np.sqrt(spread))  # assumed rhythms, in score units
    hours = profile.hours_seen[:, None]

    def by_day(cells: Floats) -> Floats:
        return np.asarray(cells.reshape(len(cells), 7, 24).sum(axis=1))

    score = by_day(total - count * level) / dispersion
    information = by_day(count) * spread / dispersion
    assumed = (params.unknown_day_rhythm * scale) ** 2
    day, day_variance = _shrunk(score, information, assumed, _DAY_PRIOR_HOURS, hours)
    daily = _within(level + spread * np.tile(day, 7), is_rate)
    daily_spread = np.where(is_rate[:, None], variance_of_rate(daily), spread)
    score = (total - count * daily) / dispersion
    information = count * daily_spread / dispersion
    assumed = (params.unknown_week_rhythm * scale) ** 2
    week, week_variance = _shrunk(score, information, assumed, _WEEK_PRIOR_HOURS, hours)
    means = _within(daily + daily_spread * week, is_rate)
    return means, np.tile(day_variance, 7) + week_variance


def note_residual(
    profile: Profile, baseline: Baseline, is_rate: NDArray[np.bool_], keep: NDArray[np.bool_]
) -> None:
    """Before an hour is closed, note how far it lay from its baseline beyond what chance explains."""
    count, total = profile.open_hour[COUNT], profile.open_hour[TOTAL]
    information = count * baseline.variance / baseline.dispersion
    use = keep & baseline.ready & (information > 0.5)
    safe = np.where(use, information, 1.0)
    score = (total - count * baseline.mean) / baseline.dispersion / safe
    noise = 1.0 / safe + baseline.error**2
    # Hours weigh by their information up to that of a deviation of a tenth.
    least = 0.01 * np.where(is_rate, 1.0, 1.0 / baseline.variance)
    weight = np.where(use, 1.0 / (noise + least) ** 2, 0.0)
    square = np.minimum(score**2, 9.0 * (noise + 2.0 * least))  # one odd hour is no rhythm
    decay = np.where(use, 0.5 ** (1.0 / (24.0 * profile.params.half_life_days)), 1.0)
    for array, addition in (
        (profile.residual_weight, weight),
        (profile.residual_square, weight * (square - 1.0 / safe)),
        (profile.residual_noise, 2.0 * (weight * noise) ** 2),
    ):
        array *= decay
        array += addition


def residual_variance(profile: Profile) -> Floats:
    """Return by how much hours differ from their baseline beyond chance, less one standard error."""
    weight = np.maximum(profile.residual_weight, 1e-12)
    excess = (profile.residual_square - np.sqrt(profile.residual_noise)) / weight
    return np.where(profile.residual_weight > 0, np.maximum(excess, 0.0), 0.0)


def null_means(baseline: Baseline, is_rate: NDArray[np.bool_], params: ShiftParams) -> tuple[Floats, Floats]:
    """Return the lower and the upper edge of what is no shift, both (S,)."""
    smallest = np.where(is_rate, params.smallest_band, params.smallest_band / np.sqrt(baseline.variance))
    band = np.sqrt(smallest**2 + (params.band_factor * baseline.error) ** 2)
    rate = np.clip(baseline.mean, _EXTREME, 1.0 - _EXTREME)
    low = np.where(is_rate, expit(logit(rate) - band), baseline.mean - baseline.variance * band)
    high = np.where(is_rate, expit(logit(rate) + band), baseline.mean + baseline.variance * band)
    # Rates below `least_rate` are all the same: one may rise only from there, and not fall any further.
    # So it is, mirrored, with rates near 1.
    least = params.least_rate
    high = np.where(is_rate, np.maximum(high, least), high)
    low = np.where(is_rate, np.minimum(low, 1.0 - least), low)
    high = np.where(is_rate & (high > 1.0 - least), 1.0 - _NOTHING, high)
    low = np.where(is_rate & (low < least), _NOTHING, low)
    return low, high


def _level(profile: Profile, is_rate: NDArray[np.bool_]) -> Floats:
    count, total = profile.cells[COUNT].sum(axis=1), profile.cells[TOTAL].sum(axis=1)
    rate = (total + 0.5) / (count + 1.0)
    mean = total / np.maximum(count, 1.0)
    return np.asarray(np.where(is_rate, np.clip(rate, _EXTREME, 1 - _EXTREME), mean))


def _spread(profile: Profile, is_rate: NDArray[np.bool_]) -> Floats:
    level = _level(profile, is_rate)
    count = np.maximum(profile.cells[COUNT].sum(axis=1), 1.0)
    spread = profile.cells[SQUARES].sum(axis=1) / count - level**2
    # Answers of one length have no spread at all; the histogram's buckets are no finer than this.
    return np.where(is_rate, variance_of_rate(level), np.maximum(spread, 1e-3))


def _within(mean: Floats, is_rate: NDArray[np.bool_]) -> Floats:
    return np.where(is_rate[:, None], np.clip(mean, _EXTREME, 1.0 - _EXTREME), mean)


def _shrunk(
    score: Floats, information: Floats, assumed: Floats, prior_hours: float, hours: Floats
) -> tuple[Floats, Floats]:
    """Deviations of groups, shrunk, and their remaining variance; all (S, G)."""
    known = information > 0
    deviation = np.divide(score, information, out=np.zeros_like(score), where=known)
    total = np.maximum(information.sum(axis=1, keepdims=True), 1e-9)
    excess = (score * deviation).sum(axis=1, keepdims=True) - (known.sum(axis=1, keepdims=True) - 1)
    scale = np.maximum(total - (information**2).sum(axis=1, keepdims=True) / total, 1e-9)
    between = np.where(known.sum(axis=1, keepdims=True) > 1, np.maximum(excess / scale, 0.0), 0.0)
    variance = (prior_hours * assumed + hours * between) / (prior_hours + hours)
    share = information * variance
    return deviation * share / (1.0 + share), variance / (1.0 + share)
