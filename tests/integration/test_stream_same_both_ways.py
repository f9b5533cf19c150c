"""The same answers through a file and through a topic: the same units, drawn with the same π."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaProducer

from sentinel.clock import SystemClock
from sentinel.store.database import Database
from sentinel.stream.file_source import FileSource
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_source import KafkaSource
from sentinel.stream.source import Source
from tests.fault.streams import mixed
from tests.harness import consume, encoded, fresh_database, settings_for, units_of
from tests.services.topics import make_topic

ROOT = Path(__file__).parents[2]
SETTINGS = settings_for(rate=0.1)
LARGEST = 2 * 1024 * 1024
FILES = (
    "delucionqa",
    "delucionqa_abstentions",
    "expertqa",
    "halueval_general",
    "mtrag_human",
    "ragtruth_qa",
)
pytestmark = pytest.mark.kafka


def shared_answers() -> Path:
    """The folder of labelled answers beside the repository, where there is one."""
    given = os.environ.get("SENTINEL_SHARED")
    candidates = [Path(given)] if given else [parent / "shared" for parent in ROOT.parents]
    for folder in candidates:
        if (folder / "data" / "answers").is_dir():
            return folder / "data" / "answers"
    pytest.skip("no shared data: set SENTINEL_SHARED or put it beside the repository as ../shared")


def own_answers() -> list[bytes]:
    """Made here: with event times and without, other scripts, empty, long, signals, repeats, poison."""
    made = mixed(60)
    texts = ("", "Ja.", "我不知道。", "🙂 fine [1]" * 40, "x" * 20_000, "IDK", "Costs 12,50 € [fees].")
    for number in range(70):
        document: dict[str, Any] = {"event_id": f"own-{number}", "answer": texts[number % len(texts)]}
        if number % 3 == 0:
            document["retrieved"] = [{"id": "fees", "text": "It costs 12.50 €."}] if number % 2 else []
        if number % 5 == 0:
            document["signals"] = {"unsupported_citation_report": True}
        made.append(encoded(document))
    return made


def through_file(path: Path, folder: Path) -> dict[str, Any]:
    return result(FileSource(path, LARGEST, SystemClock(), follow=False), folder / "file")


def through_topic(values: list[bytes], bootstrap: str, folder: Path, partitions: int) -> dict[str, Any]:
    topic = f"both-{time.time_ns()}"
    make_topic(bootstrap, topic, partitions)
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=5, max_request_size=LARGEST)
    for value in values:
        # All arrivals of an answer share a partition, as with a producer that keys by it.
        producer.send(topic, value, partition=sum(value[14:22]) % partitions)
    producer.flush(timeout=60)
    producer.close()
    params = KafkaParams(bootstrap_servers=(bootstrap,), topic=topic, group_id=topic)
    return result(KafkaSource(params, LARGEST), folder / "topic")


def result(source: Source, folder: Path) -> dict[str, Any]:
    """Totals, and of every unit all that must not depend on the way it came."""
    folder.mkdir()
    with fresh_database(folder) as database:
        try:
            totals = consume(source, database, SETTINGS, now=SystemClock().now())
        finally:
            source.close()
        return {"totals": totals, "units": comparable(database)}


def comparable(database: Database) -> dict[str, Any]:
    return {
        key: (one.unit.decision, one.unit.indicators, one.unit.facts.domains, one.content, one.status)
        for key, one in units_of(database).items()
    }


@pytest.mark.parametrize("name", FILES)
def test_labelled_answers_are_drawn_the_same_both_ways(
    name: str, kafka_bootstrap: str, tmp_path: Path
) -> None:
    path = shared_answers() / f"{name}.jsonl"
    values = path.read_bytes().splitlines()
    from_file = through_file(path, tmp_path)
    from_topic = through_topic(values, kafka_bootstrap, tmp_path, partitions=4)
    assert from_file["totals"]["events"] == len(values)
    assert from_file["totals"]["sampled"] > 0.02 * len(values)
    assert from_topic == from_file


@pytest.mark.parametrize("partitions", [1, 5])
def test_own_answers_are_drawn_the_same_both_ways(
    partitions: int, kafka_bootstrap: str, tmp_path: Path
) -> None:
    values = own_answers()
    path = tmp_path / "own.jsonl"
    path.write_bytes(b"".join(value + b"\n" for value in values))
    from_file = through_file(path, tmp_path)
    from_topic = through_topic(values, kafka_bootstrap, tmp_path, partitions)
    assert from_file["totals"]["events"] == 130
    assert from_file["totals"]["dead_letters"] == 6
    assert from_file["totals"]["duplicates"] > 15
    assert from_file["totals"]["sampled"] > 25
    assert from_topic == from_file
