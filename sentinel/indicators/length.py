"""How long an answer is."""

from __future__ import annotations

from sentinel.indicators.words import UNSPACED, holds_words
from sentinel.records import LengthIndicators


def length_indicators(answer: str) -> LengthIndicators:
    """Count code points and words; in scripts that put no spaces a character counts as a word.

    A text without a letter or a digit has no words.
    """
    words = len(answer.split()) if holds_words(answer) else 0
    if not answer.isascii() and UNSPACED.search(answer):
        words = len(UNSPACED.sub(" ", answer).split()) + len(UNSPACED.findall(answer))
    return LengthIndicators(characters=len(answer), words=words)
