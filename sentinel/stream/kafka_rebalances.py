"""What the consumer group decides, noted on the client's I/O thread for whoever polls."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition


class Rebalances(ConsumerRebalanceListener):  # type: ignore[misc]
    """Notes what the group decided, in order; called on the client's I/O thread."""

    def __init__(self, consumer: KafkaConsumer) -> None:
        self.events: deque[tuple[bool, list[TopicPartition]]] = deque()
        self._consumer = consumer

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Keep the new partitions from being fetched until `poll` has sought."""
        partitions = sorted(assigned)
        self._consumer.pause(*partitions)
        self.events.append((True, partitions))

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Note the loss, whether orderly or not."""
        self.events.append((False, sorted(revoked)))
