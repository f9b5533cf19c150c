"""Numbers that count lines, steps and points of a text: they state nothing."""

from __future__ import annotations

import re

_BEFORE_ON_LINE = " \t>*#_-•(["
#: What stands after such a number; the last two make a keycap of it (1️⃣).
AFTER = ".)]:\ufe0f\u20e3"
_COUNTED = re.compile(
    r"(?<!\w)(?:steps?|options?|parts?|phases?|tips?|reasons?|points?|examples?|questions?|figures?|tables?)\s#?$",
    re.IGNORECASE,
)

#: Cheap: the ends of those words, before a space or a sign of number.
_COUNTED_ENDINGS = tuple(
    ending + gap for ending in
    ("ep", "eps", "on", "ons", "rt", "rts", "se", "ses", "ip", "ips", "nt", "nts", "le", "les", "re", "res")
    for gap in (" ", " #", "\u00a0")
)  # fmt: skip
#: The letter that stands two places before such a number, or a gap: quicker still.
_COUNTED_LETTERS = frozenset(ending[-2] for ending in _COUNTED_ENDINGS)


def opens_line(text: str, start: int, end: int) -> bool:
    """Return whether the digits from `start` to `end` number a line (`1. `, `2) `, `**3:**`)."""
    if text[end : end + 1] not in AFTER or end - start > 3 or end >= len(text):
        return False
    line = text.rfind("\n", max(0, start - 12), start) + 1
    if line == 0 and start > 12:
        return False
    return not text[line:start].strip(_BEFORE_ON_LINE) and not text[end + 1 : end + 2].isdigit()


def counts_a_part(text: str, start: int) -> bool:
    """Return whether the number at `start` names a part of the text itself (`step 2`)."""
    if text[start - 2 : start - 1] not in _COUNTED_LETTERS or not text.endswith(_COUNTED_ENDINGS, 0, start):
        return False
    return _COUNTED.search(text, max(0, start - 12), start) is not None


def running_numbers(text: str, spans: list[tuple[int, int]]) -> set[int]:
    """Return the starts of numbers that run 1, 2, … through a line (`1) measure 2) cut`)."""
    expected = 1
    found = set()
    for start, end in spans:
        if text[end : end + 1] not in (")", ".") or not text[end + 1 : end + 2].isspace():
            continue
        if start and not (text[start - 1].isspace() or text[start - 1] == "("):
            continue
        if text[start:end] == str(expected):
            expected += 1
            found.add(start)
    return found if len(found) > 1 else set()
