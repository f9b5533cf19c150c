"""Where an answer's text refers to a source: references as written, before anything is resolved.

Every pattern is bounded or runs over characters it cannot meet again, so that time stays linear in the
length of the text whatever it holds.
"""
# ruff: noqa: E501 - a pattern or a table on one line is easier to read

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from itertools import islice
from operator import attrgetter
from typing import Literal

import msgspec

from sentinel.indicators.formulas import without_formulas
from sentinel.indicators.source_lists import HEADING_WORDS, lists_of_sources
from sentinel.indicators.subscripts import KEY_WORDS, Subscripts

#: `bracket` [1], [doc-1]; `mark` 【4:0†source】; `link` the target of a Markdown link or a bare address;
#: `prose` "passage 2"; `raised` ¹ after a word.
ReferenceKind = Literal["bracket", "mark", "link", "prose", "raised"]


class Reference(msgspec.Struct, gc=False):
    """One piece of text that may refer to a source: its place, its kind, what it says.

    `label` is the text of a Markdown link, the digits of a mention or a raised number, and `range` where
    the marker ends a range (`[1]-[3]`).
    """

    start: int
    end: int
    kind: ReferenceKind
    content: str
    label: str = ""

    def __repr__(self) -> str:
        return f"<Reference {self.kind} at {self.start}>"


BY_START = attrgetter("start")

_BRACKET = re.compile(
    r"\[(?P<content>[^\[\]\n]{1,300})\](?P<outer>\]?)"
    r"(?P<after>\([ \t]{0,4}<?(?P<target>(?:[^\s()<>]|\([^\s()<>]{0,100}\)){1,2000}+)>?"
    r"(?:[ \t]{1,4}\"[^\"\n]{0,300}\")?[ \t]{0,4}\)|:[ \t]{0,4}(?=https?://))?"
)
_MARK = re.compile(r"【([^【】\n]{1,300})】")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\]}|\\。，、）」】]{1,2000}")
_AFTER_ADDRESS = ".,;:!?*_"
_ROUND_MARK = re.compile("[()]")
#: A number of more digits is no position.
_MOST_PLAIN = 4
#: Between two markers these make a range of them: `[1]-[3]`, `[1]…[3]`, `[1] to [3]`.
_RANGE_BETWEEN = re.compile(r"\s?(?:[-‐‑–—~…]|\.{2,3}|to|through|bis)\s?")
_RANGE_END = re.compile(r"(?:\^|[^\W\d_]{1,12}[ _.:#-]?)?\d{1,3}")
#: A list in JSON or in an assignment is data, unless it is a list of sources.
_DATA_BEFORE = re.compile(r"(?:\"|')\s{0,2}:\s{0,2}$|[\w\])]\s{0,2}=\s{0,2}$|[^\W_]_\w{0,20}(?<!_)$")
_BEFORE_DATA = frozenset(":=_abcdefghijklmnopqrstuvwxyz0123456789")
_LISTED_SOURCES = re.compile(
    r"(?:source|citation|reference|doc|document|passage)s?_?(?:ids?)?[\"']\s{0,2}:\s{0,2}$", re.IGNORECASE
)
_QUOTE_MARKS = re.compile("[\"']")
#: Full-width and ornamental brackets, one sign for one sign.
_OTHER_BRACKETS = str.maketrans("［］〔〕⟦⟧〖〗（）", "[][][][]()")
_OTHER_OPENING = ("［", "〔", "⟦", "〖", "（")
_MARK_IN_BRACKETS = re.compile(r"\[(\d{1,3}:\d{1,3}†[^\[\]\n]{0,200})\]")
_TAG = re.compile(
    r"<(?P<tag>cite|citation|ref|reference|source|doc|document)\b(?P<attributes>[^<>\n]{0,200})>"
    r"(?:(?P<inner>[^<>\n]{1,200})</(?P=tag)>)?",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"(?:id|ids|doc|doc_id|source|sources|ref|index|name|src)\s?=\s?(?:\"([^\"]+)\"|'([^']+)'|([^\s\"'/>]+))",
    re.IGNORECASE,
)
_LATEX = re.compile(r"\\[cC]ite[pt]?\{([^{}\n]{1,200})\}")
_NOUNS = (
    "passage", "document", "doc", "source", "excerpt", "snippet", "context", "chunk", "reference", "citation",
)  # fmt: skip
#: Looked for where no `the` shows that a text is English: each search takes time.
_NOUNS_ABROAD = (
    "dokument", "quelle", "textstelle", "auszug", "extrait", "référence", "fuente", "pasaje", "fragment",
    "referencia", "fonte", "passaggio", "brano", "trecho", "passagem", "bron ", "źród",
)  # fmt: skip
_PROSE = re.compile(
    r"(?P<noun>passage|documento|document|doc|source|excerpt|snippet|context|chunk|reference|citation|dokumencie"
    r"|dokument|quelle|textstelle|auszug|extrait|référence|fuente|pasaje|fragmento|fragment|referencia|fonte|passaggio"
    r"|brano|trecho|passagem|bron|źródł[oae]|źródle)(?:e?[sn]|en)?[ \u00a0](?:#|№|no\. ?|nr\. ?|numbers? |ids?:? )?"
    r"(?P<first>\d{1,3})(?![\w%]|[.,]\d)"
    r"(?P<more>(?:(?:, and |,? (?:and|und|et|y|e|en|i) |, | & |,? or |-|–|(?<=s .) to |(?<=s .) through |(?<=s ..) to )(?:(?:passage|document|doc|source) )?"
    r"\d{1,3}(?![\w%]|[.,]\d)){0,12})",
    re.IGNORECASE,
)
_PROSE_ELSEWHERE = re.compile(
    r"(?P<noun>文档|文檔|文件|文献|文獻|来源|來源|资料|資料|段落|片段|参考|參考|文書|ドキュメント|出典|ソース|パッセージ|문서|출처|자료|문단|источник\w{0,2}|документ\w{0,2}|фрагмент\w{0,2})"
    r"[ \u00a0]?(?P<first>\d{1,3})(?![\d%年月日년월일]|[.,]\d)",
    re.IGNORECASE,
)
#: Folded words one of which a text of ASCII letters needs for a mention.
PROSE_WORDS = frozenset(
    (noun.strip() + ending).encode() for noun in (*_NOUNS, *_NOUNS_ABROAD, "documento", "dokumencie", "fragmento", "fonti", "bronn")
    for ending in ("", "s", "n", "es", "en") if noun.isascii()
)  # fmt: skip
#: Folded words by which a reference is looked for, or looked at more closely.
TELLING_WORDS = PROSE_WORDS | KEY_WORDS
_DIGITS = re.compile(r"\d{1,3}")
#: Before the end of a range.
_SPANS = re.compile(r"(?:[-–]| to | through )(?:[a-z]+ )?$", re.IGNORECASE)
_WIDEST_SPAN = 30
_RAISED = re.compile(r"[¹²³⁴-⁹⁰]{1,2}(?![\w¹²³⁴-⁹⁰])")
_RAISED_AFTER = re.compile(r"(?:[^\W\d_]{4}|[.!?,;:”\"’)\]])$")
#: A unit before a raised number makes it a power, and so does a term: `(a - 1)²`.
_AREA = re.compile(
    r"(?:met(?:er|re)s?|feet|foot|inch|inches|miles?|yards?|seconds?|litres?|liters?)$", re.IGNORECASE
)
_TERM = re.compile(r"(?:\d|(?<!\w)[^\W\d_])[)\]]$")
_CARET = re.compile(r"(?<![\w^\[])\^(\d{1,3})\^(?![\w^\]])|<sup>\s?(\d{1,3})\s?</sup>", re.IGNORECASE)
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
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def references_in(text: str, telling: Set[bytes]) -> list[Reference]:
    """Return everything in a text without code that may refer to a source, in order of place.

    `telling` are the words of `TELLING_WORDS` that are in the text; others may be there as well.
    """
    found: list[Reference] = []
    if not text.isascii():
        if any(mark in text for mark in _OTHER_OPENING):
            text = text.translate(_OTHER_BRACKETS)
        if "†" in text:
            text = _MARK_IN_BRACKETS.sub(r"【\1】", text)
    if "[" in text:
        found = _brackets(without_formulas(text), telling)
    in_order = len(found)
    if "【" in text:
        found.extend(Reference(m.start(), m.end(), "mark", m[1].strip()) for m in _MARK.finditer(text))
    if ":" in text and "://" in text:
        taken = [(reference.start, reference.end) for reference in found if reference.kind == "link"]
        found.extend(_addresses(text, taken))
    if not telling.isdisjoint(PROSE_WORDS) or not text.isascii():
        found.extend(_prose(text))
    if not text.isascii():
        found.extend(_raised(text))
        found.extend(_mention(match, "first") for match in _PROSE_ELSEWHERE.finditer(text))
    if "^" in text or ("<" in text and "<sup>" in text):
        found.extend(Reference(m.start(), m.end(), "bracket", m[1] or m[2]) for m in _CARET.finditer(text))
    if "<" in text:
        found.extend(_tags(text))
    if "\\" in text and "ite" in text:
        found.extend(Reference(m.start(), m.end(), "bracket", m[1].strip()) for m in _LATEX.finditer(text))
    if len(found) > in_order:
        found.sort(key=BY_START)
    return found


def named_ids(
    text: str, is_id: Callable[[str], bool], by_number: Callable[[int], bool], telling: Set[bytes]
) -> list[Reference]:
    """Return round brackets and `Source:` lines that hold nothing but known ids (`(returns-v3; hours)`).

    A `Source:` line may as well hold numbers of passages. `telling` as in `references_in`.
    """
    found = []
    if "(" in text or "（" in text:
        for match in _ROUND.finditer(text.translate(_OTHER_BRACKETS)):
            inner = match[1].strip().rstrip(".")
            content = _INTRODUCTION.sub("", inner)
            shortest = 1 if content != inner else 3 if content.isalpha() else 2
            pieces = _ids_in(content, is_id)
            if len(pieces) > 1 and is_id(pieces[0]):
                pieces = [piece for piece in pieces if not _PLACE.fullmatch(piece)]
            if all(is_id(piece) and len(piece) >= shortest and not piece.isdigit() for piece in pieces) or (
                content != inner
                and _COUNTED_INTRODUCTION.match(inner)
                and all(len(piece) < 4 and piece.isdigit() and by_number(int(piece)) for piece in pieces)
            ):
                found.append(Reference(match.start(), match.end(), "bracket", ", ".join(pieces)))
    if "\n" in text and not (text.isascii() and telling.isdisjoint(HEADING_WORDS)):
        for items in lists_of_sources(text):
            found.extend(_listed(items, is_id))
    if ":" in text or "：" in text:
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
                is_id(piece) or (len(piece) < 4 and piece.isdigit() and by_number(int(piece)))
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


def _tags(text: str) -> list[Reference]:
    """Return `<cite>d1</cite>`, `<ref id="d1"/>` and the like."""
    found = []
    for match in _TAG.finditer(text):
        attribute = _ATTRIBUTE.search(match["attributes"])
        content = attribute[1] or attribute[2] or attribute[3] if attribute else match["inner"]
        if content:
            end = match.end() if match["inner"] == content else text.index(">", match.start()) + 1
            found.append(Reference(match.start(), end, "bracket", content.strip(" []")))
    return found


def _brackets(text: str, telling: Set[bytes]) -> list[Reference]:
    found: list[Reference] = []
    subscripts = Subscripts(text)
    names_no_key = text.isascii() and telling.isdisjoint(KEY_WORDS)
    for match in _BRACKET.finditer(text):
        start, end = match.span()
        content, after, target = match.group(1, 3, 4)
        # As most are: ` [2]`. Neither data nor an index stands after a gap where no key is named.
        is_plain = names_no_key and after is None and content.isdigit() and len(content) <= _MOST_PLAIN
        if not (is_plain and start > 1 and text[start - 1] == " " and text[start - 2] not in ":="):
            if not content.isdigit():
                content = content.strip().rstrip("\\").strip()
            if after:
                image = start > 0 and text[start - 1] == "!" and target is not None
                if image or not target:
                    continue
                found.append(Reference(start, end, "link", target, content))
                continue
            if content[:1] == "^" and text[end : end + 1] == ":" and text[start - 1 : start] in ("", "\n"):
                continue  # the note itself
            before_space = start > 1 and text[start - 1] == " "
            if start > 1 and (text[start - 2] in ":=" if before_space else text[start - 1] in _BEFORE_DATA):
                before = text[max(0, start - 24) : start]
                if _DATA_BEFORE.search(before) and not _LISTED_SOURCES.search(before):
                    continue
            if content[-1:].isdigit() and subscripts.holds(start, end, content):
                continue
            if content[:1] in ('"', "'"):
                content = _QUOTE_MARKS.sub("", content)
        if found and 0 < start - found[-1].end < 10 and found[-1].kind == "bracket":
            between = text[found[-1].end : start].strip("[")
            if _RANGE_BETWEEN.fullmatch(between) and _RANGE_END.fullmatch(content):
                first = found[-1].content
                if found[-1].label == "range":
                    first = first.rpartition("–")[2]
                content = f"{first}–{content}"
                found.append(Reference(start, end, "bracket", content, "range"))
                continue
        found.append(Reference(start, end, "bracket", content))
    return found


def _addresses(text: str, taken: list[tuple[int, int]]) -> list[Reference]:
    """Return bare addresses outside of Markdown links; both lists are in order, so one pass does.

    Marks after an address end it, but may as well be part of an id: `content` keeps them.
    """
    found = []
    index = 0
    for match in _ADDRESS.finditer(text):
        while index < len(taken) and taken[index][1] <= match.start():
            index += 1
        if index < len(taken) and taken[index][0] <= match.start():
            continue
        address = _balanced(match[0])
        end = match.start() + len(address.rstrip(_AFTER_ADDRESS))
        found.append(Reference(match.start(), end, "link", address))
    return found


def _balanced(address: str) -> str:
    """Return an address up to a round bracket that was not opened in it."""
    depth = 0
    for mark in _ROUND_MARK.finditer(address):
        depth += 1 if mark[0] == "(" else -1
        if depth < 0:
            return address[: mark.start()]
    return address


def _raised(text: str) -> list[Reference]:
    """Return raised numbers after a word or a mark of punctuation; after a unit they are a power (m²)."""
    return [
        Reference(match.start(), match.end(), "raised", match[0], match[0].translate(_RAISED_DIGITS))
        for match in _RAISED.finditer(text)
        if _RAISED_AFTER.search(text, max(0, match.start() - 4), match.start())
        and not _AREA.search(text, max(0, match.start() - 8), match.start())
        and not _TERM.search(text, max(0, match.start() - 3), match.start())
    ]


def _mention(match: re.Match[str], group: str) -> Reference:
    return Reference(match.start(), match.end(group), "prose", match[0], match[group])


def _prose(text: str) -> list[Reference]:
    """Return mentions such as `passage 2`, found by their noun: cheaper than a search at every place."""
    found: dict[int, Reference] = {}
    spanned: list[Reference] = []
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    for noun in _NOUNS if " the " in lowered else (*_NOUNS, *_NOUNS_ABROAD):
        if noun not in lowered:
            continue
        place = lowered.find(noun)
        while place >= 0:
            match = _PROSE.match(text, place)
            place = lowered.find(noun, place + len(noun))
            if match is None or (
                match.start() and (text[match.start() - 1].isalnum() or text[match.start() - 1] in "_[-")
            ):
                continue
            name, number = match["noun"], match["first"]
            found[match.start()] = Reference(
                match.start(), match.end("first"), "prose", f"{name} {number}", number
            )
            for more in _DIGITS.finditer(match["more"]):
                start = match.start("more") + more.start()
                found[start] = Reference(start, start + len(more[0]), "prose", f"{name} {more[0]}", more[0])
                if _SPANS.search(match["more"], 0, more.start()):
                    spanned.extend(_between(name, number, found[start]))
                number = more[0]
    return [*spanned, *found.values()]


def _between(name: str, first: str, last: Reference) -> Iterator[Reference]:
    """Yield the mentions that a range leaves unsaid: `passages 1-3` mentions passage 2."""
    numbers = range(int(first) + 1, int(last.label))
    for number in numbers if len(numbers) < _WIDEST_SPAN else ():
        yield Reference(last.start, last.end, "prose", f"{name} {number}", str(number))
