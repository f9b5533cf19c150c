"""A Kafka topic as a source: the group says who owns a partition, the store where it goes on.

The client calls its rebalance listener on its own I/O thread, where nothing may wait. So the listener
only pauses what is new and notes the event; `poll` tells ours on the caller's thread, seeks, and lets
the partitions go on. No record is fetched from a partition before that.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from kafka import KafkaConsumer, OffsetAndMetadata, TopicPartition
from kafka.errors import KafkaError, NoOffsetForPartitionError, OffsetOutOfRangeError

from sentinel.errors import ConfigurationError, RetryError, SentinelError, StopError
from sentinel.records import Partition, RawRecord
from sentinel.stream.kafka_client import milliseconds, new_consumer, same_topic_id, translated
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_rebalances import Rebalances
from sentinel.stream.source import PartitionListener

_log = logging.getLogger(__name__)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A rebalance that brings no record is told to the listener after this long at most.
_SLICE_SECONDS = 0.2
_CLOSE_SECONDS = 5.0


class KafkaSource:
    """Consumes one topic in a consumer group; connects at the first `poll`.

    `max_bytes`: the content of a longer record is dropped and its size kept.
    """

    def __init__(self, params: KafkaParams, max_bytes: int) -> None:
        self._params = params
        self._max_bytes = max_bytes
        self._timeout_ms = milliseconds(params.connect_timeout_seconds)
        self._listener: PartitionListener | None = None
        self._consumer: KafkaConsumer | None = None
        self._rebalances: Rebalances | None = None
        self._assigned: set[TopicPartition] = set()
        self._paused: set[TopicPartition] = set()
        self._ends: dict[TopicPartition, int] = {}
        # Fetched and not handed out yet.
        self._held: dict[TopicPartition, list[Any]] = {}
        self._joined = False
        self._overtaken = False
        self._heard_at = 0.0
        self._committed: dict[TopicPartition, OffsetAndMetadata] = {}
        self._topic_id: bytes | None = None

    def subscribe(self, listener: PartitionListener) -> None:
        """Name the listener."""
        self._listener = listener

    def poll(self, max_records: int, timeout_seconds: float) -> Sequence[RawRecord]:
        """Return up to `max_records`; raise `RetryError` while the broker is away."""
        deadline = time.monotonic() + timeout_seconds
        consumer = self._consumer or self._connect()
        while True:
            remaining = max(0.0, deadline - time.monotonic())
            records = self._poll_once(consumer, max_records, min(remaining, _SLICE_SECONDS))
            if records:
                self._heard_at = time.monotonic()
                return records
            self._ask_if_silent(consumer)
            if time.monotonic() >= deadline:
                return []

    def _connect(self) -> KafkaConsumer:
        if self._listener is None:
            raise ConfigurationError("a source needs a listener before its first poll")
        if self._assigned:
            self._revoke(self._listener, sorted(self._assigned))
        self._held.clear()
        consumer = new_consumer(self._params)
        rebalances = Rebalances(consumer)
        consumer.subscribe([self._params.topic], listener=rebalances)
        self._wait_for_topic(consumer)
        self._consumer, self._rebalances = consumer, rebalances
        self._joined = False
        self._heard_at = time.monotonic()
        return consumer

    def _wait_for_topic(self, consumer: KafkaConsumer) -> None:
        """See that the client knows the topic's partitions before it joins the group.

        A group that gathers earlier assigns nothing until the next refresh of the metadata; the topic
        is looked up after subscribing, else the join is followed by a second one.
        """
        topic = self._params.topic
        try:
            with translated("looking for the topic"):
                found = bool(consumer.partitions_for_topic(topic))
        except SentinelError:
            consumer.close(autocommit=False, timeout_ms=0)
            raise
        if not found:
            consumer.close(autocommit=False, timeout_ms=0)
            message = f"topic {topic} is not there; make it or correct kafka.topic"
            raise RetryError(message)

    def _poll_once(self, consumer: KafkaConsumer, max_records: int, seconds: float) -> list[RawRecord]:
        self._tell_listener(consumer)
        for partition, batch in self._fetch(consumer, max_records, seconds).items():
            self._held.setdefault(partition, []).extend(batch)
        # Both may fail while the broker is away: what was fetched, and is behind the client's position
        # now, is then handed out by a later poll.
        self._tell_listener(consumer)
        if self._overtaken:
            self._restart_overtaken(consumer)
        ready = [partition for partition in self._held if partition in self._assigned - self._paused]
        return [
            record
            for partition in ready
            for record in self._records(_partition(partition), self._held.pop(partition))
        ]

    def _fetch(
        self, consumer: KafkaConsumer, max_records: int, seconds: float
    ) -> Mapping[TopicPartition, Sequence[Any]]:
        try:
            with translated("reading from Kafka"):
                return self._fetch_in_range(consumer, max_records, seconds)
        except SentinelError:
            raise
        except Exception as error:
            # The client broke in a way of its own: begin anew with another one.
            self._abandon()
            message = f"the Kafka client failed ({type(error).__name__}); connecting again"
            raise RetryError(message) from error

    def _fetch_in_range(
        self, consumer: KafkaConsumer, max_records: int, seconds: float
    ) -> Mapping[TopicPartition, Sequence[Any]]:
        try:
            return consumer.poll(timeout_ms=milliseconds(seconds), max_records=max_records)  # type: ignore[no-any-return]
        except NoOffsetForPartitionError:
            return {}  # assigned and not yet sought: the listener is asked next
        except OffsetOutOfRangeError:
            self._overtaken = True
            return {}

    def _restart_overtaken(self, consumer: KafkaConsumer) -> None:
        """Go on after records that the broker deleted before they were read."""
        positions = self._positions(consumer)
        with translated("asking Kafka for offsets"):
            first = consumer.beginning_offsets(sorted(positions), timeout_ms=self._timeout_ms)
            end = consumer.end_offsets(sorted(positions), timeout_ms=self._timeout_ms)
        for partition, position in positions.items():
            self._seek_within(consumer, partition, position, first[partition], end[partition])
        self._overtaken = False

    def _tell_listener(self, consumer: KafkaConsumer) -> None:
        """Pass on what the group decided; what was fetched of a partition that moves comes again."""
        if self._rebalances is None or self._listener is None:
            return
        events = self._rebalances.events
        while events:
            is_assignment, partitions = events[0]
            self._forget_held(partitions)
            if is_assignment:
                self._assign(consumer, self._listener, partitions)
            else:
                self._revoke(self._listener, partitions)
                self._joined = False  # whoever was thrown out has not reached the end
            events.popleft()

    def _forget_held(self, partitions: Iterable[TopicPartition]) -> None:
        for partition in partitions:
            self._held.pop(partition, None)

    def _revoke(self, listener: PartitionListener, partitions: Sequence[TopicPartition]) -> None:
        held = [partition for partition in partitions if partition in self._assigned]
        if held:
            listener.on_revoked([_partition(partition) for partition in held])
            self._assigned.difference_update(held)

    def _assign(
        self, consumer: KafkaConsumer, listener: PartitionListener, partitions: list[TopicPartition]
    ) -> None:
        # Asked first: should the broker fail here, the listener has not been called and the event stays.
        first: Mapping[TopicPartition, int] = {}
        end: Mapping[TopicPartition, int] = {}
        if partitions:
            with translated("asking Kafka for offsets"):
                first = consumer.beginning_offsets(partitions, timeout_ms=self._timeout_ms)
                end = consumer.end_offsets(partitions, timeout_ms=self._timeout_ms)
        stored = dict(listener.on_assigned([_partition(partition) for partition in partitions]))
        if any(_partition(partition) not in stored for partition in partitions):
            stored |= listener.on_first_sight(self._starts(consumer))
        self._joined = True
        for partition in partitions:
            self._ends.setdefault(partition, end[partition])
            self._assigned.add(partition)
            if partition not in consumer.assignment():
                continue  # gone again already: its revocation is the next event
            # One that was added to a topic already known: nothing of it can have been seen.
            offset = stored.get(_partition(partition), 0)
            self._seek_within(consumer, partition, offset, first[partition], end[partition])
            if partition not in self._paused:
                consumer.resume(partition)

    def _starts(self, consumer: KafkaConsumer) -> dict[Partition, int]:
        """Return where each of the topic's partitions begins, if none was ever read."""
        topic = self._params.topic
        with translated("asking Kafka for offsets"):
            numbers = consumer.partitions_for_topic(topic) or ()
            every = [TopicPartition(topic, number) for number in sorted(numbers)]
            ask = consumer.beginning_offsets if self._params.start_at == "earliest" else consumer.end_offsets
            return {_partition(at): offset for at, offset in ask(every, timeout_ms=self._timeout_ms).items()}

    def _seek_within(
        self, consumer: KafkaConsumer, partition: TopicPartition, offset: int, first: int, end: int
    ) -> None:
        if offset > end:
            message = (
                f"{_partition(partition)} ends at {end} but was read up to {offset} before: the topic was "
                "made anew; give it another name or use another store"
            )
            raise StopError(message)
        if offset < first and self._listener is not None:
            _log.warning("%s: records %d to %d were deleted unread", _partition(partition), offset, first - 1)
            self._listener.on_gap(_partition(partition), offset, first)
        _seek_if_held(consumer, partition, max(offset, first))

    def _ask_if_silent(self, consumer: KafkaConsumer) -> None:
        """Tell a quiet topic from a broker that is away: the client waits for either in silence."""
        if time.monotonic() - self._heard_at < self._params.silence_seconds:
            return
        partitions = sorted(self._assigned) or [TopicPartition(self._params.topic, 0)]
        with translated("Kafka does not answer"):
            consumer.end_offsets(partitions, timeout_ms=self._timeout_ms)
        self._heard_at = time.monotonic()

    def _records(self, partition: Partition, batch: Iterable[Any]) -> Iterator[RawRecord]:
        known, time_known = None, None
        for record in batch:
            value: bytes | None = record.value
            size = len(value) if value is not None else 0
            offset = record.offset
            kept = value if size <= self._max_bytes else None
            if record.timestamp != known:  # many come within one millisecond
                known = record.timestamp
                time_known = _time(known)
            yield RawRecord(partition, offset, offset + 1, time_known, size, kept)

    def seek(self, partition: Partition, offset: int) -> None:
        """Go on at `offset`.

        Of a partition that the group has just taken away, as the next `poll` will tell, this does nothing.
        """
        at = TopicPartition(partition.topic, partition.number)
        if at not in self._assigned:
            message = f"{partition} is not assigned"
            raise StopError(message)
        self._forget_held([at])
        if self._consumer is not None:
            _seek_if_held(self._consumer, at, offset)

    def commit(self, next_offsets: Mapping[Partition, int]) -> None:
        """Send the offsets to the group; whether they arrive is only logged."""
        offsets = {
            TopicPartition(partition.topic, partition.number): OffsetAndMetadata(offset, "", -1)
            for partition, offset in next_offsets.items()
        }
        if self._consumer is None or not offsets:
            return
        self._committed.update(offsets)
        try:
            self._consumer.commit_async(offsets, callback=_log_failed_commit)
        except (KafkaError, OSError) as error:
            _log_failed_commit(offsets, error)

    def log_mark(self, partition: Partition, offset: int) -> bytes | None:  # noqa: ARG002
        """Return the id that the broker gave the topic when it was made; None where it gives none.

        Raises `StopError` where it is another one than before.
        """
        if self._consumer is not None:
            self._topic_id = same_topic_id(self._consumer, partition.topic, self._topic_id)
        return self._topic_id

    def pause(self, partitions: Collection[Partition]) -> None:
        """Fetch nothing of these until `resume`, also when they are assigned anew."""
        chosen = {TopicPartition(partition.topic, partition.number) for partition in partitions}
        self._paused |= chosen
        if self._consumer is not None:
            self._consumer.pause(*(chosen & self._assigned & self._consumer.assignment()))

    def resume(self, partitions: Collection[Partition]) -> None:
        """Undo `pause`; a partition that still has to be sought stays paused until it is."""
        chosen = {TopicPartition(partition.topic, partition.number) for partition in partitions}
        self._paused -= chosen
        if self._consumer is None or self._rebalances is None:
            return
        waiting = {partition for _, moved in tuple(self._rebalances.events) for partition in moved}
        self._consumer.resume(*((chosen & self._assigned & self._consumer.assignment()) - waiting))

    def end_reached(self) -> bool:
        """Return whether each partition of this worker stands at or past its first end."""
        if self._consumer is None or self._rebalances is None or not self._joined:
            return False
        if self._held or self._rebalances.events:
            return False
        positions = self._positions(self._consumer)
        return all(
            partition in positions and positions[partition] >= self._ends[partition]
            for partition in self._assigned
        )

    def _positions(self, consumer: KafkaConsumer) -> dict[TopicPartition, int]:
        positions = {}
        with translated("asking for positions"):
            for partition in self._assigned & consumer.assignment():
                position = consumer.position(partition, timeout_ms=self._timeout_ms)
                if position is not None:
                    positions[partition] = position
        return positions

    def lag(self) -> Mapping[Partition, int]:
        """Return the records between position and end, as of the last answer of the broker.

        Of a paused partition nothing is fetched, and so its end is asked for.
        """
        if self._consumer is None:
            return {}
        lag = {}
        positions = self._positions(self._consumer)
        paused = sorted(self._paused & positions.keys())
        asked: Mapping[TopicPartition, int] = {}
        if paused:
            with translated("asking Kafka for offsets"):
                asked = self._consumer.end_offsets(paused, timeout_ms=self._timeout_ms)
        for partition, position in positions.items():
            end = asked.get(partition, self._consumer.highwater(partition))
            lag[_partition(partition)] = max(0, (self._ends[partition] if end is None else end) - position)
        return lag

    def close(self) -> None:
        """Leave the group, after one last try to tell it the offsets."""
        consumer, self._consumer = self._consumer, None
        if consumer is None:
            return
        own = {at: offset for at, offset in self._committed.items() if at in self._assigned}
        try:
            if own:
                consumer.commit(own, timeout_ms=milliseconds(_CLOSE_SECONDS))
        except (KafkaError, OSError) as error:
            _log_failed_commit(own, error)
        consumer.close(autocommit=False, timeout_ms=milliseconds(_CLOSE_SECONDS))

    def _abandon(self) -> None:
        consumer, self._consumer, self._rebalances = self._consumer, None, None
        try:
            if consumer is not None:
                consumer.close(autocommit=False, timeout_ms=0)
        except Exception as error:
            _log.warning("closing a broken Kafka client failed: %s", type(error).__name__)


def _seek_if_held(consumer: KafkaConsumer, at: TopicPartition, offset: int) -> None:
    try:
        consumer.seek(at, offset)
    except ValueError:
        # The group took it away on the client's thread; when it comes back, the store is asked again.
        _log.info("%s was revoked before it could be sought", _partition(at))


def _partition(at: Any) -> Partition:
    return Partition(at.topic, at.partition)


def _time(milliseconds_since_epoch: int | None) -> datetime | None:
    if milliseconds_since_epoch is None or milliseconds_since_epoch < 0:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds_since_epoch)
    except OverflowError:
        return None


def _log_failed_commit(offsets: Mapping[TopicPartition, Any], response: Any) -> None:
    if isinstance(response, Exception):
        names = ", ".join(str(_partition(at)) for at in offsets)
        _log.warning("Kafka did not take the offsets of %s (%s); the store leads", names, response)
