"""How long an answer is."""

from __future__ import annotations

from sentinel.indicators.word_sets import spaced_words
from sentinel.indicators.words import UNSPACED, holds_words
from sentinel.records import LengthIndicators


def length_indicators(answer: str) -> LengthIndicators:
    """Count code points and words; in scripts that put no spaces a character counts as a word.

    A text without a letter or a digit has no words.
    """
    if not holds_words(answer):
        words = 0
    elif answer.isascii():
        words = spaced_words(answer)
    elif UNSPACED.search(answer):
        words = len(UNSPACED.sub(" ", answer).split()) + len(UNSPACED.findall(answer))
    else:
        words = len(answer.split())
    return LengthIndicators(characters=len(answer), words=words)
