"""π is a pure function of schedule row, event and record timestamp: worked out again, bit for bit."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sentinel.store import schedule
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import (
    WEEK,
    consume_topic,
    event,
    fill,
    fresh_database,
    settings_for,
    units_of,
    with_rate,
)

#: Reads rows, designs and events, and works out π of each event without a store, a stream or a clock.
PROGRAM = """
import json, random, sys
from datetime import datetime
from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators
from sentinel.pipeline.facts import facts_of
from sentinel.records import Partition, RawRecord
from sentinel.redaction import redact_value
from sentinel.sampling.design import design_from
from sentinel.sampling.inclusion import decide
from sentinel.sampling.schedule import Rule, ScheduleRow, row_in_force
from sentinel.sampling.selection import Salt
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits

given = json.load(open(sys.argv[1]))
time = datetime.fromisoformat
rows = [
    ScheduleRow(**{
        **row,
        "effective_at": time(row["effective_at"]),
        "take_all": tuple((signal, p) for signal, p in row["take_all"]),
        "rules": tuple(Rule(f, v, p, time(until)) for f, v, p, until in row["rules"]),
    })
    for row in given["rows"]
]
designs = {key: design_from(spec) for key, spec in given["designs"].items()}
salt = Salt.of(given["salt"])
events = given["events"]
random.Random(int(sys.argv[2])).shuffle(events)
for text, timestamp in events:
    answer = decode_value(text.encode(), DecodeLimits()).answer
    record = RawRecord(Partition("t", 0), 0, 1, time(timestamp), 0, b"")
    facts = facts_of(answer, record, time(timestamp), (), redact_value)
    row = row_in_force(rows, facts.sampling_time)
    indicators = compute_indicators(answer, IndicatorParams(), PassageMemo())
    decision = decide(row, designs[row.design_id], facts, indicators, salt)
    print(answer.event_id, decision.inclusion_probability.hex(), decision.random_number.hex(),
          decision.size_measure.hex(), decision.predicted_risk.hex(), row.id, decision.sampled,
          ",".join(decision.reasons))
"""


def test_every_drawn_units_probability_follows_from_row_event_and_timestamp(tmp_path: Path) -> None:
    salt = "the salt of the recomputation"
    settings = settings_for(salt, 0.3, batch_records=40, novelty_units=20.0)
    chaos = random.Random(5)
    topic = MemoryTopic(partitions=3)
    events = []
    for number in range(600):
        at = WEEK + timedelta(minutes=11 * number)
        fields = {"prompt_version": f"v{1 + number // 250}", "model": chaos.choice(["m1", "m2"])}
        if number % 9 == 0:
            fields["signals"] = {"user_correction": True}
        timestamp = at + timedelta(seconds=chaos.choice([0, 1, 3600, 40_000]))
        events.append((event(number, at, **fields), timestamp))
    with fresh_database(tmp_path) as database:
        for start in (0, 300):
            for document, timestamp in events[start : start + 300]:
                fill(topic, [document], timestamp)
            consume_topic(topic, database, settings)
            settings = with_rate(settings, 0.15)
        units = units_of(database)
        with database.read() as connection:
            rows = schedule.read_rows(connection)
            designs = {
                row.design_id: dict(schedule.design_spec(connection, row.design_id) or {}) for row in rows
            }
    assert len(rows) >= 4, "the events meet several rows: first, novelty, changed rate, novelty again"
    assert len({stored.unit.decision.schedule_row for stored in units.values()}) >= 3
    given = tmp_path / "given.json"
    given.write_text(json.dumps({"salt": salt, "rows": [as_json(row) for row in rows], "designs": designs,
                                 "events": [(json.dumps(d), t.isoformat()) for d, t in events]}))  # fmt: skip
    stored = sorted(as_line(one.unit.decision) for one in units.values())
    for seed in ("0", "1", "31337"):
        lines = recomputed(given, seed)
        drawn = sorted(line.replace(" True ", " ") for line in lines if " True " in line)
        assert drawn == stored
        assert len(lines) == 600


def as_json(row: object) -> dict[str, object]:
    plain = replace(row)  # type: ignore[type-var]
    return {
        "id": plain.id,
        "effective_at": plain.effective_at.isoformat(),
        "design_id": plain.design_id,
        "uniform_probability": plain.uniform_probability,
        "multiplier": plain.multiplier,
        "floor": plain.floor,
        "take_all": plain.take_all,
        "rules": [(r.field, r.value, r.probability, r.until.isoformat()) for r in plain.rules],
        "reason": plain.reason,
    }


def as_line(decision: object) -> str:
    numbers = ("inclusion_probability", "random_number", "size_measure", "predicted_risk")
    values = " ".join(getattr(decision, name).hex() for name in numbers)
    return f"{decision.event_id} {values} {decision.schedule_row} {','.join(decision.reasons)}"


def recomputed(given: Path, seed: str) -> list[str]:
    """What another process makes of the events, in another order and with other hash seeds."""
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(given), seed],
        env=environment,
        text=True,
        capture_output=True,
        check=True,
        timeout=120,
    )
    return run.stdout.splitlines()
