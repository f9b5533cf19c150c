"""What a written number may mean: its *readings*.

Floats for values, strings for times (`t17:00`), dates (`d2024-3-5`, `m3-5`) and codes of several parts
(`c6.16.0`). `1.200` reads both as 1.2 and as 1200, `1,200` as 1200 only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sentinel.indicators.powers import FRACTION_SIGNS

Reading = float | str

SCALE_WORDS = {
    "k": "e3", "thousand": "e3", "tausend": "e3", "mille": "e3", "mil": "e3", "m": "e6", "mn": "e6",
    "mio": "e6", "million": "e6", "millions": "e6", "millionen": "e6", "millones": "e6", "bn": "e9",
    "b": "e9", "billion": "e9", "billions": "e9", "mrd": "e9", "milliarden": "e9", "milliards": "e9",
    "t": "e12", "tn": "e12", "trillion": "e12", "trillions": "e12", "lakh": "e5", "lakhs": "e5",
    "crore": "e7", "crores": "e7", "hundred": "e2", "mm": "e6",
}  # fmt: skip
#: Letters that are a scale only when glued to the number, and may as well be a unit or a label.
_AMBIGUOUS_SCALES = frozenset({"m", "b", "t", "mm"})
_DAY_HALVES = {"am": 0, "a": 0, "pm": 12, "p": 12}

PERCENT = frozenset(
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
#: What may follow a number and change its value.
CHANGING = frozenset((*SCALE_WORDS, *_DAY_HALVES, *FRACTION_SIGNS, *PERCENT, *_PER_MILLE))
ENTITIES = r"&(?:nbsp|thinsp|#160|#8239|#x[aA]0);"
_ENTITY = re.compile(ENTITIES)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+\.\d+")
_EUROPEAN = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+")
_SPACED = re.compile(r"\d{1,3}(?:['’_\u00a0\u202f\u2009\u2007 ]\d{3})+(?:[.,]\d+)?")
_TIME = re.compile(r"(\d{1,2})[:.](\d{2})(?::\d{2})?")
#: From one time of day to another: `09:00-17:00`.
_HOURS = re.compile(r"(\d{1,2}:\d\d)[–-](\d{1,2}:\d\d)")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})")
MONTH_WORDS = frozenset(
    b"""jan january feb february mar march apr april may jun june jul july aug august sep sept
    september oct october nov november dec december""".split()
)
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
#: Longer runs of digits are compared as text: they are identifiers, and no float holds them.
MAX_DIGITS = 30
#: What follows a number may be as long as the text; of such, nothing is kept.
_LONGEST_REMEMBERED = 16


def names_a_month(words: set[bytes] | frozenset[bytes]) -> bool:
    """Return whether folded words hold a month's name: without one no date is written out."""
    return not MONTH_WORDS.isdisjoint(words)


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


def short_years(core: str) -> tuple[Reading, ...]:
    """Return the years that two digits after an apostrophe or before an `s` may mean."""
    return (
        tuple(float(century + int(core)) for century in (1800, 1900, 2000))
        if len(core) == 2 and core.isdigit()
        else ()
    )


def read(
    core: str, gap: str, following: str | None, code: bool
) -> tuple[tuple[Reading, ...], tuple[tuple[Reading, ...], ...]]:
    """Return the readings of one written number, and those of its parts where it may be several."""
    if len(core) > MAX_DIGITS:
        return ("c" + _SEPARATORS.sub("", core),), ()
    if following is not None and len(following) > _LONGEST_REMEMBERED:
        return _read(core, gap, following, code)
    return _remembered(core, gap, following, code)


def _read(
    core: str, gap: str, following: str | None, code: bool
) -> tuple[tuple[Reading, ...], tuple[tuple[Reading, ...], ...]]:
    if code:
        return (f"c{core}{gap}{following or ''}",), ()
    suffix = ""
    extra: tuple[Reading, ...] = ()
    keep_plain = True
    if following is not None:
        word = following.lower()
        if word in PERCENT:
            return _with_percent(core, "e-2"), ()
        if word in _PER_MILLE:
            return _with_percent(core, "e-3"), ()
        if word in SCALE_WORDS and (not gap or len(word) > 2) and (word != "mm" or following == "MM"):
            ambiguous = word in _AMBIGUOUS_SCALES and not following.isupper()
            suffix = SCALE_WORDS[word]
            keep_plain = ambiguous
        elif word in _DAY_HALVES:
            extra = _clock(core, _DAY_HALVES[word])
        elif word in FRACTION_SIGNS and core.isdigit():
            return (float(core) + FRACTION_SIGNS[word],), ()
    readings, parts = _plain(core)
    if suffix:
        scaled = tuple(value for text in decimals(core) for value in (float(text + suffix),))
        readings = scaled + readings if keep_plain else scaled
        parts = parts if keep_plain else ()
    return readings + extra, parts


#: Small numbers, years and shares come in every other text.
_remembered = lru_cache(maxsize=8192)(_read)


def _with_percent(core: str, scale: str) -> tuple[Reading, ...]:
    """Return p per cent as p and as p/100, p per mille as p and as p/1000."""
    written = decimals(core)
    if not written:
        readings, parts = _plain(core)
        return readings + tuple(r for part in parts[-1:] for r in part)
    return tuple(float(text + exponent) for exponent in ("", scale) for text in written)


def _clock(core: str, half: int) -> tuple[Reading, ...]:
    """Return the time of day that a number before `am` or `pm` names."""
    hour, _, minute = core.replace(".", ":").partition(":")
    if not hour.isdigit() or not 1 <= int(hour) <= 12 or (minute and not minute.isdigit()):
        return ()
    return (f"t{int(hour) % 12 + half}:{int(minute or 0):02d}",)


def decimals(core: str) -> tuple[str, ...]:
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
    written = decimals(core)
    values: tuple[Reading, ...] = tuple(float(text) for text in written)
    if (time := _TIME.fullmatch(core)) and int(time[1]) < 25 and int(time[2]) < 60:
        values += (f"t{int(time[1])}:{time[2]}",)
        if ":" in core and time[2] == "00":
            values += (float(time[1]),)
    if written:
        return values, _parts(core) if " " in core or "," in core else ()
    if date := _YEAR_FIRST.fullmatch(core):
        year, month, day = (int(piece) for piece in date.groups())
        return (*values, f"d{year}-{month}-{day}", f"m{month}-{day}", float(year), float(day)), ()
    if date := _YEAR_LAST.fullmatch(core):
        return values + _day_and_month(*(int(piece) for piece in date.groups())), ()
    if core.count("/") + core.count("⁄") == 1 and (fraction := _fraction(core)) is not None:
        return (*values, fraction), _parts(core)
    if hours := _HOURS.fullmatch(core):
        return values, (_plain(hours[1])[0], _plain(hours[2])[0])
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
    parts = [tuple(float(text) for text in decimals(piece)) or ("c" + piece,) for piece in pieces if piece]
    if len(pieces) == 2 and (len(pieces[0]), len(pieces[1])) == (4, 2) and "".join(pieces).isdigit():
        # the second year of `2019-21` leaves its century out
        parts[1] = (float(pieces[0][:2] + pieces[1]), *parts[1])
    return tuple(parts)
