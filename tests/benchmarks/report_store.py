"""A store of one large week: labelled answers and frame cells in numbers, written in bulk."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import sqlalchemy as sa

from sentinel.reporting.period import ReportPeriod
from sentinel.sampling.schedule import BEGINNING, ScheduleRow
from sentinel.store import schedule
from sentinel.store.database import Database
from sentinel.store.schema import annotation_records, frame_cells, units

WEEK = ReportPeriod(date(2026, 11, 16), date(2026, 11, 23), "UTC")
START = datetime(2026, 11, 16, tzinfo=UTC)
DESIGN = "d00000benchmark"
FIELDS = {"app": 4, "model": 6, "tenant": 40, "locale": 10, "prompt_version": 8}
_WINDOWS = 7 * 24 * 4
_CHUNK = 5_000
_WEIGHT = 20.0


def _insert(conn: sa.Connection, table: sa.Table, rows: Iterator[dict[str, Any]]) -> None:
    chunk: list[dict[str, Any]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == _CHUNK:
            conn.execute(sa.insert(table), chunk)
            chunk.clear()
    if chunk:
        conn.execute(sa.insert(table), chunk)


def _unit_rows(number: int, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    risk = rng.beta(1.3, 6, number).round(6)
    probability = np.clip(0.3 / _WEIGHT + 0.7 / _WEIGHT * risk / risk.mean(), 0.001, 1.0)
    picked = {name: rng.integers(0, values, number) for name, values in FIELDS.items()}
    for place in range(number):
        moment = START + timedelta(seconds=604_800 * place / number)
        chance = float(probability[place])
        yield {
            "event_id": f"e{place}",
            "topic": "answers",
            "partition": 0,
            "offset": place,
            "event_time": moment,
            "record_timestamp": moment,
            "design_id": DESIGN,
            "schedule_row": 0,
            "inclusion_probability": chance,
            "first_inclusion_probability": chance,
            "random_number": chance / 2,
            "size_measure": float(risk[place]),
            "predicted_risk": float(risk[place]),
            "reasons": [],
            "domains": {name: f"v{picked[name][place]}" for name in FIELDS},
            "document_classes": [],
            "signals": {},
            "risk_tags": [],
            "indicators": {},
            "redactor": "rules-1",
            "entities": {},
            "status": "labelled",
            "arrivals": 1,
            "created_at": moment,
        }


def _label_rows(number: int, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    bad = rng.random(number) < 0.08
    for place in range(number):
        claims = [{"text": "a claim", "label": "supported", "severity": None, "subtype": None}] * 3
        if bad[place]:
            claims = [
                *claims,
                {"text": "a claim", "label": "contradicted", "severity": "low", "subtype": None},
            ]
        yield {
            "event_id": f"e{place}",
            "annotator": "ann-1",
            "role": "annotator",
            "probability_sample": True,
            "answered": place % 15 != 0,
            "abstention": "none" if place % 15 else "correct",
            "claims": claims if place % 15 else [],
            "evidence_retrieved": "hit",
            "root_causes": [],
            "citations": [],
            "guideline_version": "rubric-1",
            "created_at": START + timedelta(days=8),
        }


def _cell_rows(cells: int, answers: int, mean_risk: float) -> Iterator[dict[str, Any]]:
    names = [("", "")] + [(name, f"v{value}") for name, values in FIELDS.items() for value in range(values)]
    partitions = -(-cells // (_WINDOWS * len(names)))
    total_windows, written = partitions * _WINDOWS, 0
    for number in range(total_windows):
        for name, value in names:
            whole = (name, value) == ("", "")
            if written >= cells and not whole:
                continue
            events = _part(answers, number, total_windows, FIELDS.get(name, 1))
            yield {
                "window_start": START + timedelta(minutes=15 * (number % _WINDOWS)),
                "topic": "answers",
                "partition": number // _WINDOWS,
                "design_id": DESIGN,
                "domain": name,
                "value": value,
                "events": events,
                "answered": events,
                "abstained": 0,
                "risk_micros": round(events * mean_risk * 1_000_000),
                "size_micros": round(events * mean_risk * 1_000_000),
                "expected_micros": round(events * 1_000_000 / _WEIGHT),
            }
            written += 1


def _part(answers: int, number: int, windows: int, values: int) -> int:
    """Return the answers of one window with one of `values` equal values; over all windows they add up."""
    share = answers / windows / values
    return round((number + 1) * share) - round(number * share)


def fill(database: Database, *, labelled: int, cells: int) -> None:
    """Write a week of `labelled` drawn and labelled answers and about `cells` frame cells."""
    rng = np.random.default_rng(1)
    with database.begin() as conn:
        schedule.save_design(conn, DESIGN, {"indicators": "1;"}, START)
        first = ScheduleRow(0, BEGINNING, DESIGN, 0.01, 0.1, 0.001, (), (), "first")
        schedule.create_first_row(conn, first, START)
        rows = list(_unit_rows(labelled, rng))
        weights = np.array([1.0 / row["inclusion_probability"] for row in rows])
        mean_risk = float(np.average([row["predicted_risk"] for row in rows], weights=weights))
        _insert(conn, units, iter(rows))
        _insert(conn, annotation_records, _label_rows(labelled, rng))
        _insert(conn, frame_cells, _cell_rows(cells, round(weights.sum()), mean_risk))
