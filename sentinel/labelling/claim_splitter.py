"""Claims of an answer as a first proposal: sentences, list items and joined statements, word for word.

A claim is a stretch of the answer: nothing in it is rewritten, so negations, numbers, units and qualifiers
stay where the answer has them. What stands after *if*, *unless*, *except* or *but not* belongs to the
statement it limits. Reviewers split, merge and edit; the version is stored with each label, so that a change
of these rules can be told from a change of the answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

SPLITTER_VERSION = "claims-1"
#: Bounds of a proposal: a page of ten thousand claims, or a claim of a megabyte, helps nobody.
MOST_CLAIMS = 300
LONGEST_CLAIM = 2_000
LONGEST_SCANNED = 60_000

#: After these a sentence goes on whatever follows, and after the others unless a capital letter does.
_TITLES = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "e.g", "i.e", "vs", "cf", "z.b", "d.h", "u.a"))
_ABBREVIATIONS = frozenset(
    (
        "etc", "approx", "appr", "ca", "no", "nos", "nr", "art", "sec", "sect", "par", "fig", "figs", "eq",
        "vol", "ed", "eds", "pp", "jr", "sr", "inc", "ltd", "co", "corp", "dept", "est", "min", "max", "avg",
        "incl", "excl", "resp", "bzw", "usw", "abs", "ziff", "tel", "ext", "jan", "feb", "mar", "apr", "jun",
        "jul", "aug", "sep", "sept", "oct", "nov", "dec", "u.s", "u.k", "u.n", "a.m", "p.m",
    )
)  # fmt: skip
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*|[。！？]+[」』）]*")
_MARKER = re.compile(r"\s*(?:\[[^\[\]\n]{1,80}\]|【[^【】\n]{1,80}】|\(\s*\d{1,3}\s*\)|[⁰¹²³⁴-⁹]+)")
_ITEM = re.compile(r"[ \t]*(?:[-*•–·‣◦]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|#{1,6})[ \t]+")
_TABLE_RULE = re.compile(r"[ \t|:+=_*-]*")
_JOINT = re.compile(r"(?:;|,?\s+(?:and|but|while|whereas|und|aber|während)\b)\s+(?=\S)", re.IGNORECASE)
#: A part of a sentence says something by itself only with a subject and a verb of its own.
_SUBJECT = re.compile(
    r"(?:the|a|an|this|that|these|those|it|they|you|we|he|she|there|your|our|its|their|der|die|das|es|sie|wir|"
    r"ein|eine|[A-ZÄÖÜ]\w+)\b",
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|can't|could|may|might|must|will|won't|would|shall|should|do|does|"
    r"did|don't|doesn't|didn't|isn't|aren't|takes?|costs?|needs?|applies|apply|contains?|includes?|requires?|"
    r"starts?|begins?|ends?|expires?|allows?|offers?|supports?|provides?|covers?|closes?|opens?|lasts?|ist|sind|"
    r"war|hat|haben|kann|muss|wird|werden|gilt|kostet|dauert)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"^(?:and|but|while|whereas|und|aber|während)?\s*(?:not|only|if|unless|except|provided|when|nicht|nur|wenn|außer)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """A stretch of the answer: `start` and `end` in code points, end exclusive; `text` stands there."""

    start: int
    end: int
    text: str = field(repr=False)


def split_claims(answer: str) -> tuple[ClaimSpan, ...]:
    """Return the proposed claims of an answer, in its order, without overlap.

    Every letter and digit stands in one of them, but for signs that only structure it: list marks, rules
    of tables, fences of code. A statement over `LONGEST_CLAIM` characters is cut between words. What lies
    beyond `LONGEST_SCANNED` characters or `MOST_CLAIMS` claims is proposed by its beginning alone.
    """
    found: list[ClaimSpan] = []
    for start, end in _pieces(answer):
        if len(found) == MOST_CLAIMS - 1:
            return (*found, *_beginning(answer, start))
        found.append(_span(answer, start, end))
    if len(answer) > LONGEST_SCANNED:
        found += _beginning(answer, LONGEST_SCANNED)
    return tuple(found)


def _pieces(answer: str) -> Iterator[tuple[int, int]]:
    for first, last in _statements(answer[:LONGEST_SCANNED]):
        start, end = _trimmed(answer, first, last)
        while start < end:
            stop = end
            if end - start > LONGEST_CLAIM:
                space = answer.rfind(" ", start + LONGEST_CLAIM // 2, start + LONGEST_CLAIM)
                stop = space if space > 0 else start + LONGEST_CLAIM
            cut = _trimmed(answer, start, stop)
            if _WORD.search(answer, *cut):
                yield cut
            start = _trimmed(answer, stop, end)[0]


def _beginning(answer: str, place: int) -> list[ClaimSpan]:
    start, end = _trimmed(answer, place, min(len(answer), place + LONGEST_CLAIM))
    return [_span(answer, start, end)] if start < end else []


def _span(answer: str, start: int, end: int) -> ClaimSpan:
    return ClaimSpan(start, end, answer[start:end])


def _statements(answer: str) -> Iterator[tuple[int, int]]:
    for start, end in _lines(answer):
        for first, last in _sentences(answer, start, end):
            yield from _parts(answer, first, last)


def _lines(answer: str) -> Iterator[tuple[int, int]]:
    """Yield paragraphs and list items; a line that merely goes on belongs to the one before it."""
    begun: int | None = None
    place = last_end = 0
    for line in answer.splitlines(keepends=True):
        start, end = place, place + len(line)
        place = end
        text = line.strip()
        item = _ITEM.match(line)
        ends_before = not text or item is not None or text.startswith(("|", "```")) or text.endswith("|")
        if begun is not None and ends_before:
            yield begun, last_end
            begun = None
        if not text or text.startswith("```") or _TABLE_RULE.fullmatch(text):
            continue
        if begun is None:
            begun = start + (item.end() if item else 0)
        last_end = end
    if begun is not None:
        yield begun, last_end


def _sentences(answer: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begun = start
    for match in _END.finditer(answer, start, end):
        if match.start() < begun or not _ends_sentence(answer, match, end):
            continue
        stop = match.end()
        while (marker := _MARKER.match(answer, stop, end)) and marker.group().strip():
            stop = marker.end()
        yield begun, stop
        begun = stop
    if begun < end:
        yield begun, end


def _ends_sentence(answer: str, match: re.Match[str], end: int) -> bool:
    after = answer[match.end() : min(end, match.end() + 2)]
    if match.group()[0] in "。！？":
        return True
    if after and not after[0].isspace() and after[0] not in "[【(" and not _is_raised(after[0]):
        return False  # 3.5, sentinel.io, 10.30
    if not match.group().startswith("."):
        return True
    before = answer[max(0, match.start() - 12) : match.start()]
    word = before.split()[-1].lstrip("([\"'“").casefold() if before.split() else ""
    following = answer[match.end() : min(end, match.end() + 3)].strip()
    if not following:
        return True
    if word in _TITLES or (len(word) == 1 and word.isalpha()):
        return False
    if word in _ABBREVIATIONS:
        return not (following[0].islower() or following[0].isdigit())
    return not (word.isdigit() and len(word) <= 2 and after.strip() and after.strip()[0].islower())


def _is_raised(character: str) -> bool:
    return character in "⁰¹²³⁴⁵⁶⁷⁸⁹"


def _parts(answer: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the statements that a sentence joins, where each has a subject and a verb of its own."""
    begun = start
    for joint in _JOINT.finditer(answer, start, end):
        if _inside_brackets(answer, start, joint.start()):
            continue
        before, after = answer[begun : joint.start()], answer[joint.end() : end]
        following = _JOINT.split(after, maxsplit=1)[0]
        if _LIMIT.match(answer[joint.start() : end].lstrip(" ,;")) or _LIMIT.match(after):
            continue
        if _says_something(before) and _stands_alone(following):
            yield begun, joint.start()
            begun = joint.start() + _joint_sign(joint.group())
    yield begun, end


def _joint_sign(joint: str) -> int:
    """How much of the joint is a sign: the word that joins stays, for *but* may be what is claimed."""
    return len(joint) - len(joint.lstrip(" ;,\t\n"))


def _inside_brackets(answer: str, start: int, place: int) -> bool:
    before = answer[start:place]
    return any(before.count(left) > before.count(right) for left, right in ("()", "[]", "{}", "“”"))


def _says_something(text: str) -> bool:
    return bool(_VERB.search(text)) and len(text.split()) >= 3


def _stands_alone(text: str) -> bool:
    verb = _VERB.search(text)
    return bool(verb and verb.start() > 0 and _SUBJECT.match(text)) and len(text.split()) >= 3


def _trimmed(answer: str, start: int, end: int) -> tuple[int, int]:
    while start < end and answer[start].isspace():
        start += 1
    while end > start and answer[end - 1].isspace():
        end -= 1
    return start, end
