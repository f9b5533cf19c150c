"""Drawn answers as files: JSONL, CSV, and tasks of Label Studio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from sentinel.review.api.label_studio_tasks import task_of
from sentinel.review.api.unit_pages import all_lines
from sentinel.review.blindness import reviews_of
from sentinel.review.identity.permission import Action, Person
from sentinel.review.json_lines import json_line
from sentinel.review.queue import QueueFilter
from sentinel.review.unit_export import COLUMNS, csv_cells, csv_line, unit_row
from sentinel.store.database import Database
from sentinel.store.unit_rows import StoredUnit

#: What tells why and with which probability an answer was drawn: withheld from whoever may label it.
WITHHELD = (
    "versions",
    "inclusion_probability",
    "design_weight",
    "random_number",
    "size_measure",
    "reasons",
    "predicted_risk",
    "schedule_row",
    "indicators",
    "first_inclusion_probability",
    "raised_under_row",
    "signals",
    "risk_tags",
)


def unit_lines(database: Database, wanted: QueueFilter, person: Person) -> Iterator[str]:
    """Yield one line of JSON for each answer."""

    def lines_of(conn: Connection, found: list[StoredUnit]) -> list[str]:
        return [json_line(row) for row in _rows(conn, found, person)]

    return all_lines(database, wanted, lines_of)


def unit_csv(database: Database, wanted: QueueFilter, person: Person) -> Iterator[str]:
    """Yield a header and a line of CSV for each answer; no cell is a formula."""

    def lines_of(conn: Connection, found: list[StoredUnit]) -> list[str]:
        return [csv_line(csv_cells(row)) for row in _rows(conn, found, person)]

    yield csv_line(COLUMNS)
    yield from all_lines(database, wanted, lines_of)


def unit_tasks(database: Database, wanted: QueueFilter) -> Iterator[str]:
    """Yield the answers that have content as a JSON list of Label Studio tasks: never why they were drawn."""

    def lines_of(_conn: Connection, found: list[StoredUnit]) -> list[str]:
        return [json_line(task_of(stored)).rstrip("\n") for stored in found if stored.content is not None]

    yield "["
    separator = "\n"
    for line in all_lines(database, wanted, lines_of):
        yield separator + line
        separator = ",\n"
    yield "\n]\n"


def _rows(conn: Connection, found: list[StoredUnit], person: Person) -> Iterator[dict[str, Any]]:
    """The rows of some answers, without their design where the person may still label them."""
    reviews = reviews_of(conn, [stored.unit.facts.event_id for stored in found], person)
    for stored in found:
        row, review = unit_row(stored), reviews[stored.unit.facts.event_id]
        if person.may(Action.LABEL) and not review.is_seen_by(person):
            row |= dict.fromkeys(WITHHELD)
        row["status"] = review.status(stored.status, person)
        yield row
