"""The life of alarms over a set of series: begin, size, end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from sentinel.detection.baseline import Baseline
from sentinel.detection.charts import Charts, Weights, likelihood_weights
from sentinel.detection.params import ShiftParams
from sentinel.detection.profile import COUNT, TOTAL, Floats, Ints

_EXPECTED = 2
#: The end of an alarm is judged against a little less than its size: the size at the beginning is of
#: those moments that made it an alarm, and so too large on average.
_SIZE_FOR_END = 0.8
_SMALLEST_RATE_STEP = np.log(1.3)
_SMALLEST_MEAN_STEP = 0.1


@dataclass(frozen=True, slots=True)
class Change:
    """A series whose alarm began or ended with a minute (minutes since 1970)."""

    kind: Literal["begin", "end", "accepted"]
    series: int
    minute: int


@dataclass(slots=True)
class Watch:
    """Charts with the alarms they gave; arrays of shape (S,), `sums` (3, S) since the onset.

    `direction` is -1, 0 (no alarm) or 1, `onset` the estimated first minute of the shift, `shift` its
    size in log odds (rate) or difference ÷ variance (mean), `back` the evidence that it is over.
    """

    charts: Charts
    direction: Ints
    begun: Ints
    onset: Ints
    sums: Floats
    back: Floats
    shift: Floats
    end_of_total: Floats
    end_of_count: Floats

    @classmethod
    def empty(cls, series: int, shifts: int) -> Watch:
        """Return a watch without evidence or alarms."""
        whole = (np.zeros(series, dtype=np.int64) for _ in range(3))
        rest = (np.zeros(series) for _ in range(4))
        direction, begun, onset = whole
        back, shift, end_of_total, end_of_count = rest
        charts = Charts.empty(series, shifts)
        return cls(
            charts, direction, begun, onset, np.zeros((3, series)), back, shift, end_of_total, end_of_count
        )

    @property
    def alarmed(self) -> NDArray[np.bool_]:
        """Return which series have an alarm."""
        return np.asarray(self.direction != 0)

    def add_minute(
        self,
        minute: int,
        sums: Floats,
        baseline: Baseline,
        weights: Weights,
        is_rate: NDArray[np.bool_],
        params: ShiftParams,
        alarm_at: float,
    ) -> list[Change]:
        """Weigh a minute's sums, (3, S), and return whose alarms began or ended with it."""
        expected = sums[COUNT] * baseline.mean
        alarmed = self.alarmed
        changes = self._ended(minute, sums, expected, params) if alarmed.any() else []
        live = baseline.ready & ~alarmed
        self.charts.add_minute(minute, sums[:2], expected, weights, live, params.most_evidence_per_minute)
        mixed = self.charts.mixed()
        rising = np.flatnonzero((mixed >= alarm_at).any(axis=1))
        for series in rising:
            self._begin(int(series), minute, int(np.argmax(mixed[series])))
            changes.append(Change("begin", int(series), minute))
        if rising.size:
            self.charts.restart(self.alarmed, minute)
            self.refresh(baseline, is_rate)
        return changes

    def refresh(self, baseline: Baseline, is_rate: NDArray[np.bool_]) -> None:
        """Work out sizes anew, and what the end of each alarm is judged by: at a begin, and hourly."""
        if not self.alarmed.any():
            return
        count = np.maximum(self.sums[COUNT], 1.0)
        now, usual = self.sums[TOTAL] / count, self.sums[_EXPECTED] / count
        rate_shift = logit((self.sums[TOTAL] + 0.25) / (count + 0.5)) - logit(np.clip(usual, 1e-5, 1 - 1e-5))
        shift = np.where(is_rate, rate_shift, (now - usual) / baseline.variance)
        smallest = np.where(is_rate, _SMALLEST_RATE_STEP, _SMALLEST_MEAN_STEP / np.sqrt(baseline.variance))
        self.shift = np.where(
            self.alarmed, self.direction * np.maximum(self.direction * shift, smallest), 0.0
        )
        step = (_SIZE_FOR_END * self.shift)[:, None]
        of_total, of_count = likelihood_weights(baseline.mean[:, None], step, baseline, is_rate)
        self.end_of_total, self.end_of_count = of_total[:, 0].copy(), of_count[:, 0].copy()

    def shifted(self, series: int, means: Floats, *, rate: bool, variance: float) -> Floats:
        """Return means with a series' shift applied."""
        if rate:
            return np.asarray(expit(logit(np.clip(means, 1e-5, 1 - 1e-5)) + self.shift[series]))
        return np.asarray(means + self.shift[series] * variance)

    def close(self, series: NDArray[np.bool_], minute: int) -> None:
        """End the alarms of these series and begin anew."""
        self.direction[series] = 0
        self.sums[:, series] = 0.0
        self.back[series] = 0.0
        self.shift[series] = 0.0
        self.charts.restart(series, minute)

    def _begin(self, series: int, minute: int, side: int) -> None:
        onset, sums = self.charts.best(series, side)
        self.direction[series] = 1 if side else -1
        self.begun[series] = minute
        self.onset[series] = onset
        self.sums[:, series] = sums
        self.back[series] = 0.0

    def _ended(self, minute: int, sums: Floats, expected: Floats, params: ShiftParams) -> list[Change]:
        alarmed = self.alarmed
        self.sums += np.where(alarmed, np.stack((sums[COUNT], sums[TOTAL], expected)), 0.0)
        still = sums[TOTAL] * self.end_of_total + sums[COUNT] * self.end_of_count
        # As no single minute begins an alarm, none ends one.
        gain = np.minimum(-still, params.most_evidence_per_minute)
        self.back = np.where(alarmed, np.maximum(self.back + gain, 0.0), 0.0)
        over = alarmed & (self.back >= params.end_evidence)
        old = alarmed & ~over & (minute - self.begun >= params.accept_after_hours * 60.0)
        changes = [Change("end", int(series), minute) for series in np.flatnonzero(over)]
        changes += [Change("accepted", int(series), minute) for series in np.flatnonzero(old)]
        if over.any():
            self.close(over, minute)
        return changes
