"""Making topics and writing records, with the client the product itself uses."""

from __future__ import annotations

from collections.abc import Sequence

from kafka import KafkaAdminClient, KafkaProducer
from kafka.admin import NewTopic


def make_topic(
    bootstrap: str, name: str, partitions: int = 1, settings: dict[str, str] | None = None
) -> None:
    """Make an empty topic."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        configs = settings or {}
        admin.create_topics(
            [NewTopic(name=name, num_partitions=partitions, replication_factor=1, topic_configs=configs)]
        )
    finally:
        admin.close()


def produce(
    bootstrap: str,
    topic: str,
    values: Sequence[bytes | None],
    partition: int = 0,
    compression: str | None = None,
) -> None:
    """Write records in order and wait until the broker has them; a null value needs a key."""
    producer = KafkaProducer(
        bootstrap_servers=bootstrap,
        compression_type=compression,
        max_request_size=16 * 1024 * 1024,
        linger_ms=5,
    )
    try:
        sent = [producer.send(topic, value, key=b"case-7", partition=partition) for value in values]
        producer.flush(timeout=30)
        for future in sent:
            future.get(timeout=30)
    finally:
        producer.close()
