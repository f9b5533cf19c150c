"""How long an answer is."""

from __future__ import annotations

from sentinel.indicators.words import UNSPACED, holds_words
from sentinel.records import LengthIndicators

_SPACES = bytes(ord(" ") if chr(code).isspace() and code < 0x80 else code for code in range(256))


def length_indicators(answer: str) -> LengthIndicators:
    """Count code points and words; in scripts that put no spaces a character counts as a word.

    A text without a letter or a digit has no words.
    """
    if not holds_words(answer):
        words = 0
    elif answer.isascii():
        words = _spaced_words(answer)
    elif UNSPACED.search(answer):
        words = len(UNSPACED.sub(" ", answer).split()) + len(UNSPACED.findall(answer))
    else:
        words = len(answer.split())
    return LengthIndicators(characters=len(answer), words=words)


def _spaced_words(text: str) -> int:
    """Return `len(text.split())` of an ASCII text, without making the words."""
    spaced = text.encode().translate(_SPACES).strip()
    while b"  " in spaced:
        spaced = spaced.replace(b"  ", b" ")
    return spaced.count(b" ") + 1
