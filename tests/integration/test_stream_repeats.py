"""Replays and repeats: queue, weights and frame are the same before and after."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sentinel.clock import FixedClock
from sentinel.pipeline.deduplication import DeduplicationParams
from sentinel.store.database import Database
from sentinel.stream.file_source import FileSource
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from tests.fault.contents import contents, event_counts
from tests.harness import (
    WEEK,
    consume,
    consume_topic,
    encoded,
    event,
    fill,
    fresh_database,
    settings_for,
    units_of,
)

NOW = WEEK + timedelta(days=7)
SETTINGS = settings_for()
Events = list[dict[str, Any]]


def hundred() -> Events:
    return [event(number, WEEK + timedelta(minutes=20 * number)) for number in range(100)]


def queue(database: Database) -> dict[str, Any]:
    """What a replay may not change: units with their weights, the frame, the minutes, what was counted."""
    held = contents(database)
    names = (
        "units",
        "frame_cells",
        "minute_counts",
        "seen_hashes",
        "not_covered",
        "dead_letters",
        "schedule_rows",
    )
    return {name: held[name] for name in names}


def other_notation(one: dict[str, Any]) -> bytes:
    return json.dumps(dict(reversed(one.items())), indent=3, ensure_ascii=True).encode() + b"  \n"


def as_topic(values: list[bytes], name: str = "replay", partitions: int = 1) -> MemoryTopic:
    topic = MemoryTopic(name, partitions)
    for position, value in enumerate(values):
        topic.append(value, NOW, number=position % partitions)
    return topic


def shuffled(events: Events) -> Events:
    return random.Random(5).sample(events, len(events))


REPLAYS: dict[str, Callable[[Events], MemoryTopic]] = {
    "under another topic's name": lambda events: as_topic([encoded(one) for one in events]),
    "shuffled": lambda events: as_topic([encoded(one) for one in shuffled(events)]),
    "doubled": lambda events: as_topic([encoded(one) for one in events for _ in range(2)]),
    "to other partitions": lambda events: as_topic([encoded(one) for one in events], "elsewhere", 7),
    "backwards": lambda events: as_topic([encoded(one) for one in reversed(events)]),
    "in another notation": lambda events: as_topic([other_notation(one) for one in events]),
    "with changed content": lambda events: as_topic(
        [
            encoded(one | {"answer": "Another answer.", "model": "m9", "prompt_version": "v9"})
            for one in events
        ]
    ),
    "with another time": lambda events: as_topic(
        [encoded(one | {"occurred_at": (WEEK + timedelta(days=6)).isoformat()}) for one in events]
    ),
    "without a time": lambda events: as_topic(
        [encoded({key: value for key, value in one.items() if key != "occurred_at"}) for one in events]
    ),
    "with thumbs, which change nothing": lambda events: as_topic(
        [encoded(one | {"signals": {"thumbs": "down", "user_correction": False}}) for one in events]
    ),
    "half of it three times": lambda events: as_topic([encoded(one) for one in (events * 3)[::2]]),
}


@pytest.mark.parametrize("kind", REPLAYS)
@pytest.mark.parametrize("batch_units", [3, 64])
def test_a_replay_changes_nothing(kind: str, batch_units: int, tmp_path: Path) -> None:
    settings = settings_for(batch_units=batch_units)
    first = MemoryTopic()
    fill(first, hundred())
    with fresh_database(tmp_path) as database:
        assert consume_topic(first, database, settings)["events"] == 100
        before = queue(database)
        assert 10 < len(before["units"]) < 60
        topic = REPLAYS[kind](hundred())
        sent = sum(topic.end(partition) for partition in topic.partitions)
        totals = consume_topic(topic, database, settings)
        assert totals == {"events": 0, "sampled": 0, "dead_letters": 0, "duplicates": sent, "tombstones": 0}
        assert queue(database) == before


def test_a_replay_from_offset_0_of_the_same_topic_after_a_restart(tmp_path: Path) -> None:
    """An operator deletes the checkpoints: everything comes again from the first offset."""
    topic = MemoryTopic(partitions=3)
    fill(topic, hundred())
    with fresh_database(tmp_path) as database:
        consume_topic(topic, database, SETTINGS)
        before = queue(database)
        with database.begin() as connection:
            connection.exec_driver_sql("DELETE FROM checkpoints")
        assert consume_topic(topic, database, SETTINGS)["duplicates"] == 100
        assert queue(database) == before


def test_a_replay_among_new_answers_counts_the_new_ones_only(tmp_path: Path) -> None:
    new = [event(number, WEEK + timedelta(minutes=number)) for number in range(500, 600)]
    mixed = [one for pair in zip(hundred(), new, strict=True) for one in pair]
    (tmp_path / "plain").mkdir()
    with fresh_database(tmp_path) as database, fresh_database(tmp_path / "plain") as plain:
        fill(first := MemoryTopic("a"), hundred())
        consume_topic(first, database, SETTINGS)
        fill(again := MemoryTopic("b"), mixed)
        totals = consume_topic(again, database, SETTINGS)
        assert (totals["events"], totals["duplicates"]) == (100, 100)
        fill(everything := MemoryTopic("a"), hundred() + new)
        consume_topic(everything, plain, SETTINGS)
        assert {key: one.unit.decision for key, one in units_of(database).items()} == {
            key: one.unit.decision for key, one in units_of(plain).items()
        }
        assert event_counts(database)["events"] == event_counts(plain)["events"] == 200


def test_a_replay_on_the_next_day_within_the_window(tmp_path: Path) -> None:
    fill(first := MemoryTopic("a"), hundred())
    fill(again := MemoryTopic("b"), hundred())
    arrival = (WEEK + timedelta(days=3)).replace(hour=23, minute=58)
    with fresh_database(tmp_path) as database:
        consume_topic(first, database, SETTINGS, now=arrival)
        before = queue(database)
        totals = consume_topic(again, database, SETTINGS, now=arrival + timedelta(minutes=5))
        assert totals["duplicates"] == 100
        assert queue(database) == before


def test_a_replay_with_late_signals_raises_what_they_speak_of_and_nothing_else(tmp_path: Path) -> None:
    fill(first := MemoryTopic("a"), hundred())
    chosen = {f"e{number:05d}" for number in range(0, 100, 9)}
    signalled = [
        one | {"signals": {"user_correction": True}} if one["event_id"] in chosen else one
        for one in hundred()
    ]
    fill(again := MemoryTopic("b"), signalled)
    with fresh_database(tmp_path) as database:
        consume_topic(first, database, SETTINGS)
        before, frame = units_of(database), queue(database)["frame_cells"]
        totals = consume_topic(again, database, SETTINGS)
        after = units_of(database)
        assert totals["duplicates"] == 100
        assert set(after) == set(before) | chosen
        assert totals["sampled"] == len(chosen - set(before))
        assert all(after[key].unit.decision.inclusion_probability == 1.0 for key in chosen)
        for key in set(before) - chosen:
            assert after[key] == before[key]
        assert queue(database)["frame_cells"] == frame
        assert (
            consume_topic(as_topic([encoded(o) for o in signalled], "c"), database, SETTINGS)["sampled"] == 0
        )


def test_the_same_file_appended_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    lines = b"".join(encoded(one) + b"\n" for one in hundred())
    path.write_bytes(lines)

    def read(database: Database) -> dict[str, int]:
        source = FileSource(path, 1 << 20, FixedClock(NOW), follow=False)
        try:
            return consume(source, database, SETTINGS)
        finally:
            source.close()

    with fresh_database(tmp_path) as database:
        assert read(database)["events"] == 100
        before = queue(database)
        path.write_bytes(lines + lines)
        assert read(database)["duplicates"] == 100
        assert read(database) == dict.fromkeys(
            ("events", "sampled", "dead_letters", "duplicates", "tombstones"), 0
        )
        assert queue(database) == before
        copied = tmp_path / "copy.jsonl"
        path.rename(copied)
        path = copied
        assert read(database)["duplicates"] == 200
        assert queue(database) == before


def test_beyond_the_window_the_frame_may_count_twice_but_the_sample_does_not(tmp_path: Path) -> None:
    settings = replace(SETTINGS, deduplication=DeduplicationParams(window_hours=1.0))
    fill(first := MemoryTopic("a"), hundred())
    fill(again := MemoryTopic("b"), hundred())
    with fresh_database(tmp_path) as database:
        consume_topic(first, database, settings, now=NOW)
        before = units_of(database)
        totals = consume_topic(again, database, settings, now=NOW + timedelta(hours=2))
        after = units_of(database)
        assert totals["events"] == 100, "a miss inflates the frame"
        assert totals["sampled"] == 0
        assert event_counts(database)["events"] == 200
        assert set(after) == set(before)
        for key, stored in after.items():
            assert stored.arrivals == 2, "and is met at every drawn answer"
            assert stored.unit.decision == before[key].unit.decision
            assert stored.content == before[key].content


def test_the_window_holds_across_workers_that_never_met(tmp_path: Path) -> None:
    topic = MemoryTopic(partitions=2)
    fill(topic, hundred())
    with fresh_database(tmp_path) as database:
        for number in (0, 1):
            source = MemorySource(topic)
            source.forget_first_assignment()
            source.assign([number])
            consume(source, database, SETTINGS)
        before = queue(database)
        swapped = MemoryTopic("swapped", partitions=2)
        fill(swapped, [hundred()[-1], *hundred()[:-1]])
        assert consume_topic(swapped, database, SETTINGS)["duplicates"] == 100
        assert queue(database) == before
