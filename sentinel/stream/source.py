"""The source port: where records come from, and who owns a partition when.

A source calls its listener only inside `poll`, on the caller's thread, and before it hands out any
record of the partitions concerned. The store's offsets lead; what a source commits only informs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from sentinel.records import Partition, RawRecord


class PartitionListener(Protocol):
    """What the owner of the partitions' state must do when they come and go."""

    def on_assigned(self, partitions: Sequence[Partition]) -> Mapping[Partition, int]:
        """Return the stored next offset of each partition that has one.

        The source goes on there; of a partition left out nothing is known.
        """
        ...

    def on_revoked(self, partitions: Sequence[Partition]) -> None:
        """Drop all that is in flight and not committed: another worker may own these by now."""
        ...

    def on_first_sight(self, starts: Mapping[Partition, int]) -> Mapping[Partition, int]:
        """Keep where a log begins whose every partition is new here; return the stored next offsets.

        `starts` are all partitions of a topic and where the source's configuration has them begin. A
        partition that is not among the returned ones was added to a topic already known: nothing of it
        can have been seen, and it begins at its beginning whatever the configuration says.
        """
        ...

    def on_gap(self, partition: Partition, expected_offset: int, found_offset: int) -> None:
        """Count records that are gone: the source no longer holds those before `found_offset`."""
        ...


class Source(Protocol):
    """An ordered log of records in partitions."""

    def subscribe(self, listener: PartitionListener) -> None:
        """Name the listener; once, before the first `poll`."""
        ...

    def poll(self, max_records: int, timeout_seconds: float) -> Sequence[RawRecord]:
        """Return up to `max_records`, in order within a partition; none once the time is over.

        Raises `RetryError` when the source cannot be reached, `StopError` when waiting will not mend it.
        """
        ...

    def seek(self, partition: Partition, offset: int) -> None:
        """Go on at `offset` in an assigned partition; what was handed out from there comes again."""
        ...

    def commit(self, next_offsets: Mapping[Partition, int]) -> None:
        """Tell the source what is finished. Informs only: a failure is logged and never raised."""
        ...

    def log_mark(self, partition: Partition, offset: int) -> bytes | None:
        """Return what tells the log up to `offset` from another one of the same name, as a digest.

        The same content gives the same mark at the same offset; None where nothing can be told.
        """
        ...

    def pause(self, partitions: Collection[Partition]) -> None:
        """Hand out no record of these until `resume`; ownership is kept as long as `poll` is called."""
        ...

    def resume(self, partitions: Collection[Partition]) -> None:
        """Undo `pause`."""
        ...

    def end_reached(self) -> bool:
        """Return whether all there was when the source started has been handed out.

        A partition's end is taken when it is first assigned; what arrives later is not waited for.
        """
        ...

    def lag(self) -> Mapping[Partition, int]:
        """Return how far each assigned partition is behind its end, in its offsets (a file's: bytes)."""
        ...

    def close(self) -> None:
        """Give everything back. The listener is not called any more."""
        ...
