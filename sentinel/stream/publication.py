"""Where redacted copies of answers go, as the pipeline sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sentinel.errors import ConfigurationError
from sentinel.records import Partition


@dataclass(frozen=True, slots=True)
class PublicationParams:
    """`topic`: where a redacted copy of every answer is published; None publishes nothing.

    The topic must be there, with at least as many partitions as the one that is consumed, and is written by
    sentinel alone. `transaction_seconds`: after which the broker gives up what a dead worker has begun.
    """

    topic: str | None = None
    transaction_seconds: float = 60.0

    def __post_init__(self) -> None:
        if self.topic is not None and not self.topic.strip():
            raise ConfigurationError("publication.topic: give a name, or null to publish nothing")
        if not 1.0 <= self.transaction_seconds <= 900.0:
            raise ConfigurationError("publication.transaction_seconds: must be from 1 to 900")


@dataclass(frozen=True, slots=True)
class RedactedCopy:
    """A redacted answer under the coordinates of the record it came in; `value` is a JSON event."""

    partition: Partition
    offset: int
    key: str
    value: bytes = field(repr=False)


class Publisher(Protocol):
    """Publishes each copy once, in the order of the source's partitions."""

    def publish(self, copies: Sequence[RedactedCopy]) -> None:
        """Publish what is not yet published; returns once all is there.

        Raises RetryError if the same call may succeed later, RejoinError if another worker has taken over.
        """
        ...

    def forget(self, partitions: Sequence[Partition]) -> None:
        """Let go of partitions that are no longer this worker's."""
        ...

    def close(self) -> None:
        """End; what is not published by then is published by whoever reads the records again."""
        ...


class Unpublished:
    """The publisher of those who publish nothing."""

    def publish(self, copies: Sequence[RedactedCopy]) -> None:
        """Do nothing."""

    def forget(self, partitions: Sequence[Partition]) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
