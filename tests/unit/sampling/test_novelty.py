"""New values append rules; what was there on the first day does not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sentinel.sampling.design import SamplingParams
from sentinel.sampling.novelty import (
    MOST_RULES,
    SETTLED_ANSWERS,
    expected_answers,
    is_new,
    row_with_novelty,
)
from sentinel.sampling.schedule import BEGINNING, Rule, ScheduleRow

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
LATEST = ScheduleRow(4, BEGINNING, "d", 0.1, 0.1, 0.001, (), (), "test")
PARAMS = SamplingParams(salt="s", novelty_units=30.0, novelty_days=7.0)


def test_only_a_settled_store_knows_what_is_new() -> None:
    assert not is_new(0)
    assert not is_new(SETTLED_ANSWERS - 1), "a few stragglers with a wrong clock settle nothing"
    assert is_new(SETTLED_ANSWERS)


def test_a_rule_asks_for_the_wanted_number_of_the_expected_answers() -> None:
    row = row_with_novelty(LATEST, [("model", "m2")], NOON, 3000.0, PARAMS)
    assert row is not None
    assert row.rules == (Rule("model", "m2", 0.01, NOON + timedelta(days=7)),)
    assert (row.uniform_probability, row.multiplier, row.design_id) == (0.1, 0.1, "d")


def test_little_traffic_takes_all_and_never_more() -> None:
    row = row_with_novelty(LATEST, [("model", "m2")], NOON, 3.0, PARAMS)
    assert row is not None
    assert row.rules[0].probability == 1.0


def test_a_known_rule_is_not_added_again_and_an_ended_one_is_left_out() -> None:
    old = Rule("model", "m1", 0.5, NOON - timedelta(seconds=1))
    current = Rule("model", "m2", 0.5, NOON + timedelta(days=1))
    latest = replace(LATEST, rules=(old, current))
    assert row_with_novelty(latest, [("model", "m2")], NOON, 3000.0, PARAMS) is None
    row = row_with_novelty(latest, [("model", "m3")], NOON, 3000.0, PARAMS)
    assert row is not None
    assert [rule.value for rule in row.rules] == ["m2", "m3"]


def test_a_stream_of_ever_new_versions_cannot_grow_the_schedule_without_end() -> None:
    values = [("prompt_version", f"v{i:04d}") for i in range(10 * MOST_RULES)]
    row = row_with_novelty(LATEST, values, NOON, 3000.0, PARAMS)
    assert row is not None
    assert len(row.rules) == MOST_RULES
    assert row_with_novelty(row, [("prompt_version", "one more")], NOON, 3000.0, PARAMS) is None


def test_expected_answers_follow_the_days_that_had_any() -> None:
    assert expected_answers([100] * 7, 7.0) == 700.0
    assert expected_answers([0, 0, 120, 80], 7.0) == 700.0
    assert expected_answers([], 7.0) == 0.0
