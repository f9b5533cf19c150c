"""The budget controller: what an operator sets, and what a step makes of the counts."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.config import load_settings
from sentinel.errors import ConfigurationError
from sentinel.sampling.budget import Budget
from sentinel.sampling.design import SamplingParams, configured_design
from sentinel.sampling.rhythm import HOUR, Forecast
from sentinel.sampling.schedule import Rule, ScheduleRow
from sentinel.sampling.steering import (
    DEAD_BAND,
    LEAST_SHARE,
    MOST_SHARE,
    Plan,
    RuleTraffic,
    WindowState,
    next_row,
    plan,
    shared_out,
)

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
DAY = timedelta(days=1)
BUDGET = Budget(200)
DESIGN = configured_design(SamplingParams(salt="x", budget=BUDGET), "salt", "indicators")
ROW = DESIGN.first_row("first row", 0.01)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "America/Havana", "Asia/Kolkata",
         "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Africa/Cairo")  # fmt: skip


# What an operator sets


@pytest.mark.parametrize(
    ("sampling", "says"),
    [
        ("{rate: 0.1, budget: {units: 200}}", "rate and budget exclude each other"),
        ("{rate: 0.02, budget: {units: 200, per: week}}", "exclude each other"),
        ("{budget: {units: 0}}", "units must be above 0"),
        ("{budget: {units: -5}}", "units must be above 0"),
        ("{budget: {units: .inf}}", "units must be above 0"),
        ("{budget: {units: many}}", "sampling.budget.units"),
        ("{budget: {}}", "sampling.budget.units"),
        ("{budget: {per: week}}", "sampling.budget.units"),
        ("{budget: {units: 10, per: year}}", "sampling.budget.per"),
        ("{budget: {units: 10, expected_answers: 0}}", "expected_answers must be above 0"),
        ("{budget: {unit: 10}}", "nearest known one is sampling.budget.units"),
        ("{budget: 200}", "sampling.budget"),
        ("{rate: 0}", "above 0"),
    ],
)
def test_a_wrong_budget_is_one_clear_line(tmp_path: Any, sampling: str, says: str) -> None:
    path = tmp_path / "sentinel.yaml"
    path.write_text(f"sampling: {sampling}\n")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(path, {})
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_budget_comes_from_the_environment_too() -> None:
    name = "SENTINEL_SAMPLING__BUDGET"
    assert load_settings(None, {name: "{units: 200, per: week}"}).sampling.budget == Budget(200, "week")
    assert load_settings(None, {f"{name}__UNITS": "50", f"{name}__PER": "day"}).sampling.budget == Budget(
        50, "day"
    )
    with pytest.raises(ConfigurationError, match=r"nearest known one is sampling\.budget\.per"):
        load_settings(None, {name: "{units: 200, pre: day}"})
    with pytest.raises(ConfigurationError, match="exclude each other"):
        load_settings(None, {name: "{units: 200}", "SENTINEL_SAMPLING__RATE": "0.1"})


def test_without_either_the_rate_is_two_in_a_hundred() -> None:
    params = SamplingParams()
    assert (params.fixed_rate, params.start_rate) == (0.02, 0.02)
    assert SamplingParams(rate=0.3).fixed_rate == 0.3
    steered = SamplingParams(budget=Budget(200, expected_answers=10_000))
    assert (steered.fixed_rate, steered.start_rate) == (None, 0.02)


@pytest.mark.parametrize(
    ("budget", "rate"),
    [
        (Budget(200), 0.002),
        (Budget(200, "day"), 0.014),
        (Budget(200, expected_answers=4000), 0.05),
        (Budget(200, expected_answers=100), 1.0),
        (Budget(1e9), 1.0),
    ],
)
def test_a_new_store_begins_carefully_or_as_told(budget: Budget, rate: float) -> None:
    assert budget.start_rate == pytest.approx(rate)
    row = DESIGN.first_row("first row", budget.start_rate)
    sizes = DESIGN.reference_sizes()
    mean = sum(min(1.0, row.uniform_probability + row.multiplier * size) for size in sizes) / len(sizes)
    assert mean == pytest.approx(rate)


def test_the_budget_is_not_part_of_the_design() -> None:
    other = configured_design(SamplingParams(salt="x", budget=Budget(500, "day")), "salt", "indicators")
    assert other.design_id == DESIGN.design_id
    fixed = configured_design(SamplingParams(salt="x", rate=0.01), "salt", "indicators")
    assert fixed.design_id != DESIGN.design_id


@settings(max_examples=200, deadline=None)
@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(["day", "week", "month"]),
    st.sampled_from(ZONES),
)
def test_windows_tile_the_time_line(moment: datetime, per: Any, zone_name: str) -> None:
    zone, budget = ZoneInfo(zone_name), Budget(1, per)
    start, end = budget.window(moment, zone)
    assert start <= moment < end
    assert budget.window(start, zone) == (start, end)
    assert budget.window(end, zone)[0] == end
    assert budget.window(end - timedelta(microseconds=1), zone) == (start, end)
    local = start.astimezone(zone)
    if per == "week":
        assert local.weekday() == 0
    if per == "month":
        assert local.day == 1


# What a step decides


def flat(per_hour: float, now: datetime) -> Forecast:
    return Forecast((per_hour,) * 168, 1.0, now, UTC)


def state(after: timedelta, spent: float, events: int, **more: Any) -> WindowState:
    given: dict[str, Any] = {
        "start": MONDAY,
        "end": MONDAY + 7 * DAY,
        "now": MONDAY + after,
        "spent": spent,
        "events": events,
        "mean_size": None,
        "signals": {},
        "rules": {},
    }
    return WindowState(**given | more)


def planned(at: WindowState, per_hour: float = 100.0, latest: ScheduleRow = ROW) -> Plan:
    return plan(BUDGET, at, flat(per_hour, at.now), latest, DESIGN)


def test_the_rest_of_the_budget_goes_to_the_rest_of_the_window() -> None:
    assert planned(state(timedelta(0), 0.0, 0)).rate == pytest.approx(200 / 16800)
    assert planned(state(3.5 * DAY, 100.0, 8400)).rate == pytest.approx(200 / 16800)
    assert planned(state(3.5 * DAY, 150.0, 8400)).rate == pytest.approx(50 / 8400)
    assert planned(state(3.5 * DAY, 50.0, 8400)).rate == pytest.approx(150 / 8400)


@pytest.mark.parametrize("spent", [200.0, 201.0, 500.0, 1e9])
def test_a_spent_budget_leaves_a_share_of_the_even_rate(spent: float) -> None:
    found = planned(state(3.5 * DAY, spent, 8400))
    assert found.rate == pytest.approx(LEAST_SHARE * 200 / 16800)
    row = next_row(BUDGET, found, [ROW], DESIGN, state(3.5 * DAY, spent, 8400))
    assert row is not None
    assert row.uniform_probability > 0.0
    assert row.floor == ROW.floor > 0.0


def test_what_is_left_at_the_end_is_not_thrown_at_the_last_answers() -> None:
    found = planned(state(7 * DAY - HOUR, 100.0, 16_700))
    assert found.rate == pytest.approx(MOST_SHARE * 200 / 16_800)


@pytest.mark.parametrize("events", [0, 1, 100])
def test_less_traffic_than_budget_means_everything(events: int) -> None:
    assert planned(state(DAY, float(events), events), per_hour=0.5).rate == 1.0


def test_a_storm_is_capped_and_the_rest_goes_on() -> None:
    storm = {"user_correction": RuleTraffic(0.1, 400.0), "safety_incident": RuleTraffic(0.02, 0.0)}
    found = planned(state(2 * DAY, 60.0, 4800, signals=storm))
    assert 0.0 < found.signals["user_correction"] < 0.05
    assert found.signals["safety_incident"] == 1.0, "a storm of corrections takes nothing from incidents"
    assert found.signals["unsupported_citation_report"] == 1.0
    expected = found.signals["user_correction"] * storm["user_correction"].expected(120.0)
    assert expected <= 0.5 * 140.0
    assert found.rate >= 0.4 * 140 / 12_000
    row = next_row(BUDGET, found, [ROW], DESIGN, state(2 * DAY, 60.0, 4800))
    assert row is not None
    assert dict(row.take_all) == found.signals


def test_a_cap_is_lifted_when_the_storm_is_over() -> None:
    capped = replace(ROW, take_all=tuple((name, 0.02) for name, _ in ROW.take_all))
    quiet = {name: RuleTraffic(0.01, 0.0) for name, _ in ROW.take_all}
    found = planned(state(2 * DAY, 60.0, 4800, signals=quiet), latest=capped)
    assert set(found.signals.values()) == {1.0}
    row = next_row(BUDGET, found, [ROW, capped], DESIGN, state(2 * DAY, 60.0, 4800))
    assert row is not None
    assert dict(row.take_all) == found.signals


def test_no_rule_falls_below_the_rate_of_everything() -> None:
    storm = {"user_correction": RuleTraffic(0.0, 1e6)}
    found = planned(state(2 * DAY, 60.0, 4800, signals=storm))
    assert found.signals["user_correction"] == found.rate


def test_novelty_rules_are_capped_with_the_rest_and_end_with_their_time() -> None:
    until = MONDAY + 4 * DAY
    rules = (
        Rule("model", "m2", 0.9, until),
        Rule("model", "rare", 0.9, until),
        Rule("model", "old", 0.9, MONDAY + DAY),
    )
    latest = replace(ROW, rules=rules)
    counted = {("model", "m2"): RuleTraffic(90.0, 90.0), ("model", "rare"): RuleTraffic(0.1, 0.0)}
    at = state(2 * DAY, 60.0, 4800, rules=counted)
    found = planned(at, latest=latest)
    row = next_row(BUDGET, found, [latest], DESIGN, at)
    assert row is not None
    assert [(rule.value, rule.until) for rule in row.rules] == [("m2", until), ("rare", until)]
    by_value = {rule.value: rule.probability for rule in row.rules}
    assert by_value["m2"] < 0.01
    assert by_value["rare"] == 0.9


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1e6), max_size=8), st.floats(0, 1e6))
def test_shares_are_fair_and_add_up(wishes: dict[str, float], amount: float) -> None:
    demands = {("signal", name): wish for name, wish in wishes.items()}
    granted = shared_out(demands, amount)
    assert granted.keys() == demands.keys()
    assert all(0.0 <= granted[key] <= demands[key] * (1 + 1e-9) for key in demands)
    assert math.fsum(granted.values()) <= min(amount, math.fsum(demands.values())) * (1 + 1e-9) + 1e-9
    short = [key for key in demands if granted[key] < demands[key] * (1 - 1e-9)]
    for key in short:
        assert granted[key] >= max(granted.values()) * (1 - 1e-9) - 1e-9, (
            "who is cut gets no less than anybody"
        )


# When a row is written


def test_a_row_is_written_only_where_something_moves() -> None:
    at = state(DAY, 28.0, 2400)
    first = next_row(BUDGET, planned(at), [ROW], DESIGN, at)
    assert first is not None
    assert first.reason == "budget: 200 a week"
    rows = [ROW, first]
    assert next_row(BUDGET, planned(at), rows, DESIGN, at) is None
    near = state(DAY, 28.0 - 0.5 * DEAD_BAND * 172, 2400)
    assert next_row(BUDGET, planned(near), rows, DESIGN, near) is None
    far = state(DAY, 28.0 - 1.5 * DEAD_BAND * 172, 2400)
    assert next_row(BUDGET, planned(far), rows, DESIGN, far) is not None
    assert next_row(Budget(201), planned(at), rows, DESIGN, at) is not None, "a change is always a row"
    novelty = replace(first, reason="novelty: model")
    assert next_row(BUDGET, planned(at), [*rows, novelty], DESIGN, at) is None


@pytest.mark.parametrize("scale", [0.3, 0.7, 1.0, 1.8])
@pytest.mark.parametrize("rate", [0.0005, 0.01, 0.2, 0.7, 1.0])
def test_a_row_is_made_for_the_sizes_that_were_counted(scale: float, rate: float) -> None:
    sizes = [scale * size for size in DESIGN.reference_sizes()]
    at = state(DAY, 0.0, 100, mean_size=sum(sizes) / len(sizes))
    row = next_row(BUDGET, Plan(rate, {}, {}), [ROW], DESIGN, at)
    assert row is not None
    mean = sum(min(1.0, row.uniform_probability + row.multiplier * size) for size in sizes) / len(sizes)
    assert mean == pytest.approx(rate)


@pytest.mark.parametrize(
    ("wrong_by", "at_least"), [(0.2, 0.6), (0.5, 0.9), (1.0, 0.99), (2.0, 0.98), (5.0, 0.98), (10.0, 0.98)]
)
def test_a_wrong_expectation_still_spends_the_budget(wrong_by: float, at_least: float) -> None:
    """Traffic that is all week `wrong_by` times what is expected, and a forecast that never learns."""
    per_hour, spent, events = 100.0, 0.0, 0
    for hour in range(168):
        at = state(hour * HOUR, spent, events)
        rate = planned(at, per_hour=per_hour).rate
        spent += rate * per_hour * wrong_by
        events += round(per_hour * wrong_by)
    assert 200.0 * at_least <= spent <= 200.0 * (1.01 + LEAST_SHARE)
