"""Where an answer names ids of its passages without a mark: in round brackets, after `Source:`, in a list.

Every pattern is bounded or runs over characters it cannot meet again, as in `markers`.
"""
# ruff: noqa: E501 - a pattern or a table on one line is easier to read

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from itertools import islice

from sentinel.indicators.markers import OTHER_BRACKETS, Reference
from sentinel.indicators.signs import COLON, NEWLINE, OTHER, ROUND
from sentinel.indicators.source_lists import HEADING_WORDS, lists_of_sources

_ROUND = re.compile(r"\(([^()\n]{2,200})\)")
_COLON = re.compile("[:：]")
_SOURCE_BEFORE = re.compile(
    r"(?:\b(?:sources?|references?|refs?|citations?|cited|quellen?|fuentes?|fonti|fontes?|bron|bronnen|źródł[oa]|doc(?:ument)? ids?|documents?)"
    r"|出典|来源|來源|出处|參考|参考|출처)[*_]{0,2}$",
    re.IGNORECASE,
)
#: How a text of ASCII letters ends before such a colon; every other colon is passed over at once.
_SOURCE_ENDINGS = (
    "source", "sources", "reference", "references", "ref", "refs", "citation", "citations", "cited", "quelle", "quellen",
    "fuente", "fuentes", "fonti", "fonte", "fontes", "bron", "bronnen", " id", " ids", "document", "documents",
)  # fmt: skip
_AFTER_COLON = re.compile(r"[*_]{0,2}[ \t]{0,4}([^\n()]{1,200})")
#: Where within a source: `(handbook.pdf, p. 12)`.
_PLACE = re.compile(
    r"(?:pp?\.?|pages?|sections?|sec\.?|§|chapters?|ch\.?|lines?|para(?:graph)?s?\.?|seiten?|s\.|pág\.?|página) ?[\divxlc.–-]{1,12}",
    re.IGNORECASE,
)
_COUNTED_INTRODUCTION = re.compile(r"(?:refs?|references?)\b\.? ?", re.IGNORECASE)
#: So many sentence ends after `Source:` are tried.
_MOST_CUTS = 3
_SENTENCE_END = re.compile(r"(?<=[^.])[.。](?=\s|$)|\s[-–—|]\s")
_INTRODUCTION = re.compile(
    r"^(?:sources?|see|references?|refs?|from|ids?|cf|siehe|quellen?|voir|fuentes?|fonte|bron)\b\.?:?\s*",
    re.IGNORECASE,
)
_LIST = re.compile("[,;、，；]|\\s(?:and|und|et|y|&)\\s")


def may_name_ids(signs: int) -> bool:
    """Return whether a text of these signs may hold what `named_ids` returns."""
    return signs & (ROUND | COLON | NEWLINE | OTHER) != 0


def named_ids(
    text: str, is_id: Callable[[str], bool], by_number: Callable[[int], bool], telling: Set[bytes], signs: int
) -> list[Reference]:
    """Return round brackets and `Source:` lines that hold nothing but known ids (`(returns-v3; hours)`).

    A `Source:` line may as well hold numbers of passages. `telling` and `signs` as in
    `markers.references_in`.
    """
    found = []
    is_plain = not signs & OTHER or text.isascii()
    if signs & ROUND or (not is_plain and "（" in text):
        for match in _ROUND.finditer(text if is_plain else text.translate(OTHER_BRACKETS)):
            inner = match[1].strip().rstrip(".")
            content = _INTRODUCTION.sub("", inner)
            shortest = 1 if content != inner else 3 if content.isalpha() else 2
            pieces = _ids_in(content, is_id)
            if len(pieces) > 1 and is_id(pieces[0]):
                pieces = [piece for piece in pieces if not _PLACE.fullmatch(piece)]
            if all(is_id(piece) and len(piece) >= shortest and not piece.isdigit() for piece in pieces) or (
                content != inner
                and _COUNTED_INTRODUCTION.match(inner)
                and all(len(piece) < 4 and piece.isdecimal() and by_number(int(piece)) for piece in pieces)
            ):
                found.append(Reference(match.start(), match.end(), "bracket", ", ".join(pieces)))
    if signs & NEWLINE and not (is_plain and telling.isdisjoint(HEADING_WORDS)):
        for items in lists_of_sources(text):
            found.extend(_listed(items, is_id))
    if signs & COLON or (not is_plain and "：" in text):
        found.extend(_source_lines(text, is_id, by_number))
    return found


def _listed(items: list[tuple[int, str]], is_id: Callable[[str], bool]) -> Iterator[Reference]:
    """Yield the items of a list that begin with known ids, up to the first that does not."""
    for start, item in items:
        cuts = (cut.start() for cut in islice(_SENTENCE_END.finditer(item), _MOST_CUTS))
        for end in (len(item), *cuts):
            pieces = _ids_in(item[:end].strip(" \t.*_`\"'"), is_id)
            if all(map(is_id, pieces)):
                yield Reference(start, start + end, "bracket", ", ".join(pieces))
                break
        else:
            return


def _source_lines(
    text: str, is_id: Callable[[str], bool], by_number: Callable[[int], bool]
) -> Iterator[Reference]:
    """Yield what follows `Source:`, to the end of the line or of the sentence, where it is ids or numbers."""
    for colon in _COLON.finditer(text):
        if not _ends_with_source(text, colon.start()):
            continue
        line = _AFTER_COLON.match(text, colon.end())
        if line is None:
            continue
        cuts = (cut.start() for cut in islice(_SENTENCE_END.finditer(line[1]), _MOST_CUTS))
        for end in (len(line[1]), *cuts):
            pieces = _ids_in(line[1][:end].strip(" \t.*_`。\"'"), is_id)
            if all(
                is_id(piece) or (len(piece) < 4 and piece.isdecimal() and by_number(int(piece)))
                for piece in pieces
            ):
                yield Reference(line.start(1), line.start(1) + end, "bracket", ", ".join(pieces))
                break


def _ends_with_source(text: str, end: int) -> bool:
    start = max(0, end - 14)
    before = text[start:end]
    if before.isascii() and not before.rstrip("*_").lower().endswith(_SOURCE_ENDINGS):
        return False
    return _SOURCE_BEFORE.search(text, start, end) is not None


def _ids_in(content: str, is_id: Callable[[str], bool]) -> list[str]:
    return [content] if is_id(content) else [piece.strip(" .*_`\"'") for piece in _LIST.split(content)]
