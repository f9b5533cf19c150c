"""Topics of the fault tests: filled, grown, and looked up in the store."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import datetime

from kafka import KafkaAdminClient, KafkaProducer

from sentinel.errors import SentinelError
from sentinel.store import checkpoints
from sentinel.store.database import Database
from tests.fault.contents import event_counts
from tests.harness import WEEK
from tests.services.topics import make_topic


def new_topic(bootstrap: str, name: str, partitions: int, settings: dict[str, str] | None = None) -> str:
    """Make an empty topic of a name of its own; old records stay, whatever the broker's retention."""
    topic = f"{name}-{time.time_ns()}"
    make_topic(bootstrap, topic, partitions, {"retention.ms": "-1", **(settings or {})})
    return topic


def send(
    bootstrap: str,
    topic: str,
    placed: Iterable[tuple[int, bytes | None]],
    *,
    at: datetime | None = WEEK,
    compression: str | None = None,
    max_bytes: int = 16 * 1024 * 1024,
) -> None:
    """Write (partition, value) pairs in order; `at` None leaves the time to the producer."""
    producer = KafkaProducer(
        bootstrap_servers=bootstrap, linger_ms=5, compression_type=compression, max_request_size=max_bytes
    )
    stamp = None if at is None else int(at.timestamp() * 1000)
    sent = [
        producer.send(topic, value, key=b"k", partition=number, timestamp_ms=stamp)
        for number, value in placed
    ]
    producer.flush(timeout=60)
    for future in sent:
        future.get(timeout=30)
    producer.close()


def by_identity(values: Sequence[bytes], partitions: int) -> list[tuple[int, bytes]]:
    """Place as a producer does that keys by event id: all arrivals of one answer, in order."""
    placed = []
    for position, value in enumerate(values):
        head = value[:24] if value.startswith(b'{"event_id": "e') else position.to_bytes(2, "big")
        placed.append((sum(head) % partitions, value))
    return placed


def add_partitions(bootstrap: str, topic: str, total: int) -> None:
    """Have the topic grow to `total` partitions."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        admin.create_partitions({topic: total})
    finally:
        admin.close()


def done(url: str, topic: str) -> dict[int, int]:
    """Return the stored next offset of each of the topic's partitions; none while there are no tables."""
    try:
        with Database(url) as database, database.read() as connection:
            stored = checkpoints.next_offsets(connection)
    except SentinelError:
        return {}
    return {partition.number: offset for partition, offset in stored.items() if partition.topic == topic}


def counted(url: str) -> int:
    """Return the answers that the frame counts; -1 while the store is away or has no tables."""
    try:
        with Database(url) as database:
            return event_counts(database)["events"]
    except SentinelError:
        return -1


def done_in_all(url: str) -> int:
    """Return the sum of all stored next offsets."""
    try:
        with Database(url) as database, database.read() as connection:
            return sum(checkpoints.next_offsets(connection).values())
    except SentinelError:
        return 0
