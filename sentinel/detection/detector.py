"""One app's detector: learn the usual, watch all its traffic, compare new versions with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sentinel.detection.baseline import Baseline, hourly_baseline, note_residual, weekly_means
from sentinel.detection.charts import Weights, chart_weights
from sentinel.detection.params import ShiftParams
from sentinel.detection.profile import Floats, Profile
from sentinel.detection.watch import Change, Watch

#: What the history of a series weighs after a shift became its new normal.
_WEIGHT_AFTER_ACCEPTANCE = 0.25


@dataclass(slots=True)
class Comparison:
    """A version that is watched by itself against the usual of its app, up to a minute."""

    watch: Watch
    until: int


@dataclass(slots=True)
class Detector:
    """All that shift detection knows of one app; `hour` is the one that is open, -1 at the beginning."""

    params: ShiftParams
    is_rate: NDArray[np.bool_]
    alarm_at: float
    profile: Profile
    watch: Watch
    baseline: Baseline
    weights: Weights
    hour: int = -1
    comparisons: dict[str, Comparison] = field(default_factory=dict)

    @classmethod
    def empty(cls, is_rate: NDArray[np.bool_], alarm_at: float, params: ShiftParams) -> Detector:
        """Return a detector for series that are rates (True) or means, which alarms at that evidence."""
        series = len(is_rate)
        baseline = Baseline.unknown(series)
        return cls(
            params,
            is_rate,
            alarm_at,
            Profile.empty(series, params),
            Watch.empty(series, len(params.odds_ratios)),
            baseline,
            chart_weights(baseline, is_rate, params),
        )

    def compare(self, version: str, minute: int) -> None:
        """Begin to watch a version by itself."""
        watch = Watch.empty(len(self.is_rate), len(self.params.odds_ratios))
        self.comparisons[version] = Comparison(watch, minute + int(self.params.comparison_days * 1440))

    def add_minute(
        self, minute: int, sums: Floats, of_versions: Mapping[str, Floats] | None = None
    ) -> dict[str, list[Change]]:
        """Take in a minute's sums (count, total, squares; shape (3, S)); minutes come in rising order.

        `of_versions` holds the part of each version. Returns the alarms that began or ended, those of all
        traffic under "", those of a comparison under its version.
        """
        if minute // 60 != self.hour:
            self._next_hour(minute // 60)
        found = {"": self._weigh(self.watch, minute, sums)}
        for change in found[""]:
            if change.kind == "begin":
                self._exclude(change.series)
            elif change.kind == "accepted":
                self._accept(change.series, minute)
        for version in sorted(self.comparisons):
            comparison = self.comparisons[version]
            part = (of_versions or {}).get(version)
            if part is not None:
                found[version] = self._weigh(comparison.watch, minute, part)
                accepted = [change.series for change in found[version] if change.kind == "accepted"]
                if accepted:
                    comparison.watch.close(_mask(accepted, len(self.is_rate)), minute)
            if minute >= comparison.until and not comparison.watch.alarmed.any():
                del self.comparisons[version]
        self.profile.add_minute(minute, sums, ~self.watch.alarmed)
        return found

    def _weigh(self, watch: Watch, minute: int, sums: Floats) -> list[Change]:
        return watch.add_minute(
            minute, sums, self.baseline, self.weights, self.is_rate, self.params, self.alarm_at
        )

    def _next_hour(self, hour: int) -> None:
        if self.hour >= 0:
            keep = ~self.watch.alarmed
            note_residual(self.profile, self.baseline, self.is_rate, keep)
            self.profile.close_hour(self.hour, keep)
            self.profile.settle_early(self.hour)
        self.hour = hour
        self.refresh()

    def refresh(self) -> None:
        """Work out the hour's baseline and all that follows from it."""
        self.baseline = hourly_baseline(self.profile, self.is_rate, self.hour)
        self.weights = chart_weights(self.baseline, self.is_rate, self.params)
        self.watch.refresh(self.baseline, self.is_rate)
        for comparison in self.comparisons.values():
            comparison.watch.refresh(self.baseline, self.is_rate)

    def _exclude(self, series: int) -> None:
        onset = int(self.watch.onset[series])
        self.profile.forget_since(onset // 60, _mask([series], len(self.is_rate)))

    def _accept(self, series: int, minute: int) -> None:
        means, _ = weekly_means(self.profile, self.is_rate)
        rate = bool(self.is_rate[series])
        moved = self.watch.shifted(
            series, means[series], rate=rate, variance=float(self.baseline.variance[series])
        )
        self.profile.move(series, moved, _WEIGHT_AFTER_ACCEPTANCE)
        self.watch.close(_mask([series], len(self.is_rate)), minute)
        self.refresh()


def _mask(series: list[int], size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=bool)
    mask[series] = True
    return mask
