"""One look over a text: which signs it holds, and how many words.

Most answers hold none of the signs that code, addresses and formulas need. One pass finds that out, and the
twenty searches that would each find nothing are left out together. In C where the extension module was built
(`_native_signs.c`); the Python here does the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sentinel.indicators.words import UNSPACED, holds_words

# Bits of what `look_at` returns, one a sign.
BACKTICK: Final = 1 << 0
TILDE: Final = 1 << 1
LESS: Final = 1 << 2
BRACKET: Final = 1 << 3
ROUND: Final = 1 << 4
COLON: Final = 1 << 5
NEWLINE: Final = 1 << 6
CARET: Final = 1 << 7
BACKSLASH: Final = 1 << 8
DOLLAR: Final = 1 << 9
QUOTE: Final = 1 << 10
APOSTROPHE: Final = 1 << 11
#: A line begins with a tab or four spaces.
INDENTED: Final = 1 << 12
#: A sign that is not of ASCII.
OTHER: Final = 1 << 13

_SIGNS = {
    "`": BACKTICK, "~": TILDE, "<": LESS, "[": BRACKET, "(": ROUND, ":": COLON, "\n": NEWLINE, "^": CARET,
    "\\": BACKSLASH, "$": DOLLAR, '"': QUOTE, "'": APOSTROPHE,
}  # fmt: skip
_INDENTED = re.compile(r"(?:^|\n)(?:\t|    )")


def look_at_in_python(text: str) -> tuple[int, int]:
    """Return the signs of a text as bits, and how many words it has.

    Words stand between spaces; in scripts that put none a character counts as a word. A text without a
    letter or a digit has no words.
    """
    signs = 0 if text.isascii() else OTHER
    for sign, bit in _SIGNS.items():
        if sign in text:
            signs |= bit
    if _INDENTED.search(text):
        signs |= INDENTED
    if not holds_words(text):
        return signs, 0
    unspaced = len(UNSPACED.findall(text))
    return signs, len((UNSPACED.sub(" ", text) if unspaced else text).split()) + unspaced


if TYPE_CHECKING:
    from sentinel.indicators._native_signs import look_at as look_at
else:
    try:
        from sentinel.indicators._native_signs import look_at
    except ImportError:  # built without a compiler
        look_at = look_at_in_python
