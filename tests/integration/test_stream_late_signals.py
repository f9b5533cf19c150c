"""A known answer that comes again with a signal: π becomes the larger one, the draw stays."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sentinel.sampling.selection import Salt, random_number
from sentinel.store import schedule
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from tests.fault.contents import event_counts
from tests.fault.workers import metric, small_batches, working
from tests.harness import WEEK, consume_topic, event, fill, fresh_database, settings_for, units_of

SETTINGS = settings_for(rate=0.2)
SALT = Salt.of(SETTINGS.sampling.salt)
CORRECTED = {"signals": {"user_correction": True}}
SIGNALS = ("user_correction", "safety_incident", "unsupported_citation_report")


def plain(number: int, **fields: Any) -> dict[str, Any]:
    return event(number, WEEK + timedelta(minutes=number), **fields)


def consume(database: Database, events: list[dict[str, Any]], name: str = "answers") -> dict[str, int]:
    fill(topic := MemoryTopic(name), events)
    return consume_topic(topic, database, SETTINGS)


@pytest.fixture
def database(tmp_path: Path) -> Any:
    with fresh_database(tmp_path) as opened:
        yield opened


def drawn_and_not(database: Database) -> tuple[list[int], list[int]]:
    consume(database, [plain(number) for number in range(60)])
    drawn = {int(key[1:]) for key in units_of(database)}
    assert 4 < len(drawn) < 30
    return sorted(drawn), sorted(set(range(60)) - drawn)


@pytest.mark.parametrize("signal", SIGNALS)
def test_content_with_a_signal_draws_an_answer_that_was_not_drawn(signal: str, database: Database) -> None:
    _, left = drawn_and_not(database)
    before = event_counts(database)
    totals = consume(database, [plain(left[0], signals={signal: True})], "late")
    unit = units_of(database)[f"e{left[0]:05d}"].unit
    assert totals["sampled"] == 1
    assert totals["events"] == 0
    assert unit.decision.inclusion_probability == 1.0
    assert signal in unit.decision.reasons
    assert unit.decision.random_number == random_number(unit.facts.event_id, SALT)
    assert event_counts(database)["events"] == before["events"], "it was counted when it came first"


def test_on_a_drawn_answer_the_larger_probability_stays(database: Database) -> None:
    drawn, _ = drawn_and_not(database)
    before = units_of(database)[f"e{drawn[0]:05d}"]
    consume(database, [plain(drawn[0], **CORRECTED)], "late")
    after = units_of(database)[f"e{drawn[0]:05d}"]
    assert before.unit.decision.inclusion_probability < 1.0
    assert after.unit.decision.inclusion_probability == 1.0
    assert after.unit.decision.random_number == before.unit.decision.random_number
    assert after.raised_under_row == 0
    assert after.arrivals == before.arrivals, "a late signal is no miss of the window"
    assert after.content == before.content


def test_a_plain_copy_never_lowers_it(database: Database) -> None:
    consume(database, [plain(3, **CORRECTED)])
    before = units_of(database)
    totals = consume(database, [plain(3), plain(3, signals={"user_correction": False})], "late")
    assert totals["duplicates"] == 2
    assert units_of(database) == before


@pytest.mark.parametrize("content", ["", None])
def test_a_signal_without_content_is_counted_and_changes_nothing(
    content: str | None, database: Database
) -> None:
    drawn, left = drawn_and_not(database)
    before = units_of(database)
    late = []
    for number in (drawn[0], drawn[1], left[0], left[1]):
        one = plain(number, answer=content, **CORRECTED)
        late.append({key: value for key, value in one.items() if value is not None})
    fill(topic := MemoryTopic("late"), late)
    with working(MemorySource(topic), database, SETTINGS) as worker:
        worker.run()
        totals = worker.accounting.summary()
        without = metric(worker, "sentinel_sampling_signals_without_content_total")
    assert units_of(database) == before
    assert totals["dead_letters"] == 0
    assert (totals["duplicates"], without) == (4, 4.0)


ARRIVALS = (
    plain(7),
    plain(7, **CORRECTED),
    plain(7, signals={"safety_incident": True}),
    plain(7, answer="", signals={"user_correction": True}),
)


@pytest.mark.parametrize("one_batch", [True, False])
def test_the_order_of_arrival_does_not_change_the_final_probability(one_batch: bool, tmp_path: Path) -> None:
    finals = set()
    settings = SETTINGS if one_batch else small_batches(SETTINGS, 1)
    for number, order in enumerate(itertools.permutations(ARRIVALS[:3])):
        with fresh_database(tmp_path, f"{number}.db") as database:
            fill(topic := MemoryTopic(), order)
            totals = consume_topic(topic, database, settings)
            unit = units_of(database)["e00007"].unit
            finals.add((unit.decision.inclusion_probability, unit.decision.random_number))
            assert (totals["events"], totals["duplicates"]) == (1, 2)
            assert event_counts(database)["events"] == 1
    assert finals == {(1.0, random_number("e00007", SALT))}


def test_a_signal_without_content_after_the_answer_leaves_the_draw_alone(tmp_path: Path) -> None:
    for number in range(20):
        with fresh_database(tmp_path, f"{number}.db") as database:
            consume(database, [plain(number), plain(number, answer="", **CORRECTED)])
            for stored in units_of(database).values():
                assert stored.unit.decision.inclusion_probability < 1.0


def test_three_times_the_same_late_signal_is_one_unit(database: Database) -> None:
    _, left = drawn_and_not(database)
    totals = consume(database, [plain(left[0], **CORRECTED)] * 3, "late")
    assert totals["sampled"] == 1
    assert units_of(database)[f"e{left[0]:05d}"].arrivals == 1


def test_a_capped_signal_raises_only_as_far_as_its_row_says(database: Database) -> None:
    consume(database, [plain(number) for number in range(60)])
    with database.begin() as connection:
        last = schedule.read_rows(connection)[-1]
        capped = replace(last, take_all=(("user_correction", 0.5),))
        row = schedule.append_row(connection, capped, last.effective_at, WEEK)
    later = row.effective_at + timedelta(minutes=5)
    events = [event(number, later + timedelta(seconds=number)) for number in range(100, 200)]
    consume(database, events, "later")
    consume(database, [one | CORRECTED for one in events], "corrected")
    raised = {key: one.unit.decision for key, one in units_of(database).items() if int(key[1:]) >= 100}
    assert all(one.inclusion_probability == 0.5 for one in raised.values())
    expected = {one["event_id"] for one in events if random_number(one["event_id"], SALT) < 0.5}
    assert set(raised) == expected
