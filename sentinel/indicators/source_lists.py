"""Lists under a heading `Sources`: where their items are."""
# ruff: noqa: E501 - a pattern on one line is easier to read

from __future__ import annotations

import re
from collections.abc import Iterator

#: `### Sources` on a line of its own, and the lines of the list below it.
_SOURCE_HEADING = re.compile(
    r"^[^\w\n]{0,8}(?:sources?|references?|citations?|quellen|fuentes|fonti|fontes|bronnen|źródła|出典|来源|參考|参考)[^\w\n]{0,8}\n\n?(?=[ \t]{0,4}(?:[-*+•]|\d))",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = re.compile(r"[ \t]{0,8}(?:[-*+•]|\d{1,3}[.)])[ \t]{1,4}([^\n]{1,200})(?:\n|$)")
_MOST_ITEMS = 50
#: Folded words one of which such a heading of ASCII letters is.
HEADING_WORDS = frozenset(
    b"source sources reference references citation citations quellen fuentes fonti fontes bronnen".split()
)


def lists_of_sources(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield for each such heading its items: place and text, without bullet or number."""
    for heading in _SOURCE_HEADING.finditer(text):
        items: list[tuple[int, str]] = []
        place = heading.end()
        while len(items) < _MOST_ITEMS and (item := _LISTED.match(text, place)) is not None:
            items.append((item.start(1), item[1]))
            place = item.end()
        yield items
