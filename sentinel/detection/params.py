"""What shift detection can be told."""

from __future__ import annotations

from dataclasses import dataclass

_POSITIVE = (
    "false_alarms_per_30_days",
    "half_life_days",
    "warm_up_hours",
    "warm_up_answers",
    "smallest_band",
    "most_evidence_per_minute",
    "end_evidence",
    "accept_after_hours",
)


@dataclass(frozen=True, slots=True)
class ShiftParams:
    """Settings of the detectors; `docs/shift-detection.md` says how the defaults were calibrated.

    Attributes:
        false_alarms_per_30_days: what the thresholds allow per app, over all its series and directions.
        half_life_days: age at which an hour counts half in the baseline.
        settled_hours: hours that wait before they enter the baseline, so that a slow shift does not hide
            itself; while there are less than two days of history only the last hour waits.
        warm_up_hours, warm_up_answers: history a series needs before it is watched.
        smallest_band: deviation from the baseline that is never called a shift, in log odds for a rate
            and in standard deviations of one answer for a mean.
        band_factor: standard errors of the baseline that are added to it.
        least_rate: rates below it, and above one minus it, are all the same.
        unknown_day_rhythm, unknown_week_rhythm: how far an hour of the day, of the week, may lie from the
            mean before history tells: standard deviation in log odds, or in standard deviations.
        dispersion: variance-to-mean ratio of a minute's count assumed before history tells.
        odds_ratios: shifts of a rate the charts are made for, beyond the band.
        mean_shifts: shifts of a mean they are made for, in standard deviations of one answer.
        most_evidence_per_minute: log likelihood ratio one minute may add, so that no single minute alarms.
        end_evidence: log likelihood ratio for *back at the baseline* that ends an alarm.
        accept_after_hours: age at which a shift becomes the new baseline and its alarm ends.
        comparison_days: how long a new version is compared with what was before it.
    """

    false_alarms_per_30_days: float = 1.0
    half_life_days: float = 14.0
    settled_hours: int = 6
    warm_up_hours: int = 3
    warm_up_answers: int = 200
    smallest_band: float = 0.05
    band_factor: float = 1.5
    least_rate: float = 0.005
    unknown_day_rhythm: float = 0.2
    unknown_week_rhythm: float = 0.1
    dispersion: float = 1.3
    odds_ratios: tuple[float, ...] = (1.5, 2.2, 4.0, 12.0)
    mean_shifts: tuple[float, ...] = (0.15, 0.3, 0.6, 1.2)
    most_evidence_per_minute: float = 5.0
    end_evidence: float = 7.0
    accept_after_hours: float = 48.0
    comparison_days: float = 7.0

    def __post_init__(self) -> None:
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive")
        if not 0 < self.least_rate < 0.5:
            raise ValueError("least_rate must be between 0 and 0.5")
        if not 1 <= self.settled_hours <= 48:
            raise ValueError("settled_hours must be between 1 and 48")
        if self.dispersion < 1:
            raise ValueError("dispersion is at least 1, that of independent answers")
        if len(self.odds_ratios) != len(self.mean_shifts) or not self.odds_ratios:
            raise ValueError("odds_ratios and mean_shifts are lists of one length")
        if min(self.odds_ratios) <= 1 or min(self.mean_shifts) <= 0:
            raise ValueError("odds_ratios lie above 1 and mean_shifts above 0")
