"""Where an answer's code and sentences are."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^[ \t]{0,8}(`{3,}|~{3,})([^\n`]*)$", re.MULTILINE)
_TICKS = re.compile("`+")
_BREAK = re.compile(r"(?<=[.!?])[\"'”’)\]*]*\s+|\n+|(?<=[。！？])")


def without_fences(text: str) -> str:
    """Return the text with fenced code blanked; an unclosed fence runs to the end."""
    if "```" not in text and "~~~" not in text:
        return text
    kept: list[str] = []
    position = 0
    opening = ""
    for match in _FENCE.finditer(text):
        fence, info = match.groups()
        if not opening:
            kept.append(text[position : match.start()])
            opening = fence
        elif fence.startswith(opening) and not info.strip():
            position = match.end()
            opening = ""
    if not opening:
        kept.append(text[position:])
    return "\n".join(kept)


def without_code(text: str) -> str:
    """Return the text with fenced and inline code blanked.

    Inline code closes at the next run of as many backticks (CommonMark 0.31, 6.1); found in one pass
    from the end, so that unmatched runs cost nothing.
    """
    text = without_fences(text)
    if "`" not in text:
        return text
    runs = [match.span() for match in _TICKS.finditer(text)]
    following: dict[int, int] = {}
    closing: list[int | None] = [None] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closing[index] = following.get(length)
        following[length] = index
    kept: list[str] = []
    position = index = 0
    while index < len(runs):
        close = closing[index]
        if close is None:
            index += 1
            continue
        kept.append(text[position : runs[index][0]])
        position = runs[close][1]
        index = close + 1
    kept.append(text[position:])
    return " ".join(kept)


def sentences_of(text: str) -> list[str]:
    """Split at sentence ends and line ends; empty pieces stay out."""
    return [piece for piece in _BREAK.split(text) if piece and not piece.isspace()]
