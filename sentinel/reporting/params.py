"""What an operator can set about reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


@dataclass(frozen=True, slots=True)
class ReportSchedule:
    """When the weekly report is written, in the report's time zone.

    Attributes:
        enabled: whether it is written by itself at all.
        weekday: the day of the week,
        hour: and the hour of that day, 0 to 23.
        label_days: days that reviewers get after the end of a week, at least, before it is reported.
        make_up_weeks: weeks back from the present that are made up where nobody led at their time.
    """

    enabled: bool = True
    weekday: Weekday = "wednesday"
    hour: int = 6
    label_days: int = 2
    make_up_weeks: int = 12

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        if not 0 <= self.hour <= 23:
            raise ValueError("hour must lie between 0 and 23")
        if not 0 <= self.label_days <= 90 or not 1 <= self.make_up_weeks <= 520:
            raise ValueError("label_days must lie between 0 and 90, make_up_weeks between 1 and 520")


@dataclass(frozen=True, slots=True)
class ReportParams:
    """How a period is cut and when a figure is too thin to be shown.

    Attributes:
        timezone: IANA name of the zone in which days and ISO weeks are meant.
        level: confidence level of every interval, within (0, 1).
        minimum_labelled_per_slice: labelled answered cases below which a slice shows counts and no rate.
            30 is the least (effective) denominator of the US National Center for Health Statistics'
            *Data Presentation Standards for Proportions* (2017).
        evidence_contract: what a claim was judged against; the same sentence can get another label under
            the other contract, so that a rate declares it.
        most_slices: slices a report lists at most; those with most labels come first.
        trend_periods: periods the trend shows at most, this one among them.
        schedule: when the weekly report is written by itself.
    """

    timezone: str = "UTC"
    level: float = 0.95
    minimum_labelled_per_slice: int = 30
    evidence_contract: Literal["context_only", "reference_truth"] = "context_only"
    most_slices: int = 200
    trend_periods: int = 12
    schedule: ReportSchedule = field(default_factory=ReportSchedule)

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            message = f"timezone {self.timezone!r} is unknown: give an IANA name such as Europe/Paris"
            raise ValueError(message) from None
        if not 0.5 <= self.level <= 0.9999:
            raise ValueError("level must be a share from 0.5 to 0.9999, for example 0.95")
        if self.minimum_labelled_per_slice < 1 or self.most_slices < 0:
            raise ValueError("minimum_labelled_per_slice must be at least 1, most_slices at least 0")
        if not 1 <= self.trend_periods <= 60:
            raise ValueError("trend_periods must be a number from 1 to 60")
