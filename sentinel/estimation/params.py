"""When a rate is too thin to be published as it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EstimationParams:
    """Reliability gates; a rate that fails one has the status `too_small`.

    The gates do not hide the figure: it keeps its counts and an interval wide enough to be honest, and
    the status tells a reader not to act on it.

    Attributes:
        min_effective_sample_size: least Kish effective size of the units in the denominator.
        max_weight_share: largest share of the denominator's weight that one unit may carry.
        min_failing_cases: least number of sampled failing cases for intervals that rest on the
            estimated variance alone. `auto` and `beta-capped` bound the effective size instead, and
            hold their level with fewer.
        switch_below_cases: number of sampled failing cases below which `auto` caps the effective size.
        judge_tuning_cases: number of sampled failing cases from which the judge's weight may be tuned
            on the same labels.
    """

    min_effective_sample_size: float = 30.0
    max_weight_share: float = 0.10
    min_failing_cases: int = 5
    switch_below_cases: int = 10
    judge_tuning_cases: int = 20
