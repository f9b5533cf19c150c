"""Simulated minute counts of many apps: rhythms of day and week, overdispersion, changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import norm

from sentinel.detection.histograms import WORD_EDGES, word_scores

Floats = NDArray[np.float64]

#: Indicator rates of a plausible app, from hardly ever to often, as many as are watched; then come means.
RATES = (
    *(0.05, 0.02, 0.03, 0.10, 0.002, 0.06, 0.05, 0.01, 0.15),
    *(0.20, 0.001, 0.04, 0.0005, 0.005, 0.003, 0.08, 0.01, 0.12),
)
RATE_SERIES = len(RATES)
MEAN_SERIES = 2
SERIES = RATE_SERIES + MEAN_SERIES
IS_RATE = np.array([True] * RATE_SERIES + [False] * MEAN_SERIES)
LOG_LENGTH = (4.6, 0.7)
#: A Monday, in minutes since 1970.
MONDAY = 20_419 * 1440
VARIANCE_TO_MEAN = 1.3


@dataclass(frozen=True)
class Change:
    """What is different from a moment on: rates by series, and a factor on lengths by mean series."""

    rates: dict[int, float] = field(default_factory=dict)
    length_factors: dict[int, float] = field(default_factory=dict)


NO_CHANGE = Change()


@dataclass
class Traffic:
    """Minute counts of `apps` apps with `level` answers a minute on average.

    `rhythm` is the amplitude, in log odds, of the day's rhythm of every rate (a quarter of it, in
    standard deviations, for lengths); at weekends half of it comes on top. `steady`
    traffic has no rhythm of volume: every minute expects `level` answers.
    """

    level: float
    apps: int
    rng: np.random.Generator
    rhythm: float = 0.15
    steady: bool = False

    def hours(self, first: int, hours: int, change: Change = NO_CHANGE) -> Iterator[tuple[int, Floats]]:
        """Yield (minute, sums) with sums of shape (3, apps·SERIES): count, total, squares."""
        for hour in range(first // 60, first // 60 + hours):
            block = self._hour(hour, change)
            for offset in range(60):
                yield hour * 60 + offset, block[:, offset].reshape(3, -1)

    def volume(self, minutes: NDArray[np.int64]) -> Floats:
        """Return the expected answers of each minute: a day's wave, less at weekends; its mean is `level`."""
        if self.steady:
            return np.full(minutes.shape, self.level)
        hour = (minutes / 60.0) % 24.0
        weekend = ((minutes - MONDAY) // 1440) % 7 >= 5
        wave = 1.0 + 0.7 * np.sin(2 * np.pi * (hour - 9.0) / 24.0)
        return self.level * wave * np.where(weekend, 0.6, 1.16)

    def _hour(self, hour: int, change: Change) -> Floats:
        minutes = hour * 60 + np.arange(60)
        wave = np.sin(2 * np.pi * (hour % 24 - 3.0) / 24.0)
        weekend = ((hour * 60 - MONDAY) // 1440) % 7 >= 5
        swing = self.rhythm * (wave + 0.5 * weekend)
        count = self._counts(np.repeat(self.volume(minutes)[:, None], self.apps, axis=1))
        sums = np.zeros((3, 60, self.apps, SERIES))
        sums[0] = count[:, :, None]
        rates = np.array([change.rates.get(series, rate) for series, rate in enumerate(RATES)])
        swung = expit(logit(np.clip(rates, 1e-9, 1 - 1e-9)) + swing)
        rates = np.where((rates > 0) & (rates < 1), swung, rates)
        sums[1, :, :, :RATE_SERIES] = sums[2, :, :, :RATE_SERIES] = self._fired(count, rates)
        for number in range(MEAN_SERIES):
            factor = change.length_factors.get(number, 1.0)
            moments = self._lengths(count, np.log(factor) + 0.25 * swing * LOG_LENGTH[1])
            sums[1:, :, :, RATE_SERIES + number] = moments
        return sums

    def _counts(self, mean: Floats) -> NDArray[np.int64]:
        size = mean / (VARIANCE_TO_MEAN - 1.0)
        return self.rng.negative_binomial(size, 1.0 / VARIANCE_TO_MEAN)

    def _fired(self, count: NDArray[np.int64], rates: Floats) -> NDArray[np.int64]:
        """Beta-binomial counts whose variance is 1.3 times the binomial one."""
        answers = np.repeat(count[:, :, None], RATE_SERIES, axis=2)
        share = np.broadcast_to(rates, answers.shape)
        concentration = np.maximum((answers - 1) / (VARIANCE_TO_MEAN - 1.0) - 1.0, 0.1)
        safe = np.clip(share, 1e-9, 1 - 1e-9)
        drawn = self.rng.beta(safe * concentration, (1 - safe) * concentration)
        return self.rng.binomial(answers, np.where((share <= 0) | (share >= 1) | (answers < 2), share, drawn))

    def _lengths(self, count: NDArray[np.int64], shift: float) -> Floats:
        """Sums of the buckets' scores and of their squares; Dirichlet-multinomial histograms."""
        edges = np.log(np.array(WORD_EDGES) + 0.5)
        shares = np.diff(norm.cdf(edges, LOG_LENGTH[0] + shift, LOG_LENGTH[1]), prepend=0.0, append=1.0)
        flat = count.ravel()
        concentration = np.maximum((flat - 1) / (VARIANCE_TO_MEAN - 1.0) - 1.0, 0.1)
        drawn = self.rng.standard_gamma(np.maximum(shares * concentration[:, None], 1e-12)) + 1e-300
        histograms = self.rng.multinomial(flat, drawn / drawn.sum(axis=1, keepdims=True))
        scores = np.array(word_scores())
        return np.stack((histograms @ scores, histograms @ scores**2)).reshape(2, *count.shape)
