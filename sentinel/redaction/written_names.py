"""Names known by the way they are written: initials, families, `Surname, Given`, scripts without capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sentinel.redaction.letter_case import names_by_case
from sentinel.redaction.lexicon import (
    folded,
    is_also_given,
    is_common_word,
    is_given_name,
    is_proper_noun,
    lexicon,
    may_be_given,
    may_be_surname,
)
from sentinel.redaction.namesakes import is_place, is_place_only
from sentinel.redaction.phrases import LABELS, OF_PLACES

Range = tuple[int, int]

_CAPITAL = "A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-ЯЁЄІЇҐ"
_WORD = rf"[{_CAPITAL}][^\W\d_]+(?:[-'’][^\W\d_]{{2,}})*"
_PARTICLE = r"(?:(?:van|von|de|der|den|da|di|del|della|dos|la|le|bin|al|el|ter|zu) ){0,3}"
# One or two initials before a surname: "K. Briand", "J. R. Moura", "J.R. Moura"; not after another letter.
_INITIALS = re.compile(rf"(?<![\w.&'’-])(?:[{_CAPITAL}]\. ?){{1,3}}(?P<last>{_PARTICLE}{_WORD})(?![\w(])")
# Abbreviations of states and hours, before which a capital is no surname.
_NO_INITIALS = re.compile(r"(?:U\. ?[SKN]\.|D\. ?C\.|E\. ?U\.|[AP]\. ?M\.|[AB]\. ?[DC]\.|P\. ?S\.|N\. ?B\.)")
_LOWER_INITIALS = re.compile(
    r"(?<![\w.&'’/-])(?:[^\W\d_]\. ?){1,2}(?P<last>[^\W\d_]{3,})(?![\w(.@-]\w|[@(\w])"
)
_FAMILY = re.compile(
    rf"\b(?:the|The) (?P<last>{_WORD})(?= (?:family|household|siblings|sisters|twins|kids|children|estate)\b)"
)
_INVERTED = re.compile(
    rf"(?!Love,)(?<![\w,-])(?<!, )(?P<last>{_PARTICLE}{_WORD}), (?P<first>{_WORD})(?! {_WORD})(?![\w-])"
)
_FILED = re.compile(
    r"(?:\b(?:patient|name|client|customer|passenger|guest|student|employee|author|member|tenant|witness|to"
    r"|from|cc|participants?|attendees?|present|absent|filed under|listed as|under"
    r"|surname)\b[^\w\n]{1,4}|\([^()\n]{1,30}\): ?|[\"“])\Z",
    re.IGNORECASE,
)
# What stands before an entry of a list.
_OWN_LINE = re.compile(r"(?:[\n\t|>\"'(]|[.:;)*•-] )\Z|;\Z")
# Chinese characters, kana and Hangul, as long as a name may be.
_EAST = re.compile(r"[\U00020000-\U0003ffff\u3400-\u9fff\uac00-\ud7af\u3041-\u3096\u30a1-\u30fa\u3005]+")
_HONORIFIC = re.compile(
    r" ?(?:様|さま|さん|氏|先生|殿|くん|君|ちゃん|部長|課長|社長|씨|님|선생|과장|부장"
    r"|대리|女士|小姐|同学|老师|医生|经理|律师)"
)
_EAST_CUE = re.compile(
    r"(?:氏名|名前|お名前|姓名|名字|患者|顧客|客户|お客様の|担当者?は|担当の?|收件人|联系人|联络人|我叫|이름은?|성함은?|고객"
    r"|환자|담당자는?|수신인|제 이름은)[ \t:：、]{0,2}\Z"
)
_EAST_TAIL = re.compile(
    r"(?:です|と申します|要求|申请|申し|は|が|の|을|를|이|가|은|는|에게|입니다|先生|女士)"
)
#: What stands behind a name and is no part of it.
_BEHIND = ("様", "さん", "氏", "先生", "女士", "小姐", "要求", "です", "と申", "申请", "求")
_CASELESS_WORD = r"[\u0590-\u05ff\u0600-\u06ff\u0900-\u097f]+(?:['’][\u0590-\u05ff]*)*"
_CASELESS = re.compile(rf"{_CASELESS_WORD}(?: {_CASELESS_WORD}){{1,6}}")
_FOR_WHOM = re.compile(r"\b(?:for|by|names?|named|called|mrs?|ms|dr)\b[.:]? ?\Z", re.IGNORECASE)
_LATIN_AROUND = re.compile(r"[A-Za-z]")


def written_names(text: str, *, lower: bool = True) -> Iterator[Range]:
    """Yield the names in `text` that their form gives away; `lower`: those in lower case too."""
    yield from _initials(text)
    yield from _families(text)
    yield from _inverted(text)
    yield from names_by_case(text, lower=lower)
    if not text.isascii():
        yield from _eastern(text)
        yield from _caseless(text)


def _is_plain_name(word: str) -> bool:
    """Return whether the word, which is capitalised, is none of a language, a place or a label."""
    last = word.split(" ")[-1]
    if is_common_word(last) and folded(last) not in lexicon().surnames:
        return False
    if is_place(last) and (is_place_only(last) or not may_be_surname(last)):
        return False
    return last.lower() not in LABELS | OF_PLACES


def _initials(text: str) -> Iterator[Range]:
    for match in _INITIALS.finditer(text):
        last = match.group("last").split(" ")[-1]
        if not _is_plain_name(last) or is_common_word(last):
            continue
        if _NO_INITIALS.match(match.group()):
            continue
        if not is_proper_noun(last) or (may_be_surname(last) and not is_place_only(last)):
            yield match.span()
    for match in _LOWER_INITIALS.finditer(text):
        if (
            match.group().islower()
            and may_be_surname(match.group("last"))
            and not is_common_word(match.group("last"))
        ):
            yield match.span()


def _families(text: str) -> Iterator[Range]:
    for match in _FAMILY.finditer(text):
        last = match.group("last")
        if _is_plain_name(last) and not is_common_word(last) and not is_proper_noun(last):
            yield match.span("last")


def _inverted(text: str) -> Iterator[Range]:
    series = False
    end = -1
    for match in _INVERTED.finditer(text):
        last, first = match.group("last"), match.group("first")
        # "Obi, Kwame; Horvat, Noa": what follows a name turned round behind a semicolon is one too.
        series = series and text[end : match.start()] == "; "
        filed = series or _FILED.search(text, max(0, match.start() - 40), match.start()) is not None
        if _is_inverted(text, match, last, first, filed=filed):
            series, end = True, match.end()
            yield match.span()


def _is_inverted(text: str, match: re.Match[str], last: str, first: str, *, filed: bool) -> bool:
    if not (_is_plain_name(last) and _is_plain_name(first)):
        return False
    surname = may_be_surname(last.split(" ")[-1])
    if is_common_word(first):
        return filed and surname and is_also_given(first) and not is_common_word(last)
    if filed:
        return True
    named = surname and (is_given_name(first) or (may_be_given(first) and not is_proper_noun(last)))
    alone = match.start() == 0 or _OWN_LINE.search(text, max(0, match.start() - 8), match.start()) is not None
    return named and alone and not text.startswith((",", " and ", " or "), match.end())


def _eastern(text: str) -> Iterator[Range]:
    for run in _EAST.finditer(text):
        value = run.group()
        cue = _EAST_CUE.search(text, max(0, run.start() - 12), run.start())
        told = _FOR_WHOM.search(text, max(0, run.start() - 12), run.start())
        if cue is not None or (told and not _is_eastern(text, run)):
            length = _eastern_name(value, 0)
            whole = length and (length == len(value) or _EAST_TAIL.match(value, length) is not None)
            honoured = length and _HONORIFIC.match(text, run.start() + length) is not None
            if length and (
                honoured
                or (whole and not (cue and cue.group()[-1:] not in ":：" and _is_short_word(value, length)))
            ):
                yield run.start(), run.start() + length
                continue
        yield from _inside(text, run)


def _is_eastern(text: str, run: re.Match[str]) -> bool:
    """Return whether the characters around are of these scripts too."""
    before, after = text[max(0, run.start() - 3) : run.start()], text[run.end() : run.end() + 3]
    return _LATIN_AROUND.search(before + after) is None and not (before + after).isspace()


def _inside(text: str, run: re.Match[str]) -> Iterator[Range]:
    """Yield names inside of a run: behind a telling word, or before a form of address."""
    for place in range(run.start(), run.end()):
        if place > run.start() and _EAST_CUE.search(text, max(0, place - 8), place) is None:
            continue
        at = place - run.start()
        length = _eastern_name(run.group(), at)
        if length:
            ends = at + length == len(run.group()) or _EAST_TAIL.match(run.group(), at + length)
            told = at > 0 and ends and not _is_short_word(run.group()[at:], length)
            if told or _HONORIFIC.match(text, place + length):
                yield place, place + length
                return


def _is_short_word(value: str, length: int) -> bool:
    """Return whether a Korean run is too short for a name, or goes on as a word does."""
    return "\uac00" <= value[0] <= "\ud7af" and not (
        length == 3 and value[3:].startswith(("입니다", "씨", "님"))
    )


def _eastern_name(value: str, at: int) -> int:
    """Return the length of the name that begins at `at`: a known surname and one to three characters."""
    for size in (3, 2, 1):
        surname = value[at : at + size]
        if len(surname) < size or folded(surname) not in _east():
            continue
        rest = value[at + size : at + size + 3]
        for honorific in _BEHIND:
            cut = rest.find(honorific)
            if cut > 0:
                rest = rest[:cut]
        given = re.match(r"[\u3400-\u9fff\u3005]{1,3}|[\uac00-\ud7af]{1,2}|[\u3041-\u30fa]{2,3}", rest)
        if given:
            most = 3 if size > 1 else 2
            return size + min(len(given.group()), most)
    return 0


@cache
def _east() -> frozenset[str]:
    """Return the surnames of East Asia as `folded` spells them, which takes Hangul apart."""
    return frozenset(map(folded, lexicon().surnames_east))


def _caseless(text: str) -> Iterator[Range]:
    """Yield Arabic, Hebrew and Hindi names: two to four words in Latin text, or known ones anywhere."""
    for match in _CASELESS.finditer(text):
        words = match.group().split(" ")
        around = text[max(0, match.start() - 3) : match.start()] + text[match.end() : match.end() + 3]
        told = _FOR_WHOM.search(text, max(0, match.start() - 12), match.start())
        if told and _LATIN_AROUND.search(around):
            yield match.span()
            continue
        position = match.start()
        for index, word in enumerate(words[:-1]):
            if is_given_name(word) and (may_be_given(words[index + 1]) or may_be_surname(words[index + 1])):
                yield position, position + len(word) + 1 + len(words[index + 1])
                break
            position += len(word) + 1
