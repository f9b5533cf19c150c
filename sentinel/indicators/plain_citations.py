"""Citations that are written as most are: ` [2]`, `.[2]`, ` [1][2]`.

Where a text's brackets are all of this kind, and it refers to sources by nothing else, its citations need no
closer look. In C where the extension module was built (`_native_citations.c`); the Python here does the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

#: After a gap or the end of a clause or of another one: neither data (`ids: [2]`) nor an index (`a[2]`).
#: The bracket comes first: a pattern that begins with one sign is searched for many times as fast.
_PLAIN = re.compile(r"\[(?:(?<=[^:=] \[)|(?<=.[.,;!?]\[)|(?<=\]\[))([0-9]{1,3})\](?![\](:])", re.DOTALL)
#: Before a number in brackets these may name a key or an index: `press the [2]`.
_KEY = re.compile(
    r"(?<![a-z])(?:press|dial|hit|push|type|keys?|index|indices|subscript|the|number|either|on) $",
    re.IGNORECASE,
)
_LONGEST_KEY = len("xsubscript ")
#: Between two citations these make a range of them.
_RANGE = re.compile(r"\s?(?:[-~]|\.{2,3}|to|through|bis)\s?")
_NEAR = 10


def plain_citations_in_python(text: str) -> tuple[list[str], int, str] | None:
    """Return the numbers of an ASCII text's citations, how many markers those are, and the text without them.

    Numbers are distinct, as written, in order of first appearance. None where any bracket opens another
    thing, which may still be a citation.
    """
    if not text.isascii():
        return None
    numbers: list[str] = []
    kept: list[str] = []
    last = 0
    for match in _PLAIN.finditer(text):
        start, end = match.span()
        if start > last or not numbers:
            if text[start - 1] == "]" or _KEY.search(text[max(0, start - _LONGEST_KEY) : start]):
                return None
            if numbers and start - last < _NEAR and _RANGE.fullmatch(text[last:start]):
                return None
        kept.append(text[last:start])
        numbers.append(match[1])
        last = end
    if text.count("[") != len(numbers):
        return None
    return list(dict.fromkeys(numbers)), len(numbers), "".join([*kept, text[last:]])


if TYPE_CHECKING:
    from sentinel.indicators._native_citations import plain_citations as plain_citations
else:
    try:
        from sentinel.indicators._native_citations import plain_citations
    except ImportError:  # built without a compiler
        plain_citations = plain_citations_in_python
