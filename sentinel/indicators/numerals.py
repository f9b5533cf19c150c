"""Numbers as values: the same value in another notation is the same number.

A written number has *readings*: floats for values, strings for times (`t17:00`), dates (`d2024-3-5`,
`m3-5`) and codes of several parts (`c6.16.0`). A number of the answer is grounded when one of its
readings is among those of the evidence. `1.200` reads both as 1.2 and as 1200, `1,200` as 1200 only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sentinel.indicators.number_words import answer_number_words, evidence_number_words
from sentinel.indicators.numbering import counts_a_part, opens_line, running_numbers
from sentinel.indicators.powers import FRACTION_SIGNS, POWER_SIGNS, is_bullet, mixed, power, sign_before
from sentinel.indicators.shares import OPENING, compound, shares

Reading = float | str

_SCALES = {
    "k": "e3", "thousand": "e3", "tausend": "e3", "mille": "e3", "mil": "e3", "m": "e6", "mn": "e6",
    "mio": "e6", "million": "e6", "millions": "e6", "millionen": "e6", "millones": "e6", "bn": "e9",
    "b": "e9", "billion": "e9", "billions": "e9", "mrd": "e9", "milliarden": "e9", "milliards": "e9",
    "t": "e12", "tn": "e12", "trillion": "e12", "trillions": "e12", "lakh": "e5", "lakhs": "e5",
    "crore": "e7", "crores": "e7", "hundred": "e2", "mm": "e6",
}  # fmt: skip
#: Letters that are a scale only when glued to the number, and may as well be a unit or a label.
_AMBIGUOUS_SCALES = frozenset({"m", "b", "t", "mm"})
_DAY_HALVES = {"am": 0, "a": 0, "pm": 12, "p": 12}

_PERCENT = frozenset(
    (
        "%",
        "percent",
        "pct",
        "prozent",
        "per cent",
        "procent",
        "por ciento",
        "pour cent",
        "per cento",
        "por cento",
    )
)
_PER_MILLE = frozenset(("‰", "permille", "promille", "per mille", "per mil"))
_ORDINAL_ENDINGS = frozenset(("st", "nd", "rd", "th", "º", "ª", "er", "ère", "ème"))

#: What may follow a number and change its value.
_CHANGING = frozenset((*_SCALES, *_DAY_HALVES, *FRACTION_SIGNS, *_PERCENT, *_PER_MILLE))
#: What may follow a number and change how it is written or read.
_TELLING = _CHANGING | OPENING | _ORDINAL_ENDINGS | {"s", "x", "e", "and"}
#: Before a number these may be or follow its sign; a space only where a word such as `minus` is there.
_BEFORE_SIGNED = frozenset("-−+'’$€£¥₹")
_BEFORE_SIGNED_IN_WORDS = _BEFORE_SIGNED | frozenset(" \u00a0")
_MINUS_WORDS = frozenset((b"minus", b"negative"))

_ENTITIES = r"&(?:nbsp|thinsp|#160|#8239|#x[aA]0);"
_ENTITY = re.compile(_ENTITIES)
_FRACTION = "".join(FRACTION_SIGNS)
_NUMBER_PATTERN = (
    rf"(?P<core>\d\d*(?:(?:[.,:/⁄'’\u00a0\u202f\u2009\u2007–-]| (?=\d{{3}}(?!\d))|_(?=\d{{3}}(?!\d))"
    rf"|{_ENTITIES}(?=\d{{3}}(?!\d)))\d+)*)"
    rf"(?:(?P<gap>[ \u00a0\u202f-]?)(?P<next>p(?:er|or|our) (?:cent[eo]?|ciento|mille?)\b|[^\W\d_]+|[%‰]|[{_FRACTION}])?)"
    r"(?P<code>(?<=[^\W\d_])\d)?"
)
_NUMBER = re.compile(_NUMBER_PATTERN)
#: The same over ASCII, where digits are found faster.
_NUMBER_ASCII = re.compile(_NUMBER_PATTERN.replace(r"\d", "[0-9]").replace(r"[^\W[0-9]_]", "[A-Za-z]"))
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+\.\d+")
_EUROPEAN = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+")
_SPACED = re.compile(r"\d{1,3}(?:['’_\u00a0\u202f\u2009\u2007 ]\d{3})+(?:[.,]\d+)?")
_TIME = re.compile(r"(\d{1,2})[:.](\d{2})(?::\d{2})?")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})")
_MONTH_WORDS = frozenset(
    b"""jan january feb february mar march apr april may jun june jul july aug august sep sept
    september oct october nov november dec december""".split()
)
_ROMAN_WORDS = frozenset(b"ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx xxi".split())
_SEPARATORS = re.compile(r"[^\d]+")
_MONTHS = {
    name[:3]: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_WRITTEN_DATE = re.compile(
    r"(?<!\w)(?:"
    + _MONTH.format("first")
    + r"\s{1,3}(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,?\s{1,3}(?P<year>\d{4})(?!\d))?"
    r"|(?P<day_before>\d{1,2})(?:st|nd|rd|th|\.)?\s{1,3}(?:of\s)?"
    + _MONTH.format("last")
    + r"(?:,?\s{1,3}(?P<year_after>\d{4})(?!\d))?)",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"\b(?=[IVX]{2,5}\b)(X{0,3})(IX|IV|V?I{0,3})\b")
_ROMAN_UNITS = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}
_LAST_FIGURES = re.compile(r"[\d.,]+")
_RANGE_SIGNS = re.compile("[–-]")
_LONE_FRACTION = re.compile(rf"(?<![\d/])(?<!\d[ \u00a0])[{_FRACTION}]")
_OPENS_MORE = frozenset("0123456789×x*·⋅")
#: Cents are listed by their number, parts with their word.
_PARTS_WRITTEN = OPENING - {"cent", "cents", "pence", "centime", "centimes", "céntimos", "centavos"}

#: Longer runs of digits are compared as text: they are identifiers, and no float holds them.
_MAX_DIGITS = 30


@dataclass(slots=True)
class WrittenNumber:
    """One number of the answer: where it starts, how it is written, how it may be read.

    It is grounded by any of `readings`, or where all of `parts` are (a range, a list without spaces).
    `end` is where a number of several words ends; `ends` are the two ends of a range as written.
    """

    start: int
    written: str = field(repr=False)
    readings: tuple[Reading, ...] = field(repr=False)
    parts: tuple[tuple[Reading, ...], ...] = field(default=(), repr=False)
    end: int = 0
    ends: tuple[str, ...] = field(default=(), repr=False)

    def grounded(self, evidence: set[Reading]) -> bool:
        """Return whether the evidence holds it."""
        if any(reading in evidence for reading in self.readings):
            return True
        return bool(self.parts) and all(any(r in evidence for r in part) for part in self.parts)

    def lacking(self, evidence: set[Reading]) -> str:
        """Return what the evidence lacks, as written: one end of a range where it holds the other."""
        lacking = [
            end
            for end, part in zip(self.ends, self.parts, strict=False)
            if not any(reading in evidence for reading in part)
        ]
        return lacking[0] if len(lacking) == 1 and len(self.ends) == 2 else self.written


def evidence_readings(text: str, words: frozenset[bytes]) -> frozenset[Reading]:
    """Return every reading of every number in a text, number words, dates and Roman numerals included.

    `words` are the folded words of the text.
    """
    found: set[Reading] = set()
    before_signed = _BEFORE_SIGNED if _MINUS_WORDS.isdisjoint(words) else _BEFORE_SIGNED_IN_WORDS
    for match in (_NUMBER_ASCII if text.isascii() else _NUMBER).finditer(text):
        core, gap, following, code = match.groups()
        start, end = match.span("core")
        if start and text[start - 1] in before_signed:
            found.update(_signed_or_short(text, start, core))
        word = following.lower() if following is not None else None
        after = text[end : end + 2]
        if word in _TELLING or after[:1] in POWER_SIGNS or (after[:1] == " " and after[1:] in _OPENS_MORE):
            found.update(_more(text, start, end, core, word))
        if core.isdigit() and len(core) <= _MAX_DIGITS:
            found.add(float(core))
            if code is None and (word is None or word not in _CHANGING):
                continue
        readings, parts = _read(core, gap, following, code is not None)
        found.update(readings)
        for part in parts:
            found.update(part)
    found.update(evidence_number_words(text, words))
    if not _MONTH_WORDS.isdisjoint(words):
        found.update(written_dates(text))
    if not _ROMAN_WORDS.isdisjoint(words):
        found.update(_roman(text))
    if not text.isascii():
        found.update(value for sign, value in FRACTION_SIGNS.items() if sign in text)
    return frozenset(found)


def _signed_or_short(text: str, start: int, core: str) -> Iterator[Reading]:
    """Yield what a number means with the sign or the apostrophe before it (`-5`, `'26`)."""
    if text[start - 1] in "'’":
        yield from _short_years(core)
    elif sign_before(text, start)[0] < 0:
        yield from (-float(value) for value in _decimals(core))


def _more(text: str, start: int, end: int, core: str, word: str | None) -> tuple[Reading, ...]:
    """Return what evidence means by a number together with what follows: shares, money, powers, decades."""
    whole = power(text, start) or mixed(text, start)
    if whole is not None:
        return (whole[1],)
    if word in OPENING and (values := _decimals(core)):
        found = compound(text, end, float(values[0]), word)
        return found[1] if found is not None else ()
    return _short_years(core) if word == "s" else ()


def _short_years(core: str) -> tuple[Reading, ...]:
    """Return the years that two digits after an apostrophe or before an `s` may mean."""
    return (
        tuple(float(century + int(core)) for century in (1800, 1900, 2000))
        if len(core) == 2 and core.isdigit()
        else ()
    )


def answer_numbers(text: str, words: set[bytes]) -> list[WrittenNumber]:
    """Return the numbers of an answer in the order in which they stand; `words` are its content words.

    Numbers of list items, steps and points are left out.
    """
    matches = list((_NUMBER_ASCII if text.isascii() else _NUMBER).finditer(text))
    before_signed = _BEFORE_SIGNED if _MINUS_WORDS.isdisjoint(words) else _BEFORE_SIGNED_IN_WORDS
    running = running_numbers(text, [m.span("core") for m in matches]) if len(matches) > 1 else set()
    numbers = [
        number
        for match in matches
        if match.start() not in running and (number := _written(text, match, before_signed)) is not None
    ]
    if not text.isascii():
        numbers.extend(_lone_fractions(text))
    worded = list(answer_number_words(text, words))
    if worded:
        numbers.extend(
            WrittenNumber(start, text[start:end], values, end=end) for start, end, values in worded
        )
    if worded or not text.isascii():
        numbers.sort(key=lambda number: (number.start, -number.end))
    return _outermost(numbers)


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


def _lone_fractions(text: str) -> Iterator[WrittenNumber]:
    for match in _LONE_FRACTION.finditer(text):
        yield WrittenNumber(match.start(), match[0], shares(FRACTION_SIGNS[match[0]], 1))


def _written(text: str, match: re.Match[str], before_signed: frozenset[str]) -> WrittenNumber | None:
    """Return the number that stands here; None for codes (`X200`) and for numbering."""
    core, gap, following, code = match.groups()
    start, end = match.span("core")
    if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        return None
    word = following.lower() if following is not None else None
    after = text[end : end + 2]
    if word in _TELLING or after[:1] in POWER_SIGNS or (after[:1] == " " and after[1:] in _OPENS_MORE):
        whole = _of_several(text, start, end, core, word)
        if whole is not None:
            return whole
    if code is not None or opens_line(text, start, end) or counts_a_part(text, start):
        return None
    plain = following is None or (word not in _TELLING and (gap or _is_unit(following)))
    signed = start > 0 and text[start - 1] in before_signed
    if plain and not signed and core.isdigit() and len(core) <= _MAX_DIGITS:
        return WrittenNumber(start, core, (float(core),))
    scaled = word in _SCALES and (not gap or len(word) > 2) and (word != "mm" or following == "MM")
    if following is not None and not gap and not _is_unit(following) and not scaled and word not in _PERCENT:
        return None
    readings, parts = _read(core, gap, following, code=False)
    if any(isinstance(reading, str) and reading[0] in "dm" for reading in readings):
        readings = tuple(reading for reading in readings if isinstance(reading, str))
    written = f"{core}{gap}{following}" if scaled or (not gap and word in _ORDINAL_ENDINGS) else core
    if not gap and word == "s":
        readings += _short_years(core)
    if signed:
        return _with_sign(text, start, written, readings, parts)
    return WrittenNumber(start, written, readings, parts, ends=_ends(core, parts))


def _with_sign(
    text: str, start: int, written: str, readings: tuple[Reading, ...], parts: tuple[tuple[Reading, ...], ...]
) -> WrittenNumber:
    """Return a number with the sign or the apostrophe that may stand before it."""
    if text[start - 1] in "'’":
        years = _short_years(written)
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
    if word not in OPENING or not (values := _decimals(core)):
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
    values = [_decimals(piece) for piece in pieces]
    rising = all(values) and float(values[0][0]) < float(values[1][0]) and not pieces[1].startswith("0")
    return tuple(pieces) if rising else ()


def _is_unit(letters: str) -> bool:
    """Return whether letters glued to a number may be its unit (`45mins`), not the rest of a code."""
    return len(letters) <= 3 or (len(letters) <= 8 and letters.islower())


def names_a_month(words: set[bytes]) -> bool:
    """Return whether folded words hold a month's name: without one no date is written out."""
    return not _MONTH_WORDS.isdisjoint(words)


def written_dates(text: str) -> Iterator[Reading]:
    """Yield the readings of dates written with a month's name: full dates, and month with day."""
    for match in _WRITTEN_DATE.finditer(text):
        month = _MONTHS[(match["first"] or match["last"])[:3].lower()]
        day = int(match["day"] or match["day_before"])
        year = match["year"] or match["year_after"]
        yield f"m{month}-{day}"
        if year:
            yield f"d{int(year)}-{month}-{day}"


def day_in_date(text: str, start: int) -> tuple[Reading, ...]:
    """Return the readings of the written date in which the number at `start` is the day, if it is one."""
    window = text[max(0, start - 14) : start + 24]
    offset = start - max(0, start - 14)
    for match in _WRITTEN_DATE.finditer(window):
        if offset in (match.start("day"), match.start("day_before")):
            return tuple(written_dates(match[0]))
    return ()


def _read(
    core: str, gap: str, following: str | None, code: bool
) -> tuple[tuple[Reading, ...], tuple[tuple[Reading, ...], ...]]:
    """Return the readings of one written number, and those of its parts where it may be several."""
    if len(core) > _MAX_DIGITS:
        return ("c" + _SEPARATORS.sub("", core),), ()
    if code:
        return (f"c{core}{gap}{following or ''}",), ()
    suffix = ""
    extra: tuple[Reading, ...] = ()
    keep_plain = True
    if following is not None:
        word = following.lower()
        if word in _PERCENT:
            return _with_percent(core, "e-2"), ()
        if word in _PER_MILLE:
            return _with_percent(core, "e-3"), ()
        if word in _SCALES and (not gap or len(word) > 2) and (word != "mm" or following == "MM"):
            ambiguous = word in _AMBIGUOUS_SCALES and not following.isupper()
            suffix = _SCALES[word]
            keep_plain = ambiguous
        elif word in _DAY_HALVES:
            extra = _clock(core, _DAY_HALVES[word])
        elif word in FRACTION_SIGNS and core.isdigit():
            return (float(core) + FRACTION_SIGNS[word],), ()
    readings, parts = _plain(core)
    if suffix:
        scaled = tuple(value for text in _decimals(core) for value in (float(text + suffix),))
        readings = scaled + readings if keep_plain else scaled
        parts = parts if keep_plain else ()
    return readings + extra, parts


def _with_percent(core: str, scale: str) -> tuple[Reading, ...]:
    """Return p per cent as p and as p/100, p per mille as p and as p/1000."""
    decimals = _decimals(core)
    if not decimals:
        readings, parts = _plain(core)
        return readings + tuple(r for part in parts[-1:] for r in part)
    return tuple(float(text + exponent) for exponent in ("", scale) for text in decimals)


def _clock(core: str, half: int) -> tuple[Reading, ...]:
    """Return the time of day that a number before `am` or `pm` names."""
    hour, _, minute = core.replace(".", ":").partition(":")
    if not hour.isdigit() or not 1 <= int(hour) <= 12 or (minute and not minute.isdigit()):
        return ()
    return (f"t{int(hour) % 12 + half}:{int(minute or 0):02d}",)


def _decimals(core: str) -> tuple[str, ...]:
    """Return a number's value in plain digits with a decimal point, once for each way to read it."""
    if core.isdigit():
        return (core,)
    if "&" in core:
        core = _ENTITY.sub("\u00a0", core)
    if _GROUPED.fullmatch(core):
        return (core.replace(",", ""),)
    if _DECIMAL.fullmatch(core):
        whole, _, fraction = core.partition(".")
        if len(fraction) == 3 and len(whole) <= 3 and not whole.startswith("0"):
            return core, whole + fraction
        return (core,)
    if _EUROPEAN.fullmatch(core):
        return (core.replace(".", "").replace(",", "."),)
    if _SPACED.fullmatch(core):
        return (re.sub(r"['’_\s]", "", core).replace(",", "."),)
    return ()


def _plain(core: str) -> tuple[tuple[Reading, ...], tuple[tuple[Reading, ...], ...]]:
    """Return the readings of a written number without its unit, and of its parts."""
    decimals = _decimals(core)
    values: tuple[Reading, ...] = tuple(float(text) for text in decimals)
    if (time := _TIME.fullmatch(core)) and int(time[1]) < 25 and int(time[2]) < 60:
        values += (f"t{int(time[1])}:{time[2]}",)
        if ":" in core and time[2] == "00":
            values += (float(time[1]),)
    if decimals:
        return values, _parts(core) if " " in core or "," in core else ()
    if date := _YEAR_FIRST.fullmatch(core):
        year, month, day = (int(piece) for piece in date.groups())
        return (*values, f"d{year}-{month}-{day}", f"m{month}-{day}", float(year), float(day)), ()
    if date := _YEAR_LAST.fullmatch(core):
        return values + _day_and_month(*(int(piece) for piece in date.groups())), ()
    if core.count("/") + core.count("⁄") == 1 and (fraction := _fraction(core)) is not None:
        return (*values, fraction), _parts(core)
    pieces = _SEPARATORS.split(core)
    if values or len(pieces) == 2 or "," in core or " " in core or "–" in core:
        return values, () if ":" in core else _parts(core)
    return (*values, "c" + core, "c" + "".join(pieces)), () if "." in core else _parts(core)


def _day_and_month(first: int, second: int, year: int) -> tuple[Reading, ...]:
    """Return the dates that two numbers and a year may mean: day first or month first."""
    full_year = year + 2000 if year < 70 else year + 1900 if year < 100 else year
    dates: list[Reading] = [float(full_year)]
    for month, day in ((second, first), (first, second)):
        if 1 <= month <= 12 and 1 <= day <= 31:
            dates += [f"d{full_year}-{month}-{day}", f"m{month}-{day}", float(day)]
    return tuple(dates)


def _fraction(core: str) -> float | None:
    """Return a/b as a value."""
    upper, _, lower = core.replace("⁄", "/").partition("/")
    if not upper.isdigit() or not lower.isdigit() or int(lower) == 0:
        return None
    return int(upper) / int(lower)


def _parts(core: str) -> tuple[tuple[Reading, ...], ...]:
    """Return the readings of the numbers that a range or a list without spaces joins."""
    pieces = re.split(r"[–\-/⁄ ]|,(?!\d{3}(?!\d))", core)
    if len(pieces) < 2:
        return ()
    parts = [tuple(float(text) for text in _decimals(piece)) or ("c" + piece,) for piece in pieces if piece]
    if len(pieces) == 2 and len(pieces[0]) == 4 and len(pieces[1]) == 2 and pieces[1].isdigit():
        # the second year of `2019-21` leaves its century out
        parts[1] = (float(pieces[0][:2] + pieces[1]), *parts[1])
    return tuple(parts)


def _roman(text: str) -> Iterator[float]:
    """Yield the values of Roman numerals of two letters and more."""
    for match in _ROMAN.finditer(text):
        yield float(10 * len(match[1]) + _ROMAN_UNITS[match[2]])
