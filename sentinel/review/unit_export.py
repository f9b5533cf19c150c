"""Drawn answers as rows: what a reviewer's own tools need to label and to weight."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection

from sentinel.records import VERSION_FIELDS
from sentinel.review.json_lines import json_line
from sentinel.store.unit_queries import iter_units
from sentinel.store.unit_rows import StoredUnit

#: Fields of the redacted answer, under the names they have in an answer event.
CONTENT_COLUMNS = (
    "question",
    "answer",
    "retrieved",
    "citations",
    "tool_calls",
    "answerable",
    "finish_reason",
    "usage",
    "signals",
    "risk_tags",
)
COLUMNS = (
    "event_id",
    "occurred_at",
    "domains",
    "versions",
    "inclusion_probability",
    "design_weight",
    "random_number",
    "size_measure",
    "reasons",
    "design_id",
    "status",
    "predicted_risk",
    "schedule_row",
    "record_timestamp",
    "indicators",
    "arrivals",
    "first_inclusion_probability",
    "raised_under_row",
    *CONTENT_COLUMNS,
)
#: A spreadsheet takes a text that begins so for a formula and runs it.
_FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠|%")


def unit_row(stored: StoredUnit) -> dict[str, Any]:
    """Return one unit as a JSON-ready row with the keys `COLUMNS`.

    `design_weight` is 1 / `inclusion_probability`; a later signal may have raised that one from
    `first_inclusion_probability`, under the schedule row `raised_under_row` (null: none did). A unit
    without content (lost, or purged by retention) has an empty `answer` and null for the other fields of
    the answer.
    """
    facts, decision = stored.unit.facts, stored.unit.decision
    content = stored.content or {}
    row: dict[str, Any] = {
        "event_id": facts.event_id,
        "occurred_at": facts.event_time.isoformat(),
        "domains": {name: value for name, value in facts.domains.items() if name not in VERSION_FIELDS},
        "versions": {name: value for name, value in facts.domains.items() if name in VERSION_FIELDS},
        "inclusion_probability": decision.inclusion_probability,
        "design_weight": decision.design_weight,
        "random_number": decision.random_number,
        "size_measure": decision.size_measure,
        "reasons": list(decision.reasons),
        "design_id": decision.design_id,
        "status": stored.status,
        "predicted_risk": decision.predicted_risk,
        "schedule_row": decision.schedule_row,
        "record_timestamp": facts.record_timestamp.isoformat(),
        "indicators": dict(stored.unit.indicators),
        "arrivals": stored.arrivals,
        "first_inclusion_probability": stored.first_inclusion_probability,
        "raised_under_row": stored.raised_under_row,
    }
    row |= {name: content.get(name) for name in CONTENT_COLUMNS}
    row["answer"] = content.get("answer") or ""
    if stored.content is not None:
        # The content is of the first arrival; a later one may have brought a signal.
        row["signals"] = msgspec.to_builtins(facts.signals)
    return row


def json_rows(conn: Connection) -> Iterator[str]:
    """Yield all units in order of event time, one line of JSON each; a page at a time is in memory."""
    for stored in iter_units(conn):
        yield json_line(unit_row(stored))


def csv_rows(conn: Connection) -> Iterator[str]:
    """Yield a header and all units as CSV (RFC 4180); lists and objects are JSON in a cell.

    A text that a spreadsheet would run as a formula gets an apostrophe in front; null is an empty cell.
    """
    yield csv_line(COLUMNS)
    for stored in iter_units(conn):
        yield csv_line(csv_cells(unit_row(stored)))


def csv_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a row of `unit_row` as the cells of one line."""
    return tuple(_cell(row[name]) for name in COLUMNS)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return csv_text(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def csv_text(text: str) -> str:
    """Return a text that no spreadsheet runs as a formula."""
    stands_first = text.lstrip(" \u00a0\ufeff")[:1]
    return f"'{text}" if stands_first in _FORMULA_STARTS and stands_first else text


def csv_line(cells: tuple[str, ...]) -> str:
    """Return one line of CSV (RFC 4180)."""
    buffer = io.StringIO()
    csv.writer(buffer).writerow(cells)
    return buffer.getvalue()
