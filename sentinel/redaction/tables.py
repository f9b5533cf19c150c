"""Names and telephone numbers in the cells of a table, known by the heading of their column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sentinel.redaction.lexicon import is_common_word, is_proper_noun
from sentinel.redaction.namesakes import is_namesake
from sentinel.redaction.phrases import LABELS, OF_PLACES
from sentinel.redaction.spans import Span

_HEADINGS = (
    (
        "PHONE_NUMBER",
        re.compile(
            r"(?:tele)?phones?|(?:tele)?phone (?:no|number)|tel|mobile|cell|fax|telefon|handy|t[ée]l[ée]phone"
            r"|teléfono"
        ),
    ),
    (
        "PERSON",
        re.compile(
            r"(?:(?:full|first|last|given|family|customer|guest|patient|client|employee|contact|user) )?name"
            r"|surname|forename|guest|patient|customer|client|passenger|tenant|employee|assignee|owner"
            r"|attendee|participant|member|student|author|recipient|sender|contact|doctor|teacher|manager"
            r"|nom|nombre|cliente|kunde|vorname|nachname|имя|клиент"
        ),
    ),
)
_SEPARATORS = "|\t;,"
_LINE = re.compile(r"[^\n]+")
_NAME = re.compile(r"[^\W\d_]+(?:[-'’. ]{1,2}[^\W\d_]+){0,4}\.?\Z")
_PHONE = re.compile(r"[+(]?[0-9](?:[-() ./\u00a0]{0,3}[0-9]){5,14}(?: ?(?:x|ext\.?) ?[0-9]{1,6})?\Z")
_MOST_COLUMNS = 60

Cell = tuple[int, int]


def find_in_tables(text: str, entities: Sequence[str]) -> Iterator[Span]:
    """Yield the cells of columns whose heading says that they hold names or telephone numbers.

    Columns are parted by bars, tabs, semicolons or commas; the rows follow their heading without a gap of
    another kind of line.
    """
    if "\n" not in text:
        return
    heading: dict[int, str] = {}
    separator = ""
    width = 0
    for line in _LINE.finditer(text):
        found = _heading(text, line.start(), line.end(), entities)
        if found is not None:
            separator, heading, width = found
            continue
        if not heading:
            continue
        cells = _cells(text, line.start(), line.end(), separator)
        if len(cells) != width:
            heading = {}
            continue
        for column, entity in heading.items():
            low, high = cells[column]
            if _fits(text[low:high], entity):
                yield Span(low, high, entity)


def _heading(
    text: str, start: int, end: int, entities: Sequence[str]
) -> tuple[str, dict[int, str], int] | None:
    """Return separator, columns by their type and number of columns, if the line is a heading."""
    if end - start > 2000:
        return None
    for separator in _SEPARATORS:
        if separator not in text[start:end]:
            continue
        cells = _cells(text, start, end, separator)
        if not 2 <= len(cells) <= _MOST_COLUMNS or any(high - low > 40 for low, high in cells):
            continue
        columns = {
            column: entity
            for column, (low, high) in enumerate(cells)
            for entity, pattern in _HEADINGS
            if entity in entities
            and pattern.fullmatch(text[low:high].strip(" *\"'_").replace("_", " ").lower())
        }
        if columns:
            return separator, columns, len(cells)
    return None


def _cells(text: str, start: int, end: int, separator: str) -> list[Cell]:
    cells: list[Cell] = []
    position = start
    if separator == "|":
        while position < end and text[position] in " |":
            position += 1
        while end > position and text[end - 1] in " |\r":
            end -= 1
    while True:
        stop = text.find(separator, position, end)
        high = end if stop < 0 else stop
        low = position
        while low < high and text[low] in " \"'*\r":
            low += 1
        while high > low and text[high - 1] in " \"'*\r":
            high -= 1
        cells.append((low, high))
        if stop < 0 or len(cells) > _MOST_COLUMNS:
            return cells
        position = stop + 1


def _fits(value: str, entity: str) -> bool:
    if entity == "PHONE_NUMBER":
        return _PHONE.match(value) is not None
    if not 2 <= len(value) <= 60 or _NAME.match(value) is None:
        return False
    words = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", value)
    if any(word.lower() in LABELS | OF_PLACES for word in words) or is_namesake(words):
        return False
    plain = [word for word in words if is_common_word(word) or is_proper_noun(word)]
    return len(plain) < len(words) and (len(words) > 1 or value[0].isupper() or not value.isascii())
