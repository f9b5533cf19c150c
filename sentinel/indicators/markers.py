"""Where an answer's text refers to a source: references as written, before anything is resolved.

Every pattern is bounded or runs over characters it cannot meet again, so that time stays linear in the
length of the text whatever it holds.
"""
# ruff: noqa: E501 - a pattern or a table on one line is easier to read

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from operator import attrgetter
from typing import Literal

import msgspec

from sentinel.indicators.formulas import without_formulas
from sentinel.indicators.signs import BACKSLASH, BRACKET, CARET, COLON, LESS, OTHER
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
OTHER_BRACKETS = str.maketrans("［］〔〕⟦⟧〖〗（）", "[][][][]()")
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
_ABROAD = frozenset(_NOUNS_ABROAD)
#: Of each noun the words by which a text of ASCII letters shows that it may be there.
_NOUNS_BY_WORD = {
    noun: frozenset(word for word in PROSE_WORDS if word.startswith(noun.strip().encode()))
    for noun in (*_NOUNS, *_NOUNS_ABROAD)
}
#: Of each word the nouns that it begins with.
_NOUNS_OF = {word: [noun for noun, words in _NOUNS_BY_WORD.items() if word in words] for word in PROSE_WORDS}
#: In a text of ASCII letters, what may follow the space after a noun; an ending may stand before it.
_BEFORE_NUMBER = frozenset("0123456789#niNI")
_LONGEST_ENDING = 6
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
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def references_in(text: str, telling: Set[bytes], signs: int) -> list[Reference]:
    """Return everything in a text without code that may refer to a source, in order of place.

    `telling` are the words of `TELLING_WORDS` that are in the text, `signs` its signs (`signs.look_at`);
    others may be there as well.
    """
    found: list[Reference] = []
    is_plain = not signs & OTHER or text.isascii()
    if not is_plain:
        if any(mark in text for mark in _OTHER_OPENING):
            text = text.translate(OTHER_BRACKETS)
        if "†" in text:
            text = _MARK_IN_BRACKETS.sub(r"【\1】", text)
    if (signs & BRACKET or not is_plain) and "[" in text:
        found = _brackets(without_formulas(text), telling)
    in_order = len(found)
    if not is_plain and "【" in text:
        found.extend(Reference(m.start(), m.end(), "mark", m[1].strip()) for m in _MARK.finditer(text))
    if signs & COLON and "://" in text:
        taken = [(reference.start, reference.end) for reference in found if reference.kind == "link"]
        found.extend(_addresses(text, taken))
    found.extend(mentions(text, telling, signs))
    if not is_plain:
        found.extend(_raised(text))
        found.extend(_mention(match, "first") for match in _PROSE_ELSEWHERE.finditer(text))
    if signs & CARET or (signs & LESS and "<sup>" in text):
        found.extend(Reference(m.start(), m.end(), "bracket", m[1] or m[2]) for m in _CARET.finditer(text))
    if signs & LESS:
        found.extend(_tags(text))
    if signs & BACKSLASH and "ite" in text:
        found.extend(Reference(m.start(), m.end(), "bracket", m[1].strip()) for m in _LATEX.finditer(text))
    if len(found) > in_order:
        found.sort(key=BY_START)
    return found


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


def mentions(text: str, telling: Set[bytes], signs: int) -> list[Reference]:
    """Return mentions such as `passage 2`; `telling` and `signs` as in `references_in`."""
    if signs & OTHER and not text.isascii():
        return _mentions_by(text, (*_NOUNS, *_NOUNS_ABROAD))
    if telling.isdisjoint(PROSE_WORDS):
        return []
    # In a text of ASCII letters the words are known: a noun that begins none of them is not there.
    words = telling & PROSE_WORDS
    if len(words) == 1:  # as in most
        return _mentions_by(text, _NOUNS_OF[next(iter(words))])
    return _mentions_by(text, [noun for noun in _NOUNS_BY_WORD if not words.isdisjoint(_NOUNS_BY_WORD[noun])])


def _mentions_by(text: str, nouns: Sequence[str]) -> list[Reference]:
    """Return mentions with these nouns, found by them: cheaper than a search at every place."""
    found: dict[int, Reference] = {}
    spanned: list[Reference] = []
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    is_english = " the " in lowered
    is_ascii = text.isascii()
    for noun in nouns:
        if (is_english and noun in _ABROAD) or noun not in lowered:
            continue
        place = lowered.find(noun)
        while place >= 0:
            start, place = place, lowered.find(noun, place + len(noun))
            if is_ascii:
                after = start + len(noun.rstrip())  # one ends in a space
                gap = text.find(" ", after, after + _LONGEST_ENDING)
                if gap < 0 or text[gap + 1 : gap + 2] not in _BEFORE_NUMBER:
                    continue
            match = _PROSE.match(text, start)
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
