"""Words that carry content, in a form in which an answer and its evidence can be compared.

Words are lower-cased UTF-8 bytes: `bytes.translate` and `bytes.split` find them several times faster
than a regular expression, and this is the hot path.
"""
# ruff: noqa: SIM905 - word lists read as text

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

#: As the interpreter does it. What mypyc makes of `text.lower()` before Python 3.13 goes letter by letter: it
#: knows no final sigma, and the last letter of a Greek word in capitals would be another than in small ones.
lowered: Final[Callable[[str], str]] = str.lower

#: Scripts that put no spaces between words: kana, Han, Thai, Lao, Khmer, Burmese.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
#: Letters by Unicode's table that show nothing: the fillers of Hangul.
_FILLERS = re.compile("[\u115f\u1160\u3164\uffa0]")

_BREAKS = b".!?\n"
_LETTERS = bytes(
    ord("\n")
    if code in _BREAKS
    else (ord(chr(code).lower()) if chr(code).isalpha() or code >= 0x80 else ord(" "))
    if code < 0x80
    else code
    for code in range(256)
)
#: In UTF-8: Latin-1 signs, general punctuation up to symbols, CJK punctuation, full-width forms, emoji.
_SIGNS = re.compile(
    rb"\xc2[\x80-\xbf]|\xe2[\x80-\xbf]{2}|\xe3\x80[\x80-\xbf]|\xef[\xb8-\xbd][\x80-\xbf]|\xf0[\x80-\xbf]{3}"
)

_STOP_WORDS = """
a about above according additional additionally after again against all along also although always am
among an and another any anyone anything are around as aside at away b based be became because become
been before being below between both but by c came can cannot could d did didn do does doesn doing don
done down due during e each either else eg especially etc even ever every example f few find first
following for from further furthermore g gave general generally get given gives giving go goes going got
h had has hasn have haven having he hence her here hers herself him himself his how however i ie if in
include included includes including indeed instead into is isn it its itself j just k keep l let like
likely ll m made mainly make makes making many may me mean means might more moreover most much must my n
need needs neither never next no non nor not now o of off often on one ones only onto or other others
otherwise our ours out over overall own p particular per perhaps please possible provide provided
provides q r rather re really regarding regardless s said same say says second see seem seems seen
several shall she should similar similarly simply since so some someone something sometimes somewhat
specific specifically still such t take taken takes than that the their theirs them themselves then
there therefore these they thing things this those though through throughout thus to together too toward
towards typically u under unless unlike until up upon us use used uses using usually v various ve very w
want was wasn way ways we well went were weren what whatever when where whereas whether which while who
whole whom whose why will with within without won would x y yes yet you your yours yourself z""".split()
STOP_WORDS = frozenset(word.encode() for word in _STOP_WORDS)


def holds_words(text: str) -> bool:
    """Return whether a text holds a letter or a digit: signs, emoji and unseen marks say nothing."""
    found = _LETTER_OR_DIGIT.search(text)
    if found is None or found[0].isascii():
        return found is not None
    return _LETTER_OR_DIGIT.search(_FILLERS.sub("", text)) is not None


def folded(text: str) -> bytes:
    """Return the text as lower-case words between spaces, with a line end where a sentence ends."""
    if text.isascii():
        return text.encode().translate(_LETTERS)
    text = lowered(text).replace("。", ".")
    if UNSPACED.search(text):
        text = UNSPACED.sub(r" \g<0> ", text)
    return _SIGNS.sub(b" ", text.encode("utf-8", "surrogatepass")).translate(_LETTERS)


def content_words(text: str) -> set[bytes]:
    """Return the distinct words that carry content."""
    return set(folded(text).split()) - STOP_WORDS
