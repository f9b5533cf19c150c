"""The real pipeline on an in-memory topic and a SQLite file: what many tests begin with.

Redaction runs in the test's own process and without the language model (the exact patterns only), so
that thousands of runs are affordable; nothing else differs from `sentinel run`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sentinel.cli.wiring import worker
from sentinel.clock import FixedClock
from sentinel.pipeline.params import PipelineParams
from sentinel.pipeline.redaction_pool import RedactionPoolParams
from sentinel.redaction import RedactionParams
from sentinel.sampling.design import SamplingParams
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings
from sentinel.store.database import Database
from sentinel.store.unit_queries import iter_units
from sentinel.store.unit_rows import StoredUnit
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.stream.source import Source
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics

WEEK = datetime(2026, 11, 16, tzinfo=UTC)
PATTERNS = ("EMAIL_ADDRESS", "CREDIT_CARD", "IBAN_CODE", "US_SSN")


def settings_for(
    salt: str = "a salt of the tests",
    rate: float | None = 0.3,
    *,
    batch_units: int = 64,
    batch_records: int = 1000,
    **sampling: Any,
) -> Settings:
    return Settings(
        sampling=SamplingParams(salt=salt, rate=rate, **sampling),
        redaction=RedactionParams(entities=PATTERNS),
        redaction_pool=RedactionPoolParams(processes=0),
        pipeline=PipelineParams(batch_records=batch_records, batch_units=batch_units, poll_seconds=0.01),
    )


def event(number: int, at: datetime, **fields: Any) -> dict[str, Any]:
    """An answer event whose risk differs with its number."""
    answers = (
        "The fee is 12 euro [1].",
        "The fee is 95 euro, as Doctor Zander said, and nothing else was ever true about it.",
        "I cannot find that in the provided documents.",
        "Returns take thirty days [2]. Bring the receipt. " * (1 + number % 4),
    )
    return {
        "event_id": f"e{number:05d}",
        "occurred_at": at.isoformat(),
        "app": "shop",
        "model": "m1",
        "prompt_version": "v1",
        "question": "What is the fee?",
        "answer": answers[number % len(answers)],
        "retrieved": [{"id": "fees", "text": "The fee is 12 euro. Returns take 30 days."}],
        **fields,
    }


def encoded(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document).encode()


def fill(topic: MemoryTopic, events: Iterable[Mapping[str, Any]], timestamp: datetime | None = None) -> None:
    """Put events on the topic's partitions in turn, each with its event time as the record's."""
    for position, document in enumerate(events):
        at = timestamp or datetime.fromisoformat(document["occurred_at"])
        topic.append(encoded(document), at, number=position % len(topic.partitions))


def consume(
    source: Source, database: Database, settings: Settings, now: datetime = WEEK + timedelta(days=7)
) -> dict[str, int]:
    """Run one worker to the end of its source and return its totals."""
    salt = Salt.of(settings.sampling.salt)
    with worker(settings, source, database, salt, Metrics(), Health(), FixedClock(now)) as working:
        working.agent.run(until_end=True)
        return working.accounting.summary()


def consume_topic(
    topic: MemoryTopic, database: Database, settings: Settings, **options: Any
) -> dict[str, int]:
    return consume(MemorySource(topic), database, settings, **options)


def units_of(database: Database) -> dict[str, StoredUnit]:
    with database.read() as connection:
        return {stored.unit.facts.event_id: stored for stored in iter_units(connection)}


def fresh_database(folder: Path, name: str = "store.db") -> Database:
    database = Database(f"sqlite:///{folder / name}")
    database.upgrade()
    return database


def with_rate(settings: Settings, rate: float) -> Settings:
    return replace(settings, sampling=replace(settings.sampling, rate=rate))
