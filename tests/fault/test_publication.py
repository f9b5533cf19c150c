"""`redaction.scope: all` with a topic: a redacted copy of every answer, in order, once, whatever dies."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from sentinel.config import load_settings
from sentinel.errors import ConfigurationError, RejoinError, RetryError, StopError
from sentinel.records import Partition
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_publisher import OFFSET, PARTITION, TOPIC, KafkaPublisher
from sentinel.stream.publication import PublicationParams, RedactedCopy
from tests.fault.processes import Run, is_frozen, kafka_settings, run_to_end, wait_until
from tests.fault.streams import PERSONAL, mixed
from tests.fault.topics import by_identity, counted, new_topic, send
from tests.services.topics import produce

pytestmark = pytest.mark.kafka
COUNT = 120
PARTITIONS = 2
#: Where a worker dies in turn: before, between and after the steps that publish and commit.
STEPS = ("redacted", "published", "before_commit", "after_commit", "source_committed", "published")

Record = tuple[int, int, str, dict[str, Any]]


def published(bootstrap: str, topic: str, partitions: int = PARTITIONS) -> list[Record]:
    """Return (partition, source offset, key, event) of what a reader of committed records sees, in order."""
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap, isolation_level="read_committed", enable_auto_commit=False
    )
    found: list[Record] = []
    try:
        for place in [TopicPartition(topic, number) for number in range(partitions)]:
            consumer.assign([place])
            consumer.seek(place, 0)
            end = consumer.end_offsets([place])[place]
            while consumer.position(place) < end:
                for record in consumer.poll(timeout_ms=1000).get(place, []):
                    headers = dict(record.headers)
                    assert int(headers[PARTITION]) == place.partition
                    assert headers[TOPIC]
                    event = json.loads(record.value)
                    assert event["event_id"] == record.key.decode()
                    found.append((place.partition, int(headers[OFFSET]), record.key.decode(), event))
    finally:
        consumer.close()
    return found


def settings_of(bootstrap: str, topic: str, group: str, output: str, **more: Any) -> dict[str, Any]:
    reading = kafka_settings(bootstrap, topic, group, **({"group_instance_id": "worker-0"} | more))
    return reading | {
        "redaction": {"scope": "all"},
        "publication": {"topic": output},
        "pipeline": {"batch_records": 12, "poll_seconds": 0.1},
    }


@pytest.fixture(scope="module")
def topic(kafka_bootstrap: str) -> str:
    name = new_topic(kafka_bootstrap, "copied", PARTITIONS)
    send(kafka_bootstrap, name, by_identity(mixed(COUNT), PARTITIONS))
    return name


@pytest.fixture(scope="module")
def undisturbed(kafka_bootstrap: str, topic: str, tmp_path_factory: Any) -> list[Record]:
    folder = tmp_path_factory.mktemp("copied")
    output = new_topic(kafka_bootstrap, "calm-copies", PARTITIONS)
    settings = settings_of(kafka_bootstrap, topic, "calm-copies", output)
    totals = run_to_end(folder, "kafka", f"sqlite:///{folder / 's.db'}", settings=settings)
    assert totals["events"] == COUNT
    return published(kafka_bootstrap, output)


def test_every_answer_has_one_copy_in_order_and_without_personal_data(undisturbed: list[Record]) -> None:
    assert len({key for _, _, key, _ in undisturbed}) == len(undisturbed) == COUNT
    for number in range(PARTITIONS):
        offsets = [offset for partition, offset, _, _ in undisturbed if partition == number]
        assert offsets == sorted(set(offsets))
        assert offsets
    written = json.dumps([event for *_, event in undisturbed])
    assert not [value for value in PERSONAL if value in written]
    assert written.count("<EMAIL_1>") == written.count("<CREDIT_CARD_1>") > COUNT // 10
    assert "user_id" not in written


def test_killed_at_every_step_the_copies_are_those_of_an_undisturbed_run(
    kafka_bootstrap: str, topic: str, undisturbed: list[Record], tmp_path: Path
) -> None:
    output = new_topic(kafka_bootstrap, "killed-copies", PARTITIONS)
    settings = settings_of(kafka_bootstrap, topic, "killed-copies", output)
    store = f"sqlite:///{tmp_path / 's.db'}"
    for position, step in enumerate(STEPS):
        with Run(tmp_path, "kafka", store, point=f"{step}:{1 + position % 2}", settings=settings) as run:
            assert run.ends() == -signal.SIGKILL, (step, run.log)
    run_to_end(tmp_path, "kafka", store, settings=settings)
    assert counted(store) == COUNT
    assert published(kafka_bootstrap, output) == undisturbed


@pytest.mark.postgres
def test_a_zombie_adds_nothing(
    kafka_bootstrap: str, topic: str, undisturbed: list[Record], postgres_url: str, tmp_path: Path
) -> None:
    """Frozen before it publishes a batch that its heir has published meanwhile."""
    output = new_topic(kafka_bootstrap, "zombie-copies", PARTITIONS)
    settings = settings_of(kafka_bootstrap, topic, topic, output, group_instance_id=None)
    with Run(
        tmp_path, "kafka", postgres_url, until_end=False, point="redacted:3:freeze", settings=settings
    ) as zombie:
        wait_until(lambda: is_frozen(zombie), run=zombie)
        with Run(tmp_path, "kafka", postgres_url, until_end=False, settings=settings) as heir:
            wait_until(lambda: counted(postgres_url) == COUNT, 60, heir)
            os.kill(zombie.pid, signal.SIGCONT)
            wait_until(lambda: "rejoin" in zombie.log, run=zombie)
            for run in (zombie, heir):
                run.send(signal.SIGTERM)
                assert run.ends(15) == 0, run.log
    assert published(kafka_bootstrap, output) == undisturbed


def copies(topic: str, *offsets: int) -> list[RedactedCopy]:
    return [
        RedactedCopy(Partition(topic, 0), offset, f"e-{offset}", b'{"event_id":"e-%d"}' % offset)
        for offset in offsets
    ]


def publisher(bootstrap: str, output: str) -> KafkaPublisher:
    kafka = KafkaParams(bootstrap_servers=(bootstrap,), topic="answers", connect_timeout_seconds=5.0)
    return KafkaPublisher(kafka, PublicationParams(output), 1_000_000)


def offsets_in(bootstrap: str, output: str) -> list[int]:
    return [offset for _, offset, _, _ in published(bootstrap, output, 1)]


def test_what_a_dead_worker_has_begun_is_given_up_and_what_it_has_finished_is_found(
    kafka_bootstrap: str,
) -> None:
    output = new_topic(kafka_bootstrap, "begun", 1)
    first = publisher(kafka_bootstrap, output)
    first.publish(copies("answers", 0, 1, 5))
    dead = KafkaProducer(
        bootstrap_servers=kafka_bootstrap, transactional_id=f"sentinel-{output}-answers-0", acks="all"
    )
    dead.init_transactions()
    dead.begin_transaction()
    dead.send(output, b'{"event_id":"half"}', partition=0)
    dead.flush()
    heir = publisher(kafka_bootstrap, output)
    heir.publish(copies("answers", 1, 5, 6, 9))
    heir.publish(copies("answers", 9, 10))
    assert offsets_in(kafka_bootstrap, output) == [0, 1, 5, 6, 9, 10]
    with pytest.raises(RejoinError):
        first.publish(copies("answers", 11))
    first.publish(copies("answers", 10, 11))  # it has asked anew, and may go on
    assert offsets_in(kafka_bootstrap, output) == [0, 1, 5, 6, 9, 10, 11]
    for one in (first, heir, dead):
        one.close()


def test_the_last_copy_is_found_behind_many_transactions_that_were_given_up(kafka_bootstrap: str) -> None:
    output = new_topic(kafka_bootstrap, "aborted", 1)
    one = publisher(kafka_bootstrap, output)
    one.publish(copies("answers", 3))
    one.close()
    failed = KafkaProducer(bootstrap_servers=kafka_bootstrap, transactional_id="another", acks="all")
    failed.init_transactions()
    for _ in range(30):
        failed.begin_transaction()
        failed.send(output, b"{}", partition=0)
        failed.flush()
        failed.abort_transaction()
    failed.close()
    heir = publisher(kafka_bootstrap, output)
    heir.publish(copies("answers", 3, 4))
    heir.close()
    assert offsets_in(kafka_bootstrap, output) == [3, 4]


def test_a_topic_that_cannot_hold_the_copies_is_named(kafka_bootstrap: str) -> None:
    strange = new_topic(kafka_bootstrap, "strange", 1)
    produce(kafka_bootstrap, strange, [b'{"event_id":"x"}'])
    other = publisher(kafka_bootstrap, strange)
    with pytest.raises(StopError, match="no redacted copies"):
        other.publish(copies("answers", 1))
    mine = new_topic(kafka_bootstrap, "mine", 1)
    owner = publisher(kafka_bootstrap, mine)
    owner.publish(copies("answers", 1))
    with pytest.raises(StopError, match="copies of answers/0"):
        publisher(kafka_bootstrap, mine).publish(copies("questions", 1))
    narrow = [RedactedCopy(Partition("answers", 4), 1, "e", b"{}")]
    with pytest.raises(StopError, match="none numbered 4"):
        owner.publish(narrow)
    with pytest.raises(RetryError, match="no-such-topic"):
        publisher(kafka_bootstrap, "no-such-topic").publish(copies("answers", 1))
    owner.close()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"SENTINEL_PUBLICATION__TOPIC": "out"}, "redaction.scope: all"),
        (
            {"SENTINEL_PUBLICATION__TOPIC": "answers", "SENTINEL_REDACTION__SCOPE": "all"},
            "the topic that is consumed",
        ),
        ({"SENTINEL_PUBLICATION__TOPIC": " ", "SENTINEL_REDACTION__SCOPE": "all"}, "give a name"),
        ({"SENTINEL_PUBLICATION__TRANSACTION_SECONDS": "0"}, "from 1 to 900"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        load_settings(None, settings)


def test_a_file_has_no_partitions_to_publish(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"event_id": "e", "answer": "a"}\n')
    settings = {"redaction": {"scope": "all"}, "publication": {"topic": "out"}}
    with Run(tmp_path, f"file:{lines}", f"sqlite:///{tmp_path / 's.db'}", settings=settings) as run:
        assert run.ends() == 2, run.log
        assert "publication.topic" in run.log
