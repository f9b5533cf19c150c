"""Promise 1: the recorded probability is the delivered one, through every path an answer can take."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from sentinel.sampling.schedule import ScheduleRow
from sentinel.store import schedule
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
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

SALTS = 200
#: Two-sided limit of each of some 150 comparisons: together a false alarm once in 50,000 runs.
LEAST_CHANCE = 1e-7


def first_days() -> list[dict[str, Any]]:
    """Ordinary answers, some with signals, with duplicates of each kind among them."""
    events = []
    for number in range(60):
        at = WEEK + timedelta(minutes=47 * number)
        extra: dict[str, Any] = {}
        if number % 10 == 3:
            extra["signals"] = {"user_correction": True}
        if number % 20 == 7:
            extra["signals"] = {"safety_incident": True, "user_correction": True}
        events.append(event(number, at, **extra))
        if number % 6 == 0:
            events.append(event(number, at, **extra))
    return events


def changed_days() -> list[dict[str, Any]]:
    """A new prompt version and model (rules that overlap), late events, late signals, and repeats."""
    events = []
    for number in range(60, 120):
        at = WEEK + timedelta(days=2, minutes=13 * number)
        events.append(event(number, at, prompt_version="v2", model="m2" if number % 3 == 0 else "m1"))
    events += [event(number, WEEK + timedelta(hours=number % 12)) for number in range(120, 132)]
    for number in (1, 2, 4, 5, 61, 62):
        at = WEEK + timedelta(minutes=47 * number)
        with_content = event(number, at, signals={"unsupported_citation_report": True})
        events.append(with_content)
    for number in (8, 9, 10):
        at = WEEK + timedelta(minutes=47 * number)
        events.append(event(number, at, answer="", signals={"user_correction": True}))
    return events


def cap_take_all(database: Database) -> None:
    """Append a row that takes a correction with 60 %, as a cap on an incident storm would."""
    with database.begin() as connection:
        last = schedule.read_rows(connection)[-1]
        capped: ScheduleRow = replace(last, take_all=(("user_correction", 0.6), ("safety_incident", 1.0)))
        schedule.append_row(connection, capped, last.effective_at, WEEK)


def capped_days() -> list[dict[str, Any]]:
    return [
        event(number, WEEK + timedelta(days=5, minutes=number), signals={"user_correction": True})
        for number in range(140, 160)
    ]


def one_life(folder: Path, template: Path, salt: str) -> dict[str, float]:
    """Everything that can happen, with one salt: event id → recorded π of each drawn answer."""
    path = folder / f"{salt}.db"
    shutil.copy(template, path)
    # Batches end where polls end: otherwise the time of a novelty row would follow from the draws,
    # and π of later answers would differ between salts (rightly, but not comparably).
    settings = settings_for(salt, 0.2, batch_units=10_000, novelty_units=12.0)
    topic = MemoryTopic(partitions=2)
    with Database(f"sqlite:///{path}") as database:
        fill(topic, first_days())
        consume_topic(topic, database, settings)
        fill(topic, changed_days()[:40])
        consume_topic(topic, database, settings)
        settings = with_rate(settings, 0.1)
        fill(topic, changed_days()[40:])
        consume_topic(topic, database, settings)
        cap_take_all(database)
        fill(topic, capped_days())
        two_workers(topic, database, settings)
        replayed = MemoryTopic("replayed")
        fill(replayed, first_days() + capped_days())
        consume_topic(replayed, database, settings)
        drawn = {key: stored.unit.decision for key, stored in units_of(database).items()}
    path.unlink()
    assert all(one.random_number < one.inclusion_probability for one in drawn.values())
    return {key: one.inclusion_probability for key, one in drawn.items()}


def two_workers(topic: MemoryTopic, database: Database, settings: Any) -> None:
    """Each of two workers takes one partition to its end."""
    from tests.harness import consume

    for number in range(len(topic.partitions)):
        source = MemorySource(topic)
        source.forget_first_assignment()
        source.assign([number])
        consume(source, database, settings)


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, float]]:
    folder = tmp_path_factory.mktemp("lives")
    fresh_database(folder, "template.db").close()
    return [one_life(folder, folder / "template.db", f"salt-{number}") for number in range(SALTS)]


@pytest.mark.slow
def test_every_answer_is_drawn_as_often_as_its_recorded_probability_says(
    lives: list[dict[str, float]],
) -> None:
    recorded: defaultdict[str, set[float]] = defaultdict(set)
    delivered: Counter[str] = Counter()
    for life in lives:
        for event_id, probability in life.items():
            recorded[event_id].add(probability)
            delivered[event_id] += 1
    assert len(recorded) == 152, "every answer is drawn under some salt: none has π = 0"
    several = {key: values for key, values in recorded.items() if len(values) > 1}
    assert not several, f"π of one answer differs between salts: {several}"
    probability = {key: values.pop() for key, values in recorded.items()}
    distinct = {round(p, 6) for p in probability.values()}
    assert len(distinct) > 8, "the comparison would prove nothing if all had the same π"
    unlikely = []
    squares = 0.0
    uncertain = 0
    for key, p in probability.items():
        chance = stats.binomtest(delivered[key], SALTS, p).pvalue
        if chance < LEAST_CHANCE:
            unlikely.append(f"{key}: drawn {delivered[key]} of {SALTS} times with π = {p:.4f}")
        if p < 1.0:
            squares += (delivered[key] - SALTS * p) ** 2 / (SALTS * p * (1 - p))
            uncertain += 1
    assert not unlikely, unlikely
    # χ² over all answers, from both sides: too close to π would mean that draws are not independent.
    low, high = stats.chi2.ppf([1e-6, 1 - 1e-6], uncertain)
    assert low < squares < high


@pytest.mark.slow
def test_the_size_of_the_sample_spreads_as_independent_draws_do(lives: list[dict[str, float]]) -> None:
    probability = {key: p for life in lives for key, p in life.items()}
    expected = sum(probability.values())
    variance = sum(p * (1 - p) for p in probability.values())
    sizes = [len(life) for life in lives]
    mean_z = (sum(sizes) / SALTS - expected) / (variance / SALTS) ** 0.5
    assert abs(mean_z) < 4.9
    spread = sum((size - expected) ** 2 for size in sizes) / variance
    low, high = stats.chi2.ppf([1e-6, 1 - 1e-6], SALTS)
    assert low < spread < high


@pytest.mark.slow
def test_signals_raise_the_probability_where_content_came_with_them(lives: list[dict[str, float]]) -> None:
    probability = {key: p for life in lives for key, p in life.items()}
    assert probability["e00003"] == 1.0, "a correction with the answer is taken"
    assert probability["e00001"] == 1.0, "a late report with the content raises π"
    assert probability["e00008"] < 1.0, "a late signal without the content does not"
    assert probability["e00147"] == 0.6, "a cap acts through its schedule row"
    assert 0.05 < probability["e00119"] < 1.0


def test_times_are_read_as_written() -> None:
    assert datetime.fromisoformat(event(0, WEEK)["occurred_at"]) == WEEK
