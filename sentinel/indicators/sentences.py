"""Where an answer's code and sentences are."""
# ruff: noqa: E501 - a pattern or a table on one line is easier to read

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^[ \t]{0,8}(`{3,}|~{3,})([^\n`]*)$", re.MULTILINE)
_CODE_TAG = re.compile(r"<(/?)(code|pre|samp)\b[^<>\n]{0,100}>", re.IGNORECASE)
_LIST_ITEM = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s")
#: What prose seldom holds: an assignment, a call, an index in a line of few words.
_LIKE_CODE = re.compile(
    r"\w ?(?:[-+*/|]?=)|[;{}]\s*$|\w\(|^\s*(?:>>>|\$ |#include|import |def |return\b)|^\s*(?:\S+\s){0,2}\w+\[",
    re.MULTILINE,
)
_TICKS = re.compile("`+")
#: A sentence ends after `.!?` before a space, at a line end, after a full-width mark. One class of signs
#: comes first, because such a pattern is searched for several times as fast.
_BREAK = re.compile(r"[.!?\n。！？](?:(?<=[.!?])[\"'”’)\]*]*\s+|(?<=\n)\n*|(?<=[。！？]))")


def without_fences(text: str) -> str:
    """Return the text with fenced code blanked; an unclosed fence runs to the end."""
    # One sign is found many times as fast as three.
    if ("`" not in text or "```" not in text) and ("~" not in text or "~~~" not in text):
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
    if "<" in text and "</" in text:
        text = _without_code_tags(text)
    if text.startswith(("    ", "\t")) or ("\n" in text and ("\n    " in text or "\n\t" in text)):
        text = _without_indented(text)
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


def _without_code_tags(text: str) -> str:
    """Blank `<code>…</code>` and `<pre>…</pre>`; a tag that nothing closes stays."""
    kept: list[str] = []
    position = 0
    opening: re.Match[str] | None = None
    for tag in _CODE_TAG.finditer(text):
        if opening is None:
            opening = None if tag[1] else tag
        elif tag[1] and tag[2].lower() == opening[2].lower():
            kept.append(text[position : opening.start()])
            position = tag.end()
            opening = None
    kept.append(text[position:])
    return " ".join(kept)


def _without_indented(text: str) -> str:
    """Blank indented lines that read like code; the lines of a list are indented as well and stay."""
    kept = []
    in_list = False
    for line in text.split("\n"):
        indented = line.startswith(("    ", "\t"))
        if _LIST_ITEM.match(line):
            in_list = True
        elif line.strip() and not indented:
            in_list = False
        kept.append("" if indented and not in_list and _LIKE_CODE.search(line) else line)
    return "\n".join(kept)


def sentences_of(text: str) -> list[str]:
    """Split at sentence ends and line ends; empty pieces stay out."""
    return list(iter_sentences(text))


def iter_sentences(text: str) -> Iterator[str]:
    """Yield what `sentences_of` returns, each when it is asked for."""
    position = 0
    for match in _BREAK.finditer(text):
        start = match.start()
        piece = text[position : start if text[start] == "\n" else start + 1]
        position = match.end()
        if piece and not piece.isspace():
            yield piece
    piece = text[position:]
    if piece and not piece.isspace():
        yield piece
