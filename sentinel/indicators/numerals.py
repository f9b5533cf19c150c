"""The numbers of an answer and of its evidence, as values: the same value in another notation is the same.

A number of the answer is grounded when one of its readings is among those of the evidence.
"""
# ruff: noqa: E501 - a pattern or a table on one line is easier to read

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from sentinel.indicators.number_words import (
    ANSWER_WORDS,
    EVIDENCE_WORDS,
    answer_number_words,
    evidence_number_words,
)
from sentinel.indicators.numbering import AFTER, counts_a_part, opens_line, running_numbers
from sentinel.indicators.powers import FRACTION_SIGNS, POWER_SIGNS, is_bullet, mixed, power, sign_before
from sentinel.indicators.readings import (
    CHANGING,
    ENTITIES,
    MAX_DIGITS,
    MONTH_WORDS,
    PERCENT,
    SCALE_WORDS,
    Reading,
    decimals,
    names_a_month,
    read,
    short_years,
    written_dates,
)
from sentinel.indicators.shares import MONEY, OPENING, compound, shares
from sentinel.indicators.word_sets import PlainNumbers, plain_numbers, vocabulary

_ORDINAL_ENDINGS = frozenset(("st", "nd", "rd", "th", "º", "ª", "er", "ère", "ème"))

#: What may follow a number and change how it is written or read.
_TELLING = CHANGING | OPENING | _ORDINAL_ENDINGS | {"s", "x", "e", "and"}
_TELLING_FOLDED = frozenset(word.encode() for word in _TELLING)
_MONEY_FOLDED = frozenset(word.encode() for word in MONEY)
#: Those of them that another number may follow, or the exponent of this one. Any other ends it, unless it
#: is written with more than digits (`1-1/2 percent`).
_LEADING_ON = OPENING | {"x", "e", "and"}
#: Before a number these may be or follow its sign; a space only where a word such as `minus` is there.
_BEFORE_SIGNED = frozenset("-−+'’$€£¥₹")
_BEFORE_SIGNED_IN_WORDS = _BEFORE_SIGNED | frozenset(" \u00a0")
_MINUS_WORDS = frozenset((b"minus", b"negative"))

_FRACTION = "".join(FRACTION_SIGNS)
_NUMBER_PATTERN = (
    rf"(?P<core>\d\d*(?:(?:[.,:/⁄'’\u00a0\u202f\u2009\u2007–-]| (?=\d{{3}}(?!\d))|_(?=\d{{3}}(?!\d))"
    rf"|{ENTITIES}(?=\d{{3}}(?!\d)))\d+)*)"
    rf"(?:(?P<gap>[ \u00a0\u202f-]?)(?P<next>p(?:er|or|our) (?:cent[eo]?|ciento|mille?)\b|[^\W\d_]+|[%‰]|[{_FRACTION}])?)"
    r"(?P<code>(?<=[^\W\d_])\d)?"
)
_NUMBER = re.compile(_NUMBER_PATTERN)
#: The same over ASCII, where digits are found faster.
_NUMBER_ASCII = re.compile(_NUMBER_PATTERN.replace(r"\d", "[0-9]").replace(r"[^\W[0-9]_]", "[A-Za-z]"))
_DIGITS_ALIKE = bytes(ord("0") if ord("0") <= code <= ord("9") else code for code in range(256))
_ROMAN_WORDS = frozenset(b"ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx xxi".split())
#: Folded words without which no number is worded, signed or part of a date, in an answer and in evidence.
NUMBER_WORDS = ANSWER_WORDS | MONTH_WORDS | _MINUS_WORDS
EVIDENCE_NUMBER_WORDS = vocabulary(EVIDENCE_WORDS | MONTH_WORDS | _MINUS_WORDS | _ROMAN_WORDS)
_ROMAN = re.compile(r"\b(?=[IVX]{2,5}\b)(X{0,3})(IX|IV|V?I{0,3})\b")
_ROMAN_UNITS = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}
_LAST_FIGURES = re.compile(r"[\d.,]+")
_RANGE_SIGNS = re.compile("[–-]")
_LONE_FRACTION = re.compile(rf"(?<![\d/])(?<!\d[ \u00a0])[{_FRACTION}]")
_OPENS_MORE = frozenset("0123456789×x*·⋅")
#: Cents are listed by their number, parts with their word.
_PARTS_WRITTEN = OPENING - {"cent", "cents", "pence", "centime", "centimes", "céntimos", "centavos"}


def stands_in(readings: tuple[Reading, ...], evidence: list[frozenset[Reading]]) -> bool:
    """Return whether one of the readings is in a piece of evidence."""
    for piece in evidence:  # noqa: SIM110 - `any` would make a generator for every number
        if not piece.isdisjoint(readings):
            return True
    return False


class WrittenNumber(msgspec.Struct, gc=False):
    """One number of the answer: where it starts, how it is written, how it may be read.

    It is grounded by any of `readings`, or where all of `parts` are (a range, a list without spaces).
    `end` is where a number of several words ends; `ends` are the two ends of a range as written.
    """

    start: int
    written: str
    readings: tuple[Reading, ...]
    parts: tuple[tuple[Reading, ...], ...] = ()
    end: int = 0
    ends: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<WrittenNumber at {self.start}>"

    def grounded(self, evidence: list[frozenset[Reading]]) -> bool:
        """Return whether the pieces of evidence hold it; each of several parts may stand in another one."""
        if stands_in(self.readings, evidence):
            return True
        return bool(self.parts) and all(stands_in(part, evidence) for part in self.parts)

    def lacking(self, evidence: list[frozenset[Reading]]) -> str:
        """Return what the evidence lacks, as written: one end of a range where it holds the other."""
        lacking = [
            end for end, part in zip(self.ends, self.parts, strict=False) if not stands_in(part, evidence)
        ]
        return lacking[0] if len(lacking) == 1 and len(self.ends) == 2 else self.written


def evidence_readings(text: str, words: set[bytes]) -> frozenset[Reading]:
    """Return every reading of every number in a text, number words, dates and Roman numerals included.

    `words` are those of the text's folded words that are in `EVIDENCE_NUMBER_WORDS`.
    """
    found: set[Reading] = set()
    before_signed = _BEFORE_SIGNED if _MINUS_WORDS.isdisjoint(words) else _BEFORE_SIGNED_IN_WORDS
    for match in _number_matches(text):
        core, gap, following, code = match.groups()
        start, end = match.span(1)
        if start and text[start - 1] in before_signed:
            found.update(_signed_or_short(text, start, core))
        word = following.lower() if following is not None else None
        after = text[end : end + 2]
        if word in _TELLING or after[:1] in POWER_SIGNS or (after[:1] == " " and after[1:] in _OPENS_MORE):
            found.update(_more(text, start, end, core, word))
        if core.isdigit() and len(core) <= MAX_DIGITS:
            found.add(float(core))
            if code is None and (word is None or word not in CHANGING):
                continue
        readings, parts = read(core, gap, following, code is not None)
        found.update(readings)
        for part in parts:
            found.update(part)
    found.update(evidence_number_words(text, words))
    if names_a_month(words):
        found.update(written_dates(text))
    if not _ROMAN_WORDS.isdisjoint(words):
        found.update(_roman(text))
    if not text.isascii():
        found.update(value for sign, value in FRACTION_SIGNS.items() if sign in text)
    return frozenset(found)


def _number_matches(text: str) -> list[re.Match[str]]:
    """Return the matches of `_NUMBER`: one begins at every digit that stands in no other."""
    if not text.isascii():
        return list(_NUMBER.finditer(text))
    # Digits are few: finding them in bytes takes a fifth of what trying the pattern at each place does.
    places = text.encode().translate(_DIGITS_ALIKE)
    matches = []
    place = places.find(b"0")
    while place >= 0 and (match := _NUMBER_ASCII.match(text, place)) is not None:
        matches.append(match)
        place = places.find(b"0", match.end())
    return matches


def _signed_or_short(text: str, start: int, core: str) -> Iterator[Reading]:
    """Yield what a number means with the sign or the apostrophe before it (`-5`, `'26`)."""
    if text[start - 1] in "'’":
        yield from short_years(core)
    elif sign_before(text, start)[0] < 0:
        yield from (-float(value) for value in decimals(core))


def _more(text: str, start: int, end: int, core: str, word: str | None) -> tuple[Reading, ...]:
    """Return what evidence means by a number together with what follows: shares, money, powers, decades."""
    whole = power(text, start) or mixed(text, start)
    if whole is not None:
        return (whole[1],)
    if word in OPENING and (values := decimals(core)):
        found = compound(text, end, float(values[0]), word)
        return found[1] if found is not None else ()
    return short_years(core) if word == "s" else ()


def answer_numbers(text: str, words: set[bytes]) -> list[WrittenNumber]:
    """Return the numbers of an answer in the order in which they stand.

    `words` are those of its content words that are in `NUMBER_WORDS`. Numbers of list items, steps and
    points are left out.
    """
    return compared_numbers(text, words, [])[1]


def compared_numbers(
    text: str,
    words: set[bytes],
    evidence: list[frozenset[Reading]],
    sort_out: PlainNumbers | None = plain_numbers,
) -> tuple[int, list[WrittenNumber]]:
    """Return how many of `answer_numbers` plainly stand in the evidence, and the others in their order.

    Of the others some may stand there as well: without `sort_out`, which saves reading them, all that do.
    """
    signs_in_words = not _MINUS_WORDS.isdisjoint(words)
    before_signed = _BEFORE_SIGNED_IN_WORDS if signs_in_words else _BEFORE_SIGNED
    is_ascii = text.isascii()
    settled: list[int] = []
    numbers: list[WrittenNumber] = []
    if is_ascii and sort_out is not None:
        settled, starts, ends = sort_out(text, signs_in_words, _TELLING_FOLDED, _MONEY_FOLDED, evidence)
        for start, end in zip(starts, ends, strict=True):
            if end:
                digits = text[start:end]
                numbers.append(WrittenNumber(start, digits, (float(digits),)))
            else:
                match = _NUMBER_ASCII.match(text, start)
                number = None if match is None else _written(text, match, before_signed)
                if number is not None:
                    numbers.append(number)
    else:
        for match in _stating_matches(text):
            number = _written(text, match, before_signed)
            if number is not None:
                numbers.append(number)
    if not is_ascii:
        numbers.extend(_lone_fractions(text))
    worded = [] if ANSWER_WORDS.isdisjoint(words) else list(answer_number_words(text, words))
    if worded:
        numbers.extend(
            WrittenNumber(start, text[start:end], values, end=end) for start, end, values in worded
        )
    if worded or not is_ascii:
        numbers.sort(key=lambda number: (number.start, -number.end))
    if numbers:
        numbers = _outermost(numbers)
    return _standing_alone(settled, numbers), numbers


def _stating_matches(text: str) -> list[re.Match[str]]:
    """Return the matches of `_NUMBER` but for those that run 1, 2, … through a line."""
    matches = _number_matches(text)
    if len(matches) < 2 or not any(match[1] == "1" for match in matches):
        return matches
    running = running_numbers(text, [match.span(1) for match in matches])
    return [match for match in matches if match.start() not in running]


def _outermost(numbers: list[WrittenNumber]) -> list[WrittenNumber]:
    """Leave out what stands inside another number (the `5` of `1 in 5`)."""
    kept = []
    covered = 0
    for number in numbers:
        if number.start >= covered:
            kept.append(number)
            if number.end:
                covered = number.end
    return kept


def _standing_alone(starts: list[int], numbers: list[WrittenNumber]) -> int:
    """Return how many of these places stand in none of the numbers; both are in order."""
    inside = place = 0
    for number in numbers:
        while place < len(starts) and starts[place] < number.start:
            place += 1
        while place < len(starts) and starts[place] < number.end:
            place += 1
            inside += 1
    return len(starts) - inside


def _lone_fractions(text: str) -> Iterator[WrittenNumber]:
    for match in _LONE_FRACTION.finditer(text):
        yield WrittenNumber(match.start(), match[0], shares(FRACTION_SIGNS[match[0]], 1))


def _written(text: str, match: re.Match[str], before_signed: frozenset[str]) -> WrittenNumber | None:
    """Return the number that stands here; None for codes (`X200`) and for numbering."""
    core, gap, following, code = match.groups()
    start = match.start()
    end = start + len(core)
    before = text[start - 1] if start else " "
    if (
        gap == " " == before
        and following is not None
        and following[0] != "x"
        and following.lower() not in _TELLING
        and core.isdigit()
        and len(core) <= MAX_DIGITS
        and " " not in before_signed
        and code is None
    ):  # as most are: ` 30 days`
        return None if counts_a_part(text, start) else WrittenNumber(start, core, (float(core),))
    if before != " " and (before.isalnum() or before == "_"):
        return None
    word = following.lower() if following is not None else None
    after = text[end : end + 2]
    if (
        word in _LEADING_ON
        or after[:1] in POWER_SIGNS
        or (after[:1] == " " and after[1:] in _OPENS_MORE)
        or (word in _TELLING and not core.isdigit())
    ):
        whole = _of_several(text, start, end, core, word)
        if whole is not None:
            return whole
    if code is not None or (after[:1] in AFTER and opens_line(text, start, end)):
        return None
    if counts_a_part(text, start):
        return None
    plain = following is None or (word not in _TELLING and (gap or _is_unit(following)))
    signed = start > 0 and before in before_signed
    if plain and not signed and core.isdigit() and len(core) <= MAX_DIGITS:
        return WrittenNumber(start, core, (float(core),))
    scaled = word in SCALE_WORDS and (not gap or len(word) > 2) and (word != "mm" or following == "MM")
    if following is not None and not gap and not _is_unit(following) and not scaled and word not in PERCENT:
        return None
    readings, parts = read(core, gap, following, code=False)
    if any(isinstance(reading, str) and reading[0] in "dm" for reading in readings):
        readings = tuple(reading for reading in readings if isinstance(reading, str))
    written = f"{core}{gap}{following}" if scaled or (not gap and word in _ORDINAL_ENDINGS) else core
    if not gap and word == "s":
        readings += short_years(core)
    if signed:
        return _with_sign(text, start, written, readings, parts)
    return WrittenNumber(start, written, readings, parts, ends=_ends(core, parts))


def _with_sign(
    text: str, start: int, written: str, readings: tuple[Reading, ...], parts: tuple[tuple[Reading, ...], ...]
) -> WrittenNumber:
    """Return a number with the sign or the apostrophe that may stand before it."""
    if text[start - 1] in "'’":
        years = short_years(written)
        return WrittenNumber(start, text[start - 1] + written if years else written, years + readings, parts)
    sign, begin = sign_before(text, start)
    if begin == start:
        return WrittenNumber(start, written, readings, parts, ends=_ends(written, parts))
    if sign < 0:
        negative = tuple(-reading for reading in readings if isinstance(reading, float))
        readings = negative + readings if is_bullet(text, begin) else negative
        parts = ()
    lead = text[begin:start] if text[begin].isalpha() else text[begin]
    return WrittenNumber(begin, lead + written, readings, parts)


def _of_several(text: str, start: int, end: int, core: str, word: str | None) -> WrittenNumber | None:
    """Return a power, a mixed fraction, a share or a sum of money that begins with this number."""
    whole = power(text, start) or mixed(text, start)
    if whole is not None:
        written = text[start : whole[0]]
        # in a calculation the question gives base and exponent
        parts = _figures(written) if core != "10" and written[len(core) : len(core) + 1] in "^*" else ()
        return WrittenNumber(start, written, (whole[1], *shares(whole[1], 1)), parts, end=whole[0])
    if word not in OPENING or not (values := decimals(core)):
        return None
    found = compound(text, end, float(values[0]), word)
    if found is None:
        return None
    stop, readings, second = found
    written = core if second is None and word not in _PARTS_WRITTEN else text[start:stop]
    if second is None:
        return WrittenNumber(start, written, readings, end=stop)
    ends = (core, _LAST_FIGURES.findall(written)[-1]) if written[-1].isdigit() else ()
    return WrittenNumber(start, written, readings, ((float(values[0]),), (second,)), stop, ends)


def _figures(written: str) -> tuple[tuple[Reading, ...], ...]:
    return tuple((float(figures),) for figures in re.findall(r"\d+", written))


def _ends(core: str, parts: tuple[tuple[Reading, ...], ...]) -> tuple[str, ...]:
    """Return the two ends of a rising range as written; nothing where it may be another kind of code."""
    pieces = _RANGE_SIGNS.split(core)
    if len(pieces) != 2 or len(parts) != 2:
        return ()
    if (len(pieces[0]), len(pieces[1])) == (4, 2):
        return tuple(pieces)
    values = [decimals(piece) for piece in pieces]
    rising = all(values) and float(values[0][0]) < float(values[1][0]) and not pieces[1].startswith("0")
    return tuple(pieces) if rising else ()


def _is_unit(letters: str) -> bool:
    """Return whether letters glued to a number may be its unit (`45mins`), not the rest of a code."""
    return len(letters) <= 3 or (len(letters) <= 8 and letters.islower())


def _roman(text: str) -> Iterator[float]:
    """Yield the values of Roman numerals of two letters and more."""
    for match in _ROMAN.finditer(text):
        yield float(10 * len(match[1]) + _ROMAN_UNITS[match[2]])
