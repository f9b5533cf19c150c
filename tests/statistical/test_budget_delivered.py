"""Promise 1 under a budget that moves: π recorded is π delivered, and follows from row and answer alone."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from sentinel.cli.wiring import worker
from sentinel.clock import FixedClock
from sentinel.leading.budget import BudgetSteps, Pacer
from sentinel.reporting.period import zone_of
from sentinel.sampling.budget import Budget
from sentinel.sampling.schedule import ScheduleRow
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings
from sentinel.store import leases, schedule
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.harness import WEEK, event, fill, fresh_database, settings_for, units_of
from tests.statistical.test_recomputation import as_json, as_line, recomputed

SALTS = 100
HOUR = timedelta(hours=1)
#: Two-sided limit of each of 130 comparisons: together a false alarm once in some 10,000 runs.
LEAST_CHANCE = 1e-6


def settings_of(salt: str, units: float) -> Settings:
    # Batches end where polls end, not where so many were drawn: rows must not follow from the draws.
    settings = settings_for(salt, None, batch_units=10_000, novelty_units=10.0)
    budget = Budget(units, "day", expected_answers=240)
    return replace(settings, sampling=replace(settings.sampling, budget=budget))


def steered(topic: MemoryTopic, database: Database, settings: Settings) -> None:
    """Read a topic to its end as a worker that leads."""
    clock = FixedClock(WEEK + timedelta(days=30))
    budget = settings.sampling.budget
    assert budget is not None
    with database.begin() as conn:
        lease = leases.acquire(conn, "scheduled work", "the test", 3600.0)
    steps = BudgetSteps(budget, zone_of("UTC"), Metrics(), clock)
    pacer = Pacer(steps, database, lambda: lease, Metrics())
    salt = Salt.of(settings.sampling.salt)
    source = MemorySource(topic)
    with worker(settings, source, database, salt, Metrics(), Health(), clock, pacer) as wired:
        wired.agent.run(until_end=True)


def moving_day(hours: int, an_hour: int = 8) -> list[dict[str, Any]]:
    """Traffic that doubles, a storm of corrections, a new model, repeats: everything that moves a budget."""
    events: list[dict[str, Any]] = []
    number = 0
    for hour in range(hours):
        count = an_hour * (2 if hour % 8 in (5, 6) else 1)
        for position in range(count):
            fields: dict[str, Any] = {"model": "m2" if hour >= hours // 2 and number % 5 == 0 else "m1"}
            if hour % 12 in (6, 7, 8) and position % 2:
                fields["signals"] = {"user_correction": True}
            document = event(number, WEEK + hour * HOUR + position * HOUR / count, **fields)
            events.append(document)
            if number % 17 == 0:
                events.append(document)
            number += 1
    return events


def rows_of(database: Database) -> tuple[ScheduleRow, ...]:
    with database.read() as conn:
        return schedule.read_rows(conn)


@pytest.mark.slow
def test_every_answer_is_drawn_as_often_as_recorded_while_the_budget_moves(tmp_path: Path) -> None:
    fresh_database(tmp_path, "template.db").close()
    events = moving_day(13)
    recorded: defaultdict[str, set[float]] = defaultdict(set)
    delivered: Counter[str] = Counter()
    sizes, schedules = [], set()
    for number in range(SALTS):
        path = tmp_path / f"{number}.db"
        shutil.copy(tmp_path / "template.db", path)
        topic = MemoryTopic()
        fill(topic, events)
        with Database(f"sqlite:///{path}") as database:
            steered(topic, database, settings_of(f"salt {number}", 60))
            rows = rows_of(database)
            drawn = [stored.unit.decision for stored in units_of(database).values()]
        path.unlink()
        assert all(one.random_number < one.inclusion_probability for one in drawn)
        for one in drawn:
            recorded[one.event_id].add(one.inclusion_probability)
            delivered[one.event_id] += 1
        sizes.append(len(drawn))
        schedules.add(tuple(replace(row, design_id="") for row in rows))
    assert len(schedules) == 1, "no draw enters the schedule: it is the same under every salt"
    (rows,) = schedules
    capped = [dict(row.take_all)["user_correction"] for row in rows]
    assert len(rows) >= 6
    assert min(capped) < 0.5, "the storm is capped"
    assert capped[0] == 1.0
    several = {key: values for key, values in recorded.items() if len(values) > 1}
    assert not several
    probability = {key: values.pop() for key, values in recorded.items()}
    distinct = {round(p, 6) for p in probability.values()}
    assert len(distinct) > 12, "the comparison would prove nothing if all had the same π"
    unlikely = [
        f"{key}: drawn {delivered[key]} of {SALTS} times with π = {p:.4f}"
        for key, p in probability.items()
        if stats.binomtest(delivered[key], SALTS, p).pvalue < LEAST_CHANCE
    ]
    assert not unlikely, unlikely
    uncertain = {key: p for key, p in probability.items() if p < 1.0}
    squares = sum((delivered[key] - SALTS * p) ** 2 / (SALTS * p * (1 - p)) for key, p in uncertain.items())
    low, high = stats.chi2.ppf([1e-6, 1 - 1e-6], len(uncertain))
    assert low < squares < high
    # The number drawn spreads as independent draws do: what is spent does not answer to what was drawn.
    variance = sum(p * (1 - p) for p in probability.values())
    expected = sum(probability.values())
    spread = sum((size - expected) ** 2 for size in sizes) / variance
    low, high = stats.chi2.ppf([1e-6, 1 - 1e-6], SALTS)
    assert low < spread < high


def test_every_probability_under_a_moving_budget_follows_from_row_and_answer(tmp_path: Path) -> None:
    """In three other processes, in shuffled order, bit for bit; with records that come late."""
    salt = "the salt of the recomputation"
    chaos = random.Random(11)
    documents = moving_day(60)
    seen: set[str] = set()
    events = []
    for document in documents:
        if document["event_id"] in seen:
            continue
        seen.add(document["event_id"])
        at = WEEK.fromisoformat(document["occurred_at"])
        events.append((document, at + timedelta(seconds=chaos.choice([0, 0, 1, 3600, 30_000]))))
    topic = MemoryTopic(partitions=2)
    for position, (document, timestamp) in enumerate(events):
        fill_one(topic, document, timestamp, position % 2)
    with fresh_database(tmp_path) as database:
        steered(topic, database, settings_of(salt, 90))
        units, rows = units_of(database), rows_of(database)
        with database.read() as conn:
            designs = {row.design_id: dict(schedule.design_spec(conn, row.design_id) or {}) for row in rows}
    reasons = {row.reason.split(":")[0] for row in rows}
    assert reasons == {"first row", "budget", "novelty"}
    assert len(rows) >= 10
    assert len({stored.unit.decision.schedule_row for stored in units.values()}) >= 8
    given = tmp_path / "given.json"
    given.write_text(
        json.dumps(
            {
                "salt": salt,
                "rows": [as_json(row) for row in sorted(rows, key=lambda row: (row.effective_at, row.id))],
                "designs": designs,
                "events": [(json.dumps(document), at.isoformat()) for document, at in events],
            }
        )
    )
    stored = sorted(as_line(one.unit.decision) for one in units.values())
    for seed in ("0", "1", "31337"):
        lines = recomputed(given, seed)
        assert len(lines) == len(events)
        assert sorted(line.replace(" True ", " ") for line in lines if " True " in line) == stored


def fill_one(topic: MemoryTopic, document: dict[str, Any], timestamp: Any, partition: int) -> None:
    topic.append(json.dumps(document).encode(), timestamp, number=partition)
