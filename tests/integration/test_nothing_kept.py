"""What a batch held is freed once it is committed, by itself: the collector may come minutes later."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from sentinel.errors import DeadLetterError
from sentinel.pipeline.stages import Stages
from sentinel.records import Indicators, RawAnswer
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import WEEK, consume_topic, encoded, event, fresh_database, settings_for


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collector")
def test_records_of_all_kinds_are_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compute = Stages.indicators_of

    def failing(stages: Stages, answer: RawAnswer) -> Indicators:
        if answer.event_id.endswith("7"):
            raise DeadLetterError("treatment_failed", "in a test")
        return compute(stages, answer)

    monkeypatch.setattr(Stages, "indicators_of", failing)
    topic = MemoryTopic()
    poison = (
        b"not json",
        b"\xff\xfe",
        b"[1]",
        b"{}",
        b"[" * 500,
        None,
        encoded({"event_id": "x", "signals": {"thumbs": "down"}}),
        encoded(event(3, WEEK + timedelta(days=900))),
    )
    records = []
    for number in range(600):
        at = WEEK + timedelta(minutes=number)
        records.append(topic.append(encoded(event(number % 550, at)), at))
        if number % 5 == 0:
            records.append(topic.append(poison[number // 5 % len(poison)], at))
    before = [sys.getrefcount(record) for record in records]
    with fresh_database(tmp_path) as database:
        summary = consume_topic(topic, database, settings_for(rate=0.2, batch_records=50))
    assert summary["events"] == 495
    assert [sys.getrefcount(record) for record in records] == before
