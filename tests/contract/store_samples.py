"""Units, times and children of the store's tests."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from sentinel.records import (
    AnswerFacts,
    Partition,
    RedactedAnswer,
    SampledUnit,
    SamplingDecision,
    Signals,
)
from sentinel.sampling.schedule import ScheduleRow
from sentinel.store import checkpoints, deduplication, frame, minute_counts, units
from sentinel.store.database import Database

NOON = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 24, 12, 3, 4, 567891, tzinfo=UTC)
PARTITION = Partition("answers", 3)
DAY = timedelta(days=1)


def a_unit(event_id: str, probability: float = 0.25, **changes: Any) -> SampledUnit:
    """Return a unit; `changes` names fields of facts, decision, answer or the unit itself."""
    facts = {
        "event_id": event_id,
        "event_time": NOW,
        "record_timestamp": NOW + timedelta(microseconds=1),
        "domains": {"app": "billing"},
        "document_classes": ("policy",),
        "signals": Signals(user_correction=True),
        "risk_tags": ("medical",),
    }
    decision = {
        "event_id": event_id,
        "sampled": True,
        "inclusion_probability": probability,
        "random_number": 0.1,
        "size_measure": 0.7,
        "predicted_risk": 1 / 3,
        "reasons": ("uniform",),
        "design_id": "design-1",
        "schedule_row": 0,
    }
    answer = {"content": {"answer": "refund in 30 days"}, "entities": {"PERSON": 2}, "redactor": "rules-1"}
    unit = {
        "partition": PARTITION,
        "offset": 17,
        "indicators": {"invalid_citations": 1, "overlap": 0.71, "empty": False, "distance": None},
        "session_hash": "5e55",
        "user_hash": None,
    }
    for part in (facts, decision, answer, unit):
        part.update({name: changes.pop(name) for name in list(changes) if name in part})
    assert not changes
    return SampledUnit(
        facts=AnswerFacts(**facts),
        decision=SamplingDecision(**decision),
        answer=RedactedAnswer(**answer),
        **unit,
    )


def a_row(**changes: Any) -> ScheduleRow:
    """Return a schedule row of `design-1`."""
    values: dict[str, Any] = {
        "id": 99,
        "effective_at": datetime(1, 1, 1, tzinfo=UTC),
        "design_id": "design-1",
        "uniform_probability": 0.03,
        "multiplier": 0.1 + 0.2,
        "floor": 1e-3,
        "take_all": (("user_correction", 1.0),),
        "rules": (),
        "reason": "first",
    }
    return ScheduleRow(**(values | changes))


def commit_step(database: Database, worker: str, partition: Partition, expected: int | None) -> int:
    """Write one of everything in one transaction and return the next offset."""
    offset = expected or 0
    with database.begin() as conn:
        checkpoints.advance(conn, partition, expected, offset + 1, NOW)
        units.insert_units(conn, [a_unit(f"{worker}-{offset}", offset=offset, partition=partition)], NOW)
        cell = frame.CellKey(NOON, partition, "design-1")
        frame.add_cells(conn, {cell: frame.CellCounts(events=1)})
        minute_counts.add_minutes(conn, {minute_counts.MinuteKey(NOON, partition): {"events": 1}})
        seen = deduplication.SeenHashes(np.array([offset], np.uint64), np.array([offset], np.uint16))
        deduplication.append(conn, partition, seen, NOW)
    return offset + 1


def main() -> None:
    """Run as a child: `hold` stops inside a transaction, `loop` commits until it is killed."""
    mode, url = sys.argv[1:]
    database = Database(url)
    if mode == "upgrade":
        print(database.upgrade(), flush=True)
    elif mode == "hold":
        with database.begin() as conn:
            checkpoints.advance(conn, PARTITION, None, 1, NOW)
            units.insert_units(conn, [a_unit("held")], NOW)
            frame.add_cells(conn, {frame.CellKey(NOON, PARTITION, "design-1"): frame.CellCounts(events=1)})
            print("holding", flush=True)
            time.sleep(120)
    elif mode == "loop":
        with database.read() as conn:
            offset = checkpoints.next_offset(conn, PARTITION)
        print("looping", flush=True)
        while True:
            offset = commit_step(database, "loop", PARTITION, offset)


if __name__ == "__main__":
    main()
