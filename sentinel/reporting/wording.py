"""Numbers and dates as the report writes them, the same in prose, tables and charts."""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import Any

#: Stands between the thousands; it does not break at a line's end.
_THIN = "\u202f"
DASH = "–"
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def percent(value: float | None, *, sign: bool = False) -> str:
    """Return a share as a percentage; one below 1 % keeps two digits, unknown is a dash."""
    if value is None:
        return DASH
    points = 100.0 * value
    digits = 1 if points == 0 or abs(points) >= 1 else 2
    text = f"{points:+.{digits}f}" if sign else f"{points:.{digits}f}"
    if float(text) == 0.0:
        text = f"{0.0:.{digits}f}"
        if points > 0:
            return f"< 0.01{_THIN}%"
    return f"{text.replace('-', '−')}{_THIN}%"


def interval(rate: dict[str, Any]) -> str:
    """Return the bounds of a RATE, as in `9.1–16.0 %`; unknown is a dash."""
    if rate["lower"] is None or rate["upper"] is None:
        return DASH
    return f"{percent(rate['lower']).removesuffix(_THIN + '%')}–{percent(rate['upper'])}"


def change_interval(rate: dict[str, Any]) -> str:
    """Return the bounds of a difference, as in `−1.2 to +4.0`, in percentage points; unknown is a dash."""
    if rate["lower"] is None or rate["upper"] is None:
        return DASH
    return f"{points(rate['lower'])} to {points(rate['upper'])}"


def points(value: float | None) -> str:
    """Return a difference of shares in percentage points, with its sign; unknown is a dash."""
    return percent(value, sign=True).removesuffix(_THIN + "%")


def level(rate: dict[str, Any]) -> str:
    """Return the confidence level of a RATE, as in `95 %`."""
    return f"{100 * rate['level']:g}{_THIN}%"


def count(value: float | None) -> str:
    """Return a whole number with thin spaces between the thousands; unknown is a dash."""
    if value is None:
        return DASH
    return f"{value:,.0f}".replace(",", _THIN).replace("-", "−")


def decimal(value: float | None, digits: int = 1) -> str:
    """Return a number with a fixed number of digits; unknown is a dash."""
    if value is None or not math.isfinite(value):
        return DASH
    return f"{value:,.{digits}f}".replace(",", _THIN).replace("-", "−")


def of_counts(rate: dict[str, Any]) -> str:
    """Return the raw counts of a RATE, as in `41 of 238`."""
    return f"{count(rate['numerator'])} of {count(rate['denominator'])}"


def plural(number: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun, as in `1 answer`, `6 012 answers`."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def days(first: str, end: str) -> str:
    """Return the days [first, end) in words, as in `16–22 November 2026`."""
    start, last = date.fromisoformat(first), date.fromisoformat(end) - timedelta(days=1)
    if start == last:
        return _day(start)
    if (start.year, start.month) == (last.year, last.month):
        return f"{start.day}–{_day(last)}"
    if start.year == last.year:
        return f"{start.day} {_MONTHS[start.month - 1]} – {_day(last)}"
    return f"{_day(start)} – {_day(last)}"


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def short_day(day: str) -> str:
    """Return a day without its year, as in `16 Nov`."""
    found = date.fromisoformat(day)
    return f"{found.day} {_MONTHS[found.month - 1][:3]}"


def words(name: str) -> str:
    """Return a key as words: `not_in_evidence` → `not in evidence`."""
    return name.replace("_", " ")
