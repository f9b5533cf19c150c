"""Clocks: the machine's steps back, producers are hours late or ahead. Windows and π do not care."""

from __future__ import annotations

import signal
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from sentinel.pipeline.scheduling import LEAD
from sentinel.sampling.schedule import row_in_force
from sentinel.store import schedule, schema
from sentinel.store.database import Database
from sentinel.store.frame import window_of
from tests.fault.processes import Run, kafka_settings, readiness, wait_until
from tests.fault.topics import counted, new_topic, send
from tests.harness import encoded, event, units_of
from tests.services.ports import free_port

pytestmark = pytest.mark.kafka
HOUR = timedelta(hours=1)


def windows_of(url: str) -> Counter[datetime]:
    """Answers counted by window."""
    cells = schema.frame_cells
    query = sa.select(cells.c.window_start, sa.func.sum(cells.c.events)).where(cells.c.domain == "")
    with Database(url) as database, database.read() as connection:
        rows = connection.execute(query.group_by(cells.c.window_start))
        return Counter({start: int(events) for start, events in rows})


def test_a_clock_that_steps_back_and_events_of_other_times(kafka_bootstrap: str, tmp_path: Path) -> None:
    topic = new_topic(kafka_bootstrap, "clock", 1)
    now = datetime.now(UTC).replace(microsecond=0)
    url, port, clock = f"sqlite:///{tmp_path / 's.db'}", free_port(), tmp_path / "clock"
    settings = kafka_settings(kafka_bootstrap, topic, topic, group_instance_id="worker-0")
    settings |= {"telemetry": {"http": {"port": port}}}
    expected: Counter[datetime] = Counter()
    rows_wanted: dict[str, int] = {}
    sent = 0

    def answers_at(at: datetime, count: int, recorded: datetime, row: int) -> list[bytes]:
        """Send answers of one time; the record bears another."""
        nonlocal sent
        made: list[dict[str, Any]] = [event(sent + n, at + timedelta(seconds=n)) for n in range(count)]
        sent += count
        for one in made:
            expected[window_of(datetime.fromisoformat(one["occurred_at"]))] += 1
            rows_wanted[one["event_id"]] = row
        values = [encoded(one) for one in made]
        send(kafka_bootstrap, topic, [(0, value) for value in values], at=recorded)
        return values

    clock.write_text("0")
    with Run(tmp_path, "kafka", url, until_end=False, settings=settings, clock=clock) as run:
        first = answers_at(now, 40, now, 0)
        wait_until(lambda: counted(url) == 40, run=run)
        for step_hours in (1, 3, 30, 24 * 400):
            clock.write_text(str(-3600 * step_hours))
            answers_at(now - 5 * HOUR, 20, now, 0)
            answers_at(now + 3 * HOUR, 20, now, 0)
            answers_at(now, 20, now, 0)
            send(kafka_bootstrap, topic, [(0, value) for value in first], at=now)
            wait_until(lambda: counted(url) == sent, run=run)
            assert readiness(port) == (200, {})
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
        totals = run.summary
    assert (totals["events"], totals["dead_letters"]) == (280, 0), "nothing is of the future"
    assert totals["duplicates"] == 4 * 40, "what was counted before the step is still known"

    # Another rate is another row, in force after all that was treated; what is late keeps that of its time.
    later = now + timedelta(minutes=10)
    settings |= {"sampling": {"rate": 0.6}}
    clock.write_text(str(-3600))
    with Run(tmp_path, "kafka", url, until_end=False, settings=settings, clock=clock) as run:
        answers_at(now - 5 * HOUR, 30, later, 0)
        answers_at(now - 1 * HOUR, 30, later, 0)
        answers_at(now + 8 * HOUR, 30, later, 1)
        answers_at(later, 30, later, 1)
        wait_until(lambda: counted(url) == sent, run=run)
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
    assert windows_of(url) == expected
    with Database(url) as database:
        drawn = units_of(database)
        with database.read() as connection:
            rows, horizon = schedule.read_rows(connection), schedule.read_horizon(connection)
    assert len(rows) == 2
    assert now < rows[1].effective_at < later
    assert horizon <= later + timedelta(seconds=30) + LEAD, "no event of the future moved the horizon"
    assert len(drawn) > 60
    for event_id, stored in drawn.items():
        facts = stored.unit.facts
        in_force = row_in_force(rows, min(facts.event_time, facts.record_timestamp))
        assert stored.unit.decision.schedule_row == in_force.id == rows_wanted[event_id], event_id
