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

Reading = float | str

_SCALES = {
    "k": "e3", "thousand": "e3", "tausend": "e3", "mille": "e3", "mil": "e3", "m": "e6", "mn": "e6",
    "mio": "e6", "million": "e6", "millions": "e6", "millionen": "e6", "millones": "e6", "bn": "e9",
    "b": "e9", "billion": "e9", "billions": "e9", "mrd": "e9", "milliarden": "e9", "milliards": "e9",
    "t": "e12", "tn": "e12", "trillion": "e12", "trillions": "e12", "lakh": "e5", "lakhs": "e5",
    "crore": "e7", "crores": "e7", "hundred": "e2",
}  # fmt: skip
#: Letters that are a scale only when glued to the number, and may as well be a unit or a label.
_AMBIGUOUS_SCALES = frozenset({"m", "b", "t"})
_DAY_HALVES = {"am": 0, "a": 0, "pm": 12, "p": 12}

#: What may follow a number and change its value.
_CHANGING = frozenset((*_SCALES, *_DAY_HALVES, *"%½¼¾⅓⅔⅛", "percent", "pct", "prozent"))

_NUMBER = re.compile(
    r"(?P<core>\d+(?:(?:[.,:/'’\u00a0\u202f\u2009–-]| (?=\d{3}(?!\d)))\d+)*)"
    r"(?:(?P<gap>[ \u00a0\u202f-]?)(?P<next>[^\W\d_]+|%|[½¼¾⅓⅔⅛])?)(?P<code>\d)?"
)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+\.\d+")
_EUROPEAN = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+")
_SPACED = re.compile(r"\d{1,3}(?:['’\u00a0\u202f\u2009 ]\d{3})+(?:[.,]\d+)?")
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
_FRACTION_SIGNS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125}

#: Longer runs of digits are compared as text: they are identifiers, and no float holds them.
_MAX_DIGITS = 30


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """One number of the answer: where it starts, how it is written, how it may be read.

    It is grounded by any of `readings`, or where all of `parts` are (a range, a list without spaces).
    """

    start: int
    written: str = field(repr=False)
    readings: tuple[Reading, ...] = field(repr=False)
    parts: tuple[tuple[Reading, ...], ...] = field(default=(), repr=False)

    def grounded(self, evidence: set[Reading]) -> bool:
        """Return whether the evidence holds it."""
        if any(reading in evidence for reading in self.readings):
            return True
        return bool(self.parts) and all(any(r in evidence for r in part) for part in self.parts)


def evidence_readings(text: str, words: frozenset[bytes]) -> frozenset[Reading]:
    """Return every reading of every number in a text, number words, dates and Roman numerals included.

    `words` are the folded words of the text.
    """
    found: set[Reading] = set()
    for match in _NUMBER.finditer(text):
        core, gap, following, code = match.groups()
        if core.isdigit() and len(core) <= _MAX_DIGITS:
            found.add(float(core))
            if code is None and (following is None or following.lower() not in _CHANGING):
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
        found.update(value for sign, value in _FRACTION_SIGNS.items() if sign in text)
    return frozenset(found)


def answer_numbers(text: str, words: set[bytes]) -> list[WrittenNumber]:
    """Return the numbers of an answer in the order in which they stand; `words` are its content words.

    Numbers of list items, steps and points are left out.
    """
    matches = list(_NUMBER.finditer(text))
    running = running_numbers(text, [m.span("core") for m in matches]) if len(matches) > 1 else set()
    numbers = [
        number
        for match in matches
        if match.start() not in running and (number := _written(text, match)) is not None
    ]
    worded = list(answer_number_words(text, words))
    if worded:
        numbers.extend(WrittenNumber(start, written, (value,)) for start, written, value in worded)
        numbers.sort(key=lambda number: number.start)
    return numbers


def _written(text: str, match: re.Match[str]) -> WrittenNumber | None:
    """Return the number that stands here; None for codes (`X200`) and for numbering."""
    core, gap, following, code = match.groups()
    start, end = match.span("core")
    if code is not None or (start and (text[start - 1].isalnum() or text[start - 1] == "_")):
        return None
    if opens_line(text, start, end) or counts_a_part(text, start):
        return None
    plain = following is None or (following.lower() not in _CHANGING and (gap or _is_unit(following)))
    if plain and core.isdigit() and len(core) <= _MAX_DIGITS:
        return WrittenNumber(start, core, (float(core),))
    scaled = following is not None and following.lower() in _SCALES and (not gap or len(following) > 2)
    if following is not None and not gap and not _is_unit(following) and not scaled:
        return None
    readings, parts = _read(core, gap, following, code=False)
    if any(isinstance(reading, str) and reading[0] in "dm" for reading in readings):
        readings = tuple(reading for reading in readings if isinstance(reading, str))
    return WrittenNumber(start, f"{core}{gap}{following}" if scaled else core, readings, parts)


def _is_unit(letters: str) -> bool:
    """Return whether letters glued to a number may be its unit (`45mins`), not the rest of a code."""
    return len(letters) <= 3 or (len(letters) <= 8 and letters.islower())


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
        if word == "%" or word in {"percent", "pct", "prozent"}:
            return _with_percent(core), ()
        if word in _SCALES and (not gap or len(word) > 2):
            ambiguous = word in _AMBIGUOUS_SCALES and not following.isupper()
            suffix = _SCALES[word]
            keep_plain = ambiguous
        elif word in _DAY_HALVES:
            extra = _clock(core, _DAY_HALVES[word])
        elif word in _FRACTION_SIGNS and core.isdigit():
            return (float(core) + _FRACTION_SIGNS[word],), ()
    readings, parts = _plain(core)
    if suffix:
        scaled = tuple(value for text in _decimals(core) for value in (float(text + suffix),))
        readings = scaled + readings if keep_plain else scaled
        parts = parts if keep_plain else ()
    return readings + extra, parts


def _with_percent(core: str) -> tuple[Reading, ...]:
    """Return p per cent as p and as p/100."""
    decimals = _decimals(core)
    if not decimals:
        readings, parts = _plain(core)
        return readings + tuple(r for part in parts[-1:] for r in part)
    return tuple(float(text + exponent) for exponent in ("", "e-2") for text in decimals)


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
        return (re.sub(r"['’\s]", "", core).replace(",", "."),)
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
    if core.count("/") == 1 and (fraction := _fraction(core)) is not None:
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
    upper, _, lower = core.partition("/")
    if not upper.isdigit() or not lower.isdigit() or int(lower) == 0:
        return None
    return int(upper) / int(lower)


def _parts(core: str) -> tuple[tuple[Reading, ...], ...]:
    """Return the readings of the numbers that a range or a list without spaces joins."""
    pieces = re.split(r"[–\-/ ]|,(?!\d{3}(?!\d))", core)
    if len(pieces) < 2:
        return ()
    return tuple(
        tuple(float(text) for text in _decimals(piece)) or ("c" + piece,) for piece in pieces if piece
    )


def _roman(text: str) -> Iterator[float]:
    """Yield the values of Roman numerals of two letters and more."""
    for match in _ROMAN.finditer(text):
        yield float(10 * len(match[1]) + _ROMAN_UNITS[match[2]])
