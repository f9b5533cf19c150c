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


@dataclass(frozen=True, slots=True)
class AssistanceParams:
    """When a sample is thick enough to be assisted by known totals, and how far that may go.

    Attributes:
        least_labelled: labelled answers below which the plain ratio is published.
        least_failing_cases: failing cases likewise; with fewer the interval rests on the sample's size
            and not on its variance, so that there is nothing to gain.
        margin_least_units: labelled answers that must have a value, and must not, for its count to be
            used.
        units_per_column: labelled answers for each auxiliary.
        most_columns: auxiliaries at most, the intercept among them.
        least_adjustment, most_adjustment: range of g, relative to its mean level.
        most_leverage: largest share that a unit may have in deciding its own fit.
    """

    least_labelled: int = 60
    least_failing_cases: int = 10
    margin_least_units: int = 30
    units_per_column: int = 30
    most_columns: int = 24
    least_adjustment: float = 0.3
    most_adjustment: float = 3.0
    most_leverage: float = 0.5
