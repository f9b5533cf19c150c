"""Redacted copies in a Kafka topic: partition by partition, in order, each once.

Copies of one partition are written in one transaction before the batch is committed to the store. A worker
that dies in between reads the same records again; it then finds at the end of the output partition up to
which source offset copies are there, and publishes what follows. The transactional id belongs to the source
partition: who writes to it next shuts out whoever wrote to it before, so that a worker which comes back from
the dead adds nothing. Readers set `isolation_level=read_committed`.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import (
    InvalidProducerEpochError,
    InvalidTxnStateError,
    KafkaTimeoutError,
    MessageSizeTooLargeError,
    ProducerFencedError,
)

from sentinel.errors import RejoinError, RetryError, SentinelError, StopError
from sentinel.records import Partition
from sentinel.stream.kafka_client import milliseconds, translated
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.publication import PublicationParams, RedactedCopy

_log = logging.getLogger(__name__)
#: Headers of each copy: where the record stood from which it was made.
TOPIC, PARTITION, OFFSET = "source-topic", "source-partition", "source-offset"
_FENCED = (ProducerFencedError, InvalidProducerEpochError, InvalidTxnStateError)
_CLOSE_SECONDS = 2.0
#: How many places before its end a partition is first looked at; markers of transactions take places too.
_FIRST_LOOK = 16


class _Output:
    """One output partition: its producer, and the last source offset whose copy is there."""

    def __init__(self, producer: KafkaProducer, last: int) -> None:
        self.producer = producer
        self.last = last


class KafkaPublisher:
    """Publishes to `publication.topic` of the brokers of `kafka`; connects at the first copy of a partition.

    `most_bytes`: the longest copy that may occur.
    """

    def __init__(self, kafka: KafkaParams, publication: PublicationParams, most_bytes: int) -> None:
        self._kafka = kafka
        self._topic = publication.topic or ""
        self._transaction_ms = milliseconds(publication.transaction_seconds)
        self._most_bytes = most_bytes
        self._outputs: dict[Partition, _Output] = {}

    def publish(self, copies: Sequence[RedactedCopy]) -> None:
        """Publish what is not yet there, one transaction a partition; see `Publisher`."""
        parts: dict[Partition, list[RedactedCopy]] = defaultdict(list)
        for copy in copies:
            parts[copy.partition].append(copy)
        for partition, part in sorted(parts.items()):
            try:
                with translated(f"publishing to {self._topic}"):
                    self._publish(partition, part)
            except BaseException as error:
                # What was begun is settled by the next look at the partition, whoever takes it.
                self.forget([partition])
                if isinstance(error, SentinelError) or not isinstance(error, Exception):
                    raise
                message = f"the Kafka client failed ({type(error).__name__}); connecting again"
                raise RetryError(message) from error

    def _publish(self, partition: Partition, copies: Sequence[RedactedCopy]) -> None:
        try:
            output = self._outputs.get(partition) or self._opened(partition)
            new = [copy for copy in copies if copy.offset > output.last]
            if not new:
                return
            self._write(output.producer, partition, new)
            output.last = new[-1].offset
        except _FENCED as error:
            message = f"{partition}: another worker publishes its answers ({type(error).__name__})"
            raise RejoinError(message) from error
        except MessageSizeTooLargeError as error:
            message = f"a copy is too long for {self._topic}; raise its max.message.bytes"
            raise StopError(message) from error

    def _write(self, producer: KafkaProducer, partition: Partition, copies: Sequence[RedactedCopy]) -> None:
        producer.begin_transaction()
        sent = [
            producer.send(
                self._topic,
                copy.value,
                key=copy.key.encode("utf-8", "replace"),
                partition=partition.number,
                headers=[
                    (TOPIC, partition.topic.encode()),
                    (PARTITION, str(partition.number).encode()),
                    (OFFSET, str(copy.offset).encode()),
                ],
            )
            for copy in copies
        ]
        producer.flush()
        for future in sent:
            future.get(timeout=self._kafka.request_timeout_seconds)
        producer.commit_transaction()

    def _opened(self, partition: Partition) -> _Output:
        """Shut out whoever wrote to the partition before, then look how far it is written."""
        producer = KafkaProducer(
            bootstrap_servers=list(self._kafka.bootstrap_servers),
            client_id=self._kafka.client_id,
            transactional_id=f"sentinel-{self._topic}-{partition.topic}-{partition.number}",
            transaction_timeout_ms=self._transaction_ms,
            acks="all",
            max_block_ms=milliseconds(self._kafka.connect_timeout_seconds),
            linger_ms=5,
            max_request_size=self._most_bytes,
            request_timeout_ms=milliseconds(self._kafka.request_timeout_seconds),
            reconnect_backoff_max_ms=3000,
            metrics_enabled=False,
            **self._kafka.security,
        )
        try:
            self._check_topic(producer, partition)
            producer.init_transactions()
            output = _Output(producer, self._last_written(partition))
        except BaseException:
            producer.close(timeout=_CLOSE_SECONDS)
            raise
        self._outputs[partition] = output
        return output

    def _check_topic(self, producer: KafkaProducer, partition: Partition) -> None:
        try:
            found = producer.partitions_for(self._topic)
        except KafkaTimeoutError as error:
            message = f"topic {self._topic} is not there; make it or correct publication.topic"
            raise RetryError(message) from error
        if partition.number not in found:
            message = (
                f"topic {self._topic} has {len(found)} partitions and none numbered {partition.number}: "
                f"give it as many as {partition.topic}"
            )
            raise StopError(message)

    def _last_written(self, partition: Partition) -> int:
        """Return the source offset of the last copy in the output partition, -1 if there is none."""
        place = TopicPartition(self._topic, partition.number)
        consumer = KafkaConsumer(
            bootstrap_servers=list(self._kafka.bootstrap_servers),
            client_id=self._kafka.client_id,
            group_id=None,
            enable_auto_commit=False,
            isolation_level="read_committed",
            max_partition_fetch_bytes=max(self._most_bytes, self._kafka.partition_fetch_max_bytes),
            metrics_enabled=False,
            **self._kafka.security,
        )
        try:
            consumer.assign([place])
            begin, end = consumer.beginning_offsets([place])[place], consumer.end_offsets([place])[place]
            back = _FIRST_LOOK
            while begin < end:
                start = max(begin, end - back)
                found = self._read(consumer, place, start, end)
                if found:
                    return self._offset_of(found[-1], partition)
                if start == begin:
                    break
                back *= 8
            return -1
        finally:
            consumer.close(autocommit=False)

    def _read(self, consumer: KafkaConsumer, place: TopicPartition, start: int, end: int) -> list[Any]:
        consumer.seek(place, start)
        found: list[Any] = []
        silent = 0.0
        while consumer.position(place) < end:
            records = consumer.poll(timeout_ms=500).get(place, [])
            found = records or found
            silent = 0.0 if records else silent + 0.5
            if silent > self._kafka.request_timeout_seconds:
                message = f"reading the end of {self._topic}: no answer"
                raise RetryError(message)
        return found

    def _offset_of(self, record: Any, partition: Partition) -> int:
        headers = dict(record.headers)
        try:
            source = (headers[TOPIC].decode(), int(headers[PARTITION]))
            offset = int(headers[OFFSET])
        except (KeyError, ValueError):
            message = f"topic {self._topic} holds records that are no redacted copies; publish to another one"
            raise StopError(message) from None
        if source != (partition.topic, partition.number):
            message = (
                f"topic {self._topic} holds copies of {source[0]}/{source[1]} where those of {partition} "
                "belong; publish to another one"
            )
            raise StopError(message)
        return offset

    def forget(self, partitions: Sequence[Partition]) -> None:
        """Close the producers of partitions that are gone."""
        for partition in partitions:
            output = self._outputs.pop(partition, None)
            if output is not None:
                try:
                    output.producer.close(timeout=_CLOSE_SECONDS)
                except Exception as error:
                    # A client may be in any state by now, and nothing depends on how it ends.
                    _log.info("a producer of %s did not close (%s)", self._topic, type(error).__name__)

    def close(self) -> None:
        """Close all producers."""
        self.forget(list(self._outputs))
