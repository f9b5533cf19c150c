"""New versions act through the schedule: one row each, ahead of everything treated."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from sentinel.pipeline.domain_caps import MOST_NOVEL, DomainParams
from sentinel.sampling.schedule import ScheduleRow
from sentinel.store import schedule, schema
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from tests.fault.workers import working
from tests.harness import WEEK, consume_topic, event, fill, fresh_database, settings_for, units_of

SETTINGS = settings_for(rate=0.05, novelty_units=20.0, novelty_days=7.0)
DAY_3 = WEEK + timedelta(days=3)


def rows(database: Database) -> tuple[ScheduleRow, ...]:
    with database.read() as connection:
        return schedule.read_rows(connection)


def first_days(count: int = 72) -> list[dict[str, Any]]:
    """An answer an hour; within the first day all kinds of versions."""
    early = {"prompt_version": "v0", "model": "m0", "retrieved": [{"id": "a", "text": "x", "class": "old"}]}
    return [
        event(number, WEEK + timedelta(hours=number), **(early if number in (3, 23) else {}))
        for number in range(count)
    ]


NEW: dict[str, tuple[str, str, dict[str, Any]]] = {
    "prompt version": ("prompt_version", "v2", {"prompt_version": "v2"}),
    "model": ("model", "m2", {"model": "m2"}),
    "document class": ("document_class", "law", {"retrieved": [{"id": "a", "text": "x", "class": "law"}]}),
}


@pytest.fixture
def database(tmp_path: Path) -> Any:
    with fresh_database(tmp_path) as opened:
        fill(topic := MemoryTopic("first"), first_days())
        consume_topic(topic, opened, SETTINGS)
        assert len(rows(opened)) == 1, "what the first day brings is not new"
        yield opened


@pytest.mark.parametrize("kind", NEW)
def test_a_new_value_appends_one_row_that_acts_on_what_comes_later(kind: str, database: Database) -> None:
    field, value, fields = NEW[kind]
    with database.read() as connection:
        horizon = schedule.read_horizon(connection)
    first = event(1000, DAY_3, **fields)
    fill(topic := MemoryTopic("new"), [first] * 2)
    consume_topic(topic, database, SETTINGS)
    row = rows(database)[-1]
    assert len(rows(database)) == 2
    assert row.effective_at > max(horizon, DAY_3), "what was treated before keeps its row"
    expected = 72 / 3 * 7  # of three days that had any
    (rule,) = row.rules
    assert (rule.field, rule.value) == (field, value)
    assert rule.probability == pytest.approx(20.0 / expected)
    assert rule.until == DAY_3 + timedelta(days=7)
    before = [event(number, DAY_3, **fields) for number in range(2000, 2040)]
    later = [
        event(number, row.effective_at + timedelta(minutes=number), **fields) for number in range(3000, 3040)
    ]
    old = [event(number, row.effective_at + timedelta(minutes=number)) for number in range(4000, 4040)]
    over = [event(number, rule.until + timedelta(hours=1), **fields) for number in range(5000, 5040)]
    fill(topic := MemoryTopic("later"), before + later + old + over)
    consume_topic(topic, database, SETTINGS, now=WEEK + timedelta(days=20))
    assert len(rows(database)) == 2, "a value is new once"
    units = {int(key[1:]): one.unit.decision for key, one in units_of(database).items()}
    drawn_later = [one for number, one in units.items() if 3000 <= number < 3040]
    assert drawn_later
    assert {one.inclusion_probability for one in drawn_later} == {rule.probability}
    assert {one.schedule_row for one in drawn_later} == {1}
    assert all(f"new_{field}" in one.reasons for one in drawn_later)
    others = [one for number, one in units.items() if 2000 <= number < 3000 or number >= 4000]
    assert all(one.inclusion_probability < rule.probability for one in others)


@pytest.mark.parametrize("most_values", [1, 2, 3])
@pytest.mark.parametrize("kind", NEW)
def test_a_new_value_beyond_the_cap_is_new_all_the_same(
    kind: str, most_values: int, database: Database
) -> None:
    field, value, fields = NEW[kind]
    settings = replace(SETTINGS, domains=DomainParams(most_values=most_values))
    full = {"prompt_version": "v0", "model": "m0"}
    classes = [{"id": "a", "text": "x", "class": name} for name in ("old", "a", "b")]
    crowd = [
        event(500 + number, WEEK + timedelta(minutes=number), **full, retrieved=[one])
        for number, one in enumerate(classes)
    ]
    for name, events in (("crowd", crowd), ("new", [event(1000, DAY_3, **fields)])):
        fill(topic := MemoryTopic(name), events)
        consume_topic(topic, database, settings)
    for again in range(2):  # after a restart it is known
        fill(topic := MemoryTopic(f"again{again}"), [event(1001 + again, DAY_3, **fields)])
        consume_topic(topic, database, settings)
    (rule,) = rows(database)[-1].rules
    assert (rule.field, rule.value) == (field, value)
    assert len(rows(database)) == 2
    with database.read() as connection:
        cells = schema.frame_cells
        named = connection.scalars(sa.select(cells.c.value).where(cells.c.domain == field)).all()
    assert value not in named or most_values == 3, "the cap holds for cells"


def test_values_of_the_first_day_are_never_new(database: Database) -> None:
    fill(
        topic := MemoryTopic("again"),
        [
            event(number, DAY_3 + timedelta(minutes=number), prompt_version="v0", model="m0")
            for number in range(9)
        ],
    )
    consume_topic(topic, database, SETTINGS)
    assert len(rows(database)) == 1


def test_a_new_value_that_comes_with_a_late_signal_alone_is_not_new(database: Database) -> None:
    """No answer was counted with it, and the signal raises nothing where its answer does not stand."""
    at = WEEK + timedelta(days=2, hours=12)
    late = event(1, at, prompt_version="v7", signals={"safety_incident": True})
    fill(topic := MemoryTopic("late"), [late])
    before = rows(database)
    consume_topic(topic, database, SETTINGS)
    assert rows(database) == before


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_two_workers_that_meet_a_new_value_at_once_append_one_row(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'two.db'}" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    topic = MemoryTopic("both", partitions=2)
    with Database(url) as one, Database(url) as other:
        one.upgrade()
        fill(first := MemoryTopic("first"), first_days())
        consume_topic(first, one, SETTINGS)
        fill(topic, [event(number, DAY_3, prompt_version="v2") for number in range(100, 120)])
        barrier = threading.Barrier(2)
        sources = [MemorySource(topic), MemorySource(topic)]
        for number, source in enumerate(sources):
            source.forget_first_assignment()
            source.assign([number])
        with (
            working(sources[0], one, SETTINGS) as left,
            working(sources[1], other, SETTINGS) as right,
        ):
            threads = [threading.Thread(target=at_once, args=(barrier, worker)) for worker in (left, right)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
            assert (left.error, right.error) == (None, None)
            assert left.accounting.events + right.accounting.events == 20
        written = rows(one)
        assert len(written) == 2
        assert [rule.value for rule in written[-1].rules] == ["v2"]
        assert {stored.unit.decision.schedule_row for stored in units_of(one).values()} == {0}


def at_once(barrier: threading.Barrier, worker: Any) -> None:
    barrier.wait(10)
    worker.run()


def test_new_values_in_one_batch_share_a_row_and_later_ones_keep_them(database: Database) -> None:
    one_batch = [
        event(1000, DAY_3, prompt_version="v2", model="m2"),
        event(1001, DAY_3, prompt_version="v3"),
    ]
    fill(topic := MemoryTopic("new"), one_batch)
    consume_topic(topic, database, SETTINGS)
    fill(topic := MemoryTopic("newer"), [event(1002, DAY_3 + timedelta(hours=1), prompt_version="v4")])
    consume_topic(topic, database, SETTINGS)
    written = rows(database)
    assert [len(row.rules) for row in written] == [0, 3, 4]
    times = [row.effective_at for row in written]
    assert times == sorted(times)
    assert times[1] < times[2]


def test_versions_without_end_stay_bounded(tmp_path: Path) -> None:
    def endless(first: int, began: datetime) -> list[dict[str, Any]]:
        return [
            event(
                number,
                began + timedelta(seconds=number),
                prompt_version=f"build-{number}",
                tenant=f"t{number}",
                retrieved=[{"id": "a", "text": "x", "class": f"class-{number}"}],
            )
            for number in range(first, first + 2500)
        ]

    with fresh_database(tmp_path) as database:
        fill(topic := MemoryTopic("first"), first_days())
        consume_topic(topic, database, SETTINGS)
        fill(topic := MemoryTopic("endless"), endless(10_000, DAY_3))
        totals = consume_topic(topic, database, SETTINGS)
        fill(topic := MemoryTopic("endless-2"), endless(20_000, DAY_3))
        totals_after_restart = consume_topic(topic, database, SETTINGS)
        assert totals["events"] + totals_after_restart["events"] == 5000
        with database.read() as connection:
            cells = schema.frame_cells
            values = connection.execute(
                sa.select(cells.c.domain, sa.func.count(cells.c.value.distinct())).group_by(cells.c.domain)
            )
            distinct = {row[0]: row[1] for row in values}
            known = connection.scalar(sa.select(sa.func.count()).select_from(schema.known_values))
            counted = connection.scalar(
                sa.select(sa.func.sum(cells.c.events)).where(cells.c.domain == "tenant")
            )
        assert max(distinct.values()) <= 51, "fifty values and `other`"
        assert (known or 0) <= 5 * 50 + 2 * MOST_NOVEL
        assert counted == 5000
        assert len(rows(database)) <= 10
        assert all(len(row.rules) <= 50 for row in rows(database))
