"""What an operator can set about the risk model's learning."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LearningParams:
    """When the risk model may learn from labels.

    `enabled`: a leader refits it once a week. `history_weeks`: how far back labels are looked at.
    `least_labelled` labelled answers, with `least_each` bad and as many good ones among them, must be
    there before a model is fitted, and as many new ones before it is fitted again.
    """

    enabled: bool = True
    history_weeks: float = 26.0
    least_labelled: int = 100
    least_each: int = 15

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        if not 0.0 < self.history_weeks <= 520.0:
            raise ValueError("history_weeks must be above 0 and at most 520")
        if self.least_each < 1 or self.least_labelled < 2 * self.least_each:
            raise ValueError("least_each must be at least 1 and least_labelled at least twice that")
