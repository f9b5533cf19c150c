"""Leading indicators of one answer: pure, cheap, one file each.

What is computed here enters the inclusion probability, so every function is a pure function of its
arguments: no clock, no randomness, no dependence on hash order, process or call order.
"""

from sentinel.indicators.compute import INDICATOR_VERSION, compute_indicators
from sentinel.indicators.contract import INDICATOR_NAMES, fired, fired_by, numbers_and_flags, to_contract
from sentinel.indicators.params import AppIndicatorParams, CitationResolution, IndicatorParams
from sentinel.indicators.passages import PassageMemo

__all__ = [
    "INDICATOR_NAMES",
    "INDICATOR_VERSION",
    "AppIndicatorParams",
    "CitationResolution",
    "IndicatorParams",
    "PassageMemo",
    "compute_indicators",
    "fired",
    "fired_by",
    "numbers_and_flags",
    "to_contract",
]
