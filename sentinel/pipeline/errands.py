"""One text or answer on its way through redaction, and how a worker has answers redacted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from sentinel.errors import DeadLetterError
from sentinel.pipeline.redaction_worker import Outcome, Work
from sentinel.records import RawAnswer, RedactedAnswer

Meanwhile = Callable[[], None]


class Errand:
    """Something to be redacted, then what became of it; one that nobody holds any more is not worked on.

    `seconds` is the time from its beginning to its outcome, waiting for its turn included.
    """

    __slots__ = ("__weakref__", "_began", "is_under_way", "outcome", "seconds", "value", "work")

    def __init__(self, work: Work, value: Any) -> None:
        self.work = work
        self.value = value
        self.outcome: Outcome | None = None
        self.is_under_way = False
        self.seconds = 0.0
        self._began = time.monotonic()

    def __repr__(self) -> str:
        return "<Errand hidden>"

    def end(self, outcome: Outcome) -> None:
        """Take the outcome, and let go of what was to be redacted."""
        self.outcome, self.value = outcome, None
        self.seconds = time.monotonic() - self._began


class Redacting(Protocol):
    """Redacts answers while the caller goes on; an error in place of an answer parks that answer alone."""

    def begin(self, answer: RawAnswer) -> Errand:
        """Have an answer redacted, without waiting; who lets go of the errand does not want it any more."""
        ...

    def results(
        self, errands: Sequence[Errand], meanwhile: Meanwhile, spare: Iterator[None]
    ) -> Sequence[RedactedAnswer | DeadLetterError]:
        """Return what became of answers, in the order of the errands.

        `meanwhile` is called now and then, for this may take longer than the source waits for a poll; of
        `spare` a step is taken whenever there is nothing to do but wait.
        """
        ...
