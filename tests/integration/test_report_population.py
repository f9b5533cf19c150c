"""What a report says of all traffic: which answers are of the period, which are not covered, the weights."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from sentinel.reporting.period import requested_period
from sentinel.store import frame, units
from sentinel.store.database import Database
from sentinel.store.dead_letters import DeadLetter, add_dead_letters
from tests.integration.label_store import (
    LATER,
    MONDAY,
    PARTITION,
    claim,
    database,
    drawn,
    fill,
    import_lines,
    line,
)
from tests.integration.published_reports import WEEK, document, report

__all__ = ["database"]


def test_units_belong_to_the_period_of_their_event_time(database: Database) -> None:
    last, first = WEEK.end - timedelta(microseconds=1), WEEK.start
    fill(database, [drawn("in-1", at=first), drawn("in-2", at=last), drawn("out", at=WEEK.end)])
    import_lines(database, *(line(name, claim()) for name in ("in-1", "in-2", "out")))
    assert document(database)["coverage"]["labelled"] == 2


def test_a_day_of_a_clock_change_is_one_day(database: Database) -> None:
    berlin = requested_period("2026-10-25", "2026-10-26", None, "Europe/Berlin", LATER)
    moments = [datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 22, 59, tzinfo=UTC)]
    outside = [datetime(2026, 10, 24, 21, 59, tzinfo=UTC), datetime(2026, 10, 25, 23, tzinfo=UTC)]
    answers = [drawn(f"e{n}", 1.0, at=at) for n, at in enumerate(moments + outside)]
    for unit in answers:
        fill(database, [unit], at=unit.facts.event_time)
    found = report(database, berlin).document
    assert (found["coverage"]["drawn"], found["population"]["events"]) == (2, 2)
    assert found["traffic"] == [{"from": "2026-10-25", "to": "2026-10-26", "events": 2, "drawn": 2}]


def test_not_covered_and_dead_letters_by_reason(database: Database) -> None:
    fill(database, [drawn("e1")])
    window = frame.window_of(MONDAY)
    with database.begin() as conn:
        frame.add_not_covered(conn, {(window, PARTITION, "not_json"): 40})
        letters = [
            DeadLetter(PARTITION, offset, reason, "", MONDAY, 5)
            for offset, reason in enumerate(["not_json", "not_json", "redaction_failed"])
        ]
        add_dead_letters(conn, letters, 10, MONDAY)
    population = document(database)["population"]
    assert (population["not_covered"], population["not_covered_reasons"]) == (40, {"not_json": 40})
    assert population["dead_letter_reasons"] == {"not_json": 40, "redaction_failed": 1}
    assert population["dead_letters"] == 41


def test_what_was_deleted_before_it_was_read_is_no_dead_letter(database: Database) -> None:
    fill(database, [drawn("e1")])
    window = frame.window_of(MONDAY)
    reasons = {"not_json": 3, "deleted_by_retention": 500, "overflow": 7, "strange": 2}
    with database.begin() as conn:
        frame.add_not_covered(conn, {(window, PARTITION, why): n for why, n in reasons.items()})
        add_dead_letters(conn, [DeadLetter(PARTITION, 1, "strange", "", MONDAY, 5)], 10, MONDAY)
    population = document(database)["population"]
    assert population["not_covered_reasons"] == reasons
    assert population["dead_letter_reasons"] == {"not_json": 3, "strange": 2}
    assert (population["not_covered"], population["dead_letters"]) == (512, 5)


@pytest.mark.parametrize(
    ("timestamp", "parked", "counts"),
    [
        (WEEK.start, WEEK.start, True),
        (WEEK.start, WEEK.end, True),
        (WEEK.start - timedelta(microseconds=1), WEEK.start, False),
        (None, WEEK.end - timedelta(microseconds=1), True),
        (None, WEEK.end, False),
        (WEEK.end + timedelta(days=900), WEEK.start + timedelta(days=1), True),
        (WEEK.end, WEEK.end - timedelta(microseconds=1), True),
        (WEEK.end + timedelta(days=900), WEEK.end, False),
        (WEEK.end + timedelta(days=900), WEEK.start - timedelta(days=1), False),
        (WEEK.start + timedelta(days=2), WEEK.start - timedelta(days=1), False),
    ],
)
def test_a_dead_letter_counts_when_it_came_if_its_own_time_is_later(
    database: Database, timestamp: datetime | None, parked: datetime, counts: bool
) -> None:
    fill(database, [drawn("e1")])
    with database.begin() as conn:
        add_dead_letters(conn, [DeadLetter(PARTITION, 1, "time_in_future", "", timestamp, 5)], 10, parked)
    expected = {"time_in_future": 1} if counts else {}
    assert document(database)["population"]["dead_letter_reasons"] == expected


def test_second_arrivals_estimate_what_the_duplicate_window_missed(database: Database) -> None:
    fill(database, [drawn("e1", 0.25), drawn("e2", 0.5)], events=9)
    with database.begin() as conn:
        units.insert_units(conn, [drawn("e1", 0.25)], MONDAY)
        units.insert_units(conn, [drawn("e1", 0.25)], MONDAY)
    misses = document(database)["population"]["duplicate_misses"]
    assert (misses["observed"], misses["estimate"], misses["share"]) == (2, 8.0, pytest.approx(8 / 9))
    assert misses["standard_error"] == pytest.approx(math.sqrt(0.75 * 64))


def test_a_raised_answer_met_before_weighs_its_misses_with_the_probability_of_its_draw(
    database: Database,
) -> None:
    fill(database, [drawn("e1", 0.1), drawn("e2", 0.5), drawn("e3", 0.5)], events=24)
    with database.begin() as conn:
        units.insert_units(conn, [drawn("e1", 0.1), drawn("e2", 0.5)], MONDAY)
        units.raise_units(conn, [drawn("e1", 1.0), replace(drawn("late", 1.0), offset=9)], MONDAY)
        units.insert_units(conn, [drawn("late", 1.0)], MONDAY)
    found = document(database)
    population = found["population"]
    misses, check = population["duplicate_misses"], population["weight_check"]
    # e1 was drawn with 0.1 and met again: ten answers are counted twice, not the one of its raised π.
    assert misses["observed"] == 3
    assert misses["estimate"] == pytest.approx(10 + 2 + 1)
    assert misses["standard_error"] == pytest.approx(math.sqrt(0.9 * 100 + 0.5 * 4 + 0))
    assert population["estimated_events"] == pytest.approx(1 + 2 + 2 + 1)
    assert check["estimated"] == pytest.approx(6 + 13)
    # e2 counts twice with one draw, (1 − π)(2/π)², e3 once; e1 and `late` are certain but for e1's misses.
    error = math.sqrt(0.9 * 100 + 0.5 * 16 + 0.5 * 4)
    assert check["z"] == pytest.approx((19 - 24) / error)
    assert any("includes them" in note and "once too often" in note for note in found["notes"])


def test_weights_that_cannot_be_true_are_called_out(database: Database) -> None:
    fill(database, [drawn(f"e{n}", 0.5) for n in range(50)], events=400)
    found = document(database)
    assert found["population"]["weight_check"]["status"] == "off"
    assert any("more than chance" in note for note in found["notes"])
