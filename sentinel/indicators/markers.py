"""Where an answer's text refers to a source: references as written, before anything is resolved.

Every pattern is bounded or runs over characters it cannot meet again, so that time stays linear in the
length of the text whatever it holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

#: `bracket` [1], [doc-1]; `mark` 【4:0†source】; `link` the target of a Markdown link or a bare address;
#: `prose` "passage 2"; `raised` ¹ after a word.
ReferenceKind = Literal["bracket", "mark", "link", "prose", "raised"]


@dataclass(frozen=True, slots=True)
class Reference:
    """One piece of text that may refer to a source: its place, its kind, what it says.

    `label` is the text of a Markdown link.
    """

    start: int
    end: int
    kind: ReferenceKind
    content: str = field(repr=False)
    label: str = field(default="", repr=False)


_BRACKET = re.compile(
    r"\[(?P<content>[^\[\]\n]{1,300})\](?P<outer>\]?)"
    r"(?P<after>\([ \t]{0,4}<?(?P<target>(?:[^\s()<>]|\([^\s()<>]{0,100}\)){1,2000}+)>?"
    r"(?:[ \t]{1,4}\"[^\"\n]{0,300}\")?[ \t]{0,4}\)|:[ \t]{0,4}(?=https?://))?"
)
_MARK = re.compile(r"【([^【】\n]{1,300})】")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\])}|\\]{1,2000}")
_NOUNS = (
    "passage",
    "document",
    "doc",
    "source",
    "excerpt",
    "snippet",
    "context",
    "chunk",
    "reference",
    "citation",
)
_PROSE = re.compile(
    r"(?P<noun>passage|document|doc|source|excerpt|snippet|context|chunk|reference|citation)"
    r"s?[ \u00a0]#?(?P<first>\d{1,3})(?![\w%]|[.,]\d)"
    r"(?P<more>(?:(?:, and |,? and |, | & |,? or |-|–)(?:(?:passage|document|doc|source) )?"
    r"\d{1,3}(?![\w%]|[.,]\d)){0,12})",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{1,3}")
_RAISED = re.compile(r"[¹²³⁴-⁹⁰]{1,2}(?![\w¹²³⁴-⁹⁰])")
_RAISED_AFTER = re.compile(r"(?:[^\W\d_]{4}|[.!?,;:”\"’)\]])$")
_CARET = re.compile(r"(?<![\w^\[])\^(\d{1,3})\^(?![\w^\]])|<sup>\s?(\d{1,3})\s?</sup>", re.IGNORECASE)
_ROUND = re.compile(r"\(([^()\n]{2,200})\)")
_SOURCE_LINE = re.compile(r"\b[Ss]ources?:[*_]{0,2}[ \t]{0,4}([^\n()]{2,200})")
_INTRODUCTION = re.compile(r"^(?:sources?|see|refs?|from|ids?):?\s+", re.IGNORECASE)
_LIST = re.compile("[,;]")
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def references_in(text: str) -> list[Reference]:
    """Return everything in a text without code that may refer to a source, in order of place."""
    found: list[Reference] = []
    if "[" in text:
        found.extend(_brackets(text))
    if "【" in text:
        found.extend(Reference(m.start(), m.end(), "mark", m[1].strip()) for m in _MARK.finditer(text))
    if "://" in text:
        taken = [(reference.start, reference.end) for reference in found if reference.kind == "link"]
        found.extend(_addresses(text, taken))
    found.extend(_prose(text))
    if not text.isascii():
        found.extend(_raised(text))
    if "^" in text or "<sup>" in text:
        found.extend(Reference(m.start(), m.end(), "bracket", m[1] or m[2]) for m in _CARET.finditer(text))
    found.sort(key=lambda reference: reference.start)
    return found


def named_ids(text: str, ids: frozenset[str]) -> list[Reference]:
    """Return round brackets and `Source:` lines that hold nothing but known ids (`(returns-v3; hours)`)."""
    spans = [(m.start(), m.end(), m[1]) for m in _ROUND.finditer(text)] if "(" in text else []
    if "ource" in text:
        spans += [(m.start(1), m.end(1), m[1]) for m in _SOURCE_LINE.finditer(text)]
    found = []
    for start, end, inner in spans:
        content = _INTRODUCTION.sub("", inner.strip().rstrip("."))
        pieces = [content] if content in ids else [piece.strip(" .*_`") for piece in _LIST.split(content)]
        if all(piece in ids and len(piece) > 2 for piece in pieces):
            found.append(Reference(start, end, "bracket", ", ".join(pieces)))
    return found


def _brackets(text: str) -> list[Reference]:
    found = []
    for match in _BRACKET.finditer(text):
        content = match["content"].strip().rstrip("\\").strip()
        target = match["target"]
        image = match.start() > 0 and text[match.start() - 1] == "!" and target is not None
        if image or (match["after"] and not target):
            continue
        if target:
            found.append(Reference(match.start(), match.end(), "link", target, content))
        else:
            found.append(Reference(match.start(), match.end(), "bracket", content))
    return found


def _addresses(text: str, taken: list[tuple[int, int]]) -> list[Reference]:
    """Return bare addresses outside of Markdown links; both lists are in order, so one pass does."""
    found = []
    index = 0
    for match in _ADDRESS.finditer(text):
        while index < len(taken) and taken[index][1] <= match.start():
            index += 1
        if index < len(taken) and taken[index][0] <= match.start():
            continue
        found.append(Reference(match.start(), match.end(), "link", match[0].rstrip(".,;:!?*_")))
    return found


def _raised(text: str) -> list[Reference]:
    """Return raised numbers after a word or a mark of punctuation; after a unit they are a power (m²)."""
    return [
        Reference(match.start(), match.end(), "raised", match[0].translate(_RAISED_DIGITS))
        for match in _RAISED.finditer(text)
        if _RAISED_AFTER.search(text, max(0, match.start() - 4), match.start())
    ]


def _prose(text: str) -> list[Reference]:
    """Return mentions such as `passage 2`, found by their noun: cheaper than a search at every place."""
    found: dict[int, Reference] = {}
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    for noun in _NOUNS:
        place = lowered.find(noun)
        while place >= 0:
            match = _PROSE.match(text, place)
            place = lowered.find(noun, place + len(noun))
            if match is None or (
                match.start() and (text[match.start() - 1].isalnum() or text[match.start() - 1] in "_[-")
            ):
                continue
            name = match["noun"]
            found[match.start()] = Reference(
                match.start(), match.end("first"), "prose", f"{name} {match['first']}"
            )
            for more in _DIGITS.finditer(match["more"]):
                start = match.start("more") + more.start()
                found[start] = Reference(start, start + len(more[0]), "prose", f"{name} {more[0]}")
    return list(found.values())
