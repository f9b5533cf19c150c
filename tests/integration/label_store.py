"""A small store with drawn answers, and labels for them: shared by the tests of labels and reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sentinel.clock import FixedClock
from sentinel.errors import DeadLetterError
from sentinel.records import AnswerFacts, Partition, RedactedAnswer, SampledUnit, SamplingDecision, Signals
from sentinel.redaction import PatternDetector, RedactionParams
from sentinel.redaction import redact_texts as redact_with
from sentinel.review.label_import import ImportOutcome, LabelImport, NumberedLine
from sentinel.sampling.schedule import BEGINNING, ScheduleRow
from sentinel.sampling.selection import Salt
from sentinel.store import frame, schedule, units
from sentinel.store.database import Database

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
LATER = datetime(2026, 11, 24, 8, tzinfo=UTC)
KEY = b"a key for tests only"
PARTITION = Partition("answers", 0)
DESIGN = "design-1"
#: What the answers were drawn with.
SECRET = "for tests only"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty store with its schema, on either database."""
    url = (
        f"sqlite:///{tmp_path / 's.db'}"
        if request.param == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    with Database(url) as opened:
        opened.upgrade()
        yield opened


def redact_texts(texts: Sequence[str]) -> list[str | DeadLetterError]:
    """Redact with the patterns alone: no model has to be loaded."""
    params = RedactionParams()
    return redact_with(list(texts), PatternDetector(params), params)


def drawn(
    event_id: str,
    probability: float = 0.5,
    *,
    at: datetime = MONDAY + timedelta(hours=12),
    content: Mapping[str, Any] | None = None,
    **domains: str,
) -> SampledUnit:
    """Return a drawn answer."""
    decision = SamplingDecision(
        event_id, True, probability, probability / 2, 0.3, 0.1, ("uniform",), DESIGN, 0
    )
    return SampledUnit(
        partition=PARTITION,
        offset=1,
        facts=AnswerFacts(event_id, at, at, domains or {"app": "billing"}, (), Signals(), ()),
        decision=decision,
        indicators={"words": 3},
        answer=RedactedAnswer(content or {"answer": "text"}, {}, "rules-1"),
        session_hash=None,
        user_hash=None,
    )


def fill(
    database: Database,
    answers: Sequence[SampledUnit],
    *,
    events: int | None = None,
    abstained: int = 0,
    at: datetime = MONDAY + timedelta(hours=12),
) -> None:
    """Write drawn answers and the frame they came from, `events` answers in all."""
    total = len(answers) if events is None else events
    with database.begin() as conn:
        specification = {"indicators": "7;IndicatorParams()", "salt_id": Salt.of(SECRET).id}
        schedule.save_design(conn, DESIGN, specification, MONDAY)
        schedule.create_first_row(
            conn, ScheduleRow(0, BEGINNING, DESIGN, 0.1, 0.0, 0.01, (), (), "first"), MONDAY
        )
        units.insert_units(conn, answers, MONDAY + timedelta(hours=13))
        cells: dict[frame.CellKey, frame.CellCounts] = {}
        counts = frame.CellCounts(total, total - abstained, abstained, 0, 0, 0)
        cells[frame.CellKey(frame.window_of(at), PARTITION, DESIGN)] = counts
        for unit in answers:
            for name, value in unit.facts.domains.items():
                cell = frame.CellKey(frame.window_of(at), PARTITION, DESIGN, name, value)
                cells[cell] = cells.get(cell, frame.CellCounts()) + frame.CellCounts(2, 2, 0, 0, 0, 0)
        frame.add_cells(conn, cells)


def claim(label: str = "supported", severity: str | None = None, **more: Any) -> dict[str, Any]:
    """Return one claim of a label line."""
    return {"text": "The term is 30 days.", "label": label, "severity": severity, **more}


def line(event_id: str, *claims: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a label line as a document."""
    label = {"event_id": event_id, "annotator": "ann-1", "answered": True, "abstention": "none"}
    return label | {"claims": list(claims)} | changes


def import_lines(database: Database, *lines: Any, now: datetime = LATER) -> ImportOutcome:
    """Import documents (or raw bytes) as the lines of one file."""
    taking = LabelImport(database, redact_texts, KEY, FixedClock(now))
    encoded = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines]
    return taking.run(NumberedLine(number, value) for number, value in enumerate(encoded, start=1))
