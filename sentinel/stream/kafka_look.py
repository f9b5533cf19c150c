"""Whether a topic can be read, without joining a group: looking must not move partitions."""

from __future__ import annotations

from dataclasses import replace

from kafka import TopicPartition

from sentinel.errors import StopError
from sentinel.stream.kafka_client import milliseconds, new_consumer, translated
from sentinel.stream.kafka_params import KafkaParams


def look(params: KafkaParams, seconds: float) -> int:
    """Return the number of partitions of the topic, after a read of up to `seconds`.

    Partitions are taken by hand and no offset is committed, so no consumer group is made or disturbed.
    Raises `RetryError` or `StopError` where the topic cannot be read.
    """
    consumer = new_consumer(replace(params, group_instance_id=None))
    try:
        with translated(f"reading topic {params.topic}"):
            numbers = consumer.partitions_for_topic(params.topic)
            if not numbers:
                raise StopError(f"topic {params.topic} does not exist, or this user may not see it")
            partitions = [TopicPartition(params.topic, number) for number in sorted(numbers)]
            consumer.assign(partitions)
            consumer.seek_to_beginning(*partitions)
            consumer.poll(timeout_ms=milliseconds(seconds), max_records=1)
            return len(partitions)
    finally:
        consumer.close()
