"""Labels as CSV (RFC 4180), out and in again: lists are JSON in a cell, and no cell is a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from sentinel.errors import DeadLetterError
from sentinel.review.unit_export import csv_line, csv_text

COLUMNS = (
    "event_id",
    "annotator",
    "role",
    "answered",
    "abstention",
    "claims",
    "evidence_retrieved",
    "root_causes",
    "citations",
    "complete",
    "comment",
    "guideline_version",
    "record_id",
    "replaces",
    "recorded_at",
    "probability_sample",
)
_JSON = frozenset({"answered", "claims", "root_causes", "citations", "complete"})
_REQUIRED = frozenset({"event_id", "annotator", "answered", "abstention", "claims"})
_IGNORED = frozenset({"record_id", "replaces", "recorded_at", "probability_sample"})
#: The longest cell: all claims of a label, as large as a line of JSONL may be.
_CELL_CHARACTERS = 1_048_576


def csv_row(document: Mapping[str, Any]) -> str:
    """Return a label, as an export has it, as one line of CSV."""
    return csv_line(tuple(_cell(name, document.get(name)) for name in COLUMNS))


def csv_header() -> str:
    """Return the line with the names of the columns."""
    return csv_line(COLUMNS)


def read_csv(content: bytes) -> Iterator[tuple[int, dict[str, Any] | DeadLetterError]]:
    """Yield the labels of a file with the number of the row (1 is the first after the header).

    Raises:
        DeadLetterError: `not_utf8`, `not_csv`, `missing_key`: no row of this file can be read.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DeadLetterError("not_utf8", "the file is not UTF-8") from None
    csv.field_size_limit(max(_CELL_CHARACTERS, csv.field_size_limit()))
    yield from _rows(csv.reader(io.StringIO(text, newline=""), strict=True))


def _rows(reader: Any) -> Iterator[tuple[int, dict[str, Any] | DeadLetterError]]:
    spoilt = DeadLetterError("not_csv", "a cell is quoted wrongly or too long: the file is read no further")
    try:
        header = [name.strip() for name in next(reader, [])]
    except csv.Error:
        raise spoilt from None
    missing = sorted(_REQUIRED - set(header))
    if missing:
        message = f"the first line must name the columns; missing: {', '.join(missing)}"
        raise DeadLetterError("missing_key", message)
    number = 0
    try:
        for number, cells in enumerate(reader, 1):
            if any(cell.strip() for cell in cells):
                yield number, _label(header, cells)
    except csv.Error:
        if number == 0:
            raise spoilt from None
        # Rows before it may be in the store already, and are counted: only what follows is lost.
        yield number + 1, spoilt


def _label(header: list[str], cells: list[str]) -> dict[str, Any] | DeadLetterError:
    if len(cells) != len(header):
        return DeadLetterError("wrong_type", f"a row has {len(header)} cells")
    label: dict[str, Any] = {}
    for name, cell in zip(header, cells, strict=True):
        if name in _IGNORED or not name:
            continue
        if name not in _JSON:
            label[name] = _bare(cell) if cell or name in _REQUIRED else None
            continue
        try:
            label[name] = (
                json.loads(cell.lower() if name in ("answered", "complete") else cell) if cell else None
            )
        except (ValueError, RecursionError):
            return DeadLetterError("not_json", f"{name} must be JSON")
    return label


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in _JSON:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    text = value if isinstance(value, str) else json.dumps(value)
    # An apostrophe of the text's own gets one more, so that taking one away gives the text back.
    return f"'{text}" if text.startswith("'") else csv_text(text)


def _bare(cell: str) -> str:
    """The text that a cell stands for."""
    if not cell.startswith("'"):
        return cell
    rest = cell[1:]
    return rest if rest.startswith("'") or csv_text(rest) != rest else cell
