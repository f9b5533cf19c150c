"""The records of a fetch are read a batch at once, in C, where the extension module was built.

The client (kafka-python 3.0.12) reads each record's seven numbers in Python and copies its value twice, which
takes 10 to 15 µs a record of 4 KB; like this all that the client does takes 4 to 6. Checksums, compression,
transactions and positions stay its own, and so does every batch that is not quite as the format says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kafka import KafkaConsumer
from kafka.consumer.fetcher import Fetcher
from kafka.record.default_records import DefaultRecordBatch
from kafka.record.memory_records import MemoryRecords

if TYPE_CHECKING:
    from sentinel.stream._native_records import records
else:
    try:
        from sentinel.stream._native_records import records
    except ImportError:
        records = None


class _Batch(DefaultRecordBatch):  # type: ignore[misc]
    """A batch of message format 2 whose records are all read when the first is asked for."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        self._maybe_uncompress()
        of_broker = self.timestamp_type == self.LOG_APPEND_TIME
        base_timestamp = self.max_timestamp if of_broker else self.first_timestamp
        try:
            return iter(
                records(
                    self._buffer, self._pos, self._num_records, self.base_offset, base_timestamp, of_broker
                )
            )
        except ValueError:
            # It says what is wrong, and reads what stands before that.
            return super().__iter__()  # type: ignore[no-any-return]


class _Batches:
    """What the client takes batches of, with those of format 2 read as above."""

    __slots__ = ("_records",)

    def __init__(self, records: MemoryRecords) -> None:
        self._records = records

    def next_batch(self) -> Any:
        batch = self._records.next_batch()
        if type(batch) is DefaultRecordBatch:
            batch.__class__ = _Batch
        return batch


class _PartitionRecords(Fetcher.PartitionRecords):  # type: ignore[misc]
    def _unpack_records(self, tp: Any, records: MemoryRecords, *deserializers: Any) -> Iterator[Any]:
        return super()._unpack_records(tp, _Batches(records), *deserializers)  # type: ignore[no-any-return]


def read_batches_at_once(consumer: KafkaConsumer) -> None:
    """Have `consumer` read the records it fetches from now on like that."""
    if records is not None:
        consumer._fetcher.PartitionRecords = _PartitionRecords
