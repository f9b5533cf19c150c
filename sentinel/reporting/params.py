"""What an operator can set about reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


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
    """

    timezone: str = "UTC"
    level: float = 0.95
    minimum_labelled_per_slice: int = 30
    evidence_contract: Literal["context_only", "reference_truth"] = "context_only"
    most_slices: int = 200
    trend_periods: int = 12

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
