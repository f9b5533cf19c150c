"""How long an answer is."""

from __future__ import annotations

from sentinel.indicators.signs import look_at
from sentinel.records import LengthIndicators


def length_indicators(answer: str) -> LengthIndicators:
    """Count code points and words; in scripts that put no spaces a character counts as a word.

    A text without a letter or a digit has no words.
    """
    return LengthIndicators(len(answer), look_at(answer)[1])
