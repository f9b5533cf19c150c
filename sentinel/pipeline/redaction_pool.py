"""Redaction in worker processes: the model lives there, raw text goes to them through pipes only."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, cast

from sentinel.errors import DeadLetterError, StopError
from sentinel.pipeline.errands import Errand
from sentinel.pipeline.redaction_process import RedactionProcess
from sentinel.pipeline.redaction_queue import RedactionPoolParams, RedactionQueue, end_all
from sentinel.pipeline.redaction_worker import Outcome, Work, answers_redacted, load_detector, texts_redacted
from sentinel.records import RawAnswer, RedactedAnswer
from sentinel.redaction import RedactionParams

__all__ = ["RedactionPool", "RedactionPoolParams"]


class RedactionPool:
    """Redacts batches of answers in order.

    A batch whose process dies or passes its deadline is tried again, one answer at a time, each in a
    process that has shown that it can redact: an answer that ends its process again is lost alone. A
    process that cannot be made to work at all is a fault of the installation and costs no answer.
    """

    def __init__(self, params: RedactionParams, pool: RedactionPoolParams | None = None) -> None:
        self._params = params
        self._pool = pool or RedactionPoolParams()
        self._processes: list[RedactionProcess] = []
        self._queue: RedactionQueue | _Here = (
            RedactionQueue(params, self._pool, self._processes)
            if self._pool.processes
            else _Here(params, self._pool.batch)
        )
        self._closed = False
        # A pool that nobody closed: the interpreter would wait for processes that wait for tasks.
        weakref.finalize(self, end_all, self._processes)

    def __enter__(self) -> RedactionPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def redact(self, answers: Sequence[RawAnswer]) -> list[RedactedAnswer | DeadLetterError]:
        """Return each answer redacted, in order, or the dead letter it became.

        Raises:
            ConfigurationError: if no detector can be built from the settings.
            StopError: if it cannot be built or used for any other reason that no answer is to blame for.
        """
        return cast("list[RedactedAnswer | DeadLetterError]", self._run(answers_redacted, answers))

    def begin(self, answer: RawAnswer) -> Errand:
        """Have an answer redacted while the caller goes on; returns at once.

        One that nobody holds any more is passed over. Raises as `redact` does.
        """
        return self._open_queue().begin(answers_redacted, [answer])[0]

    def results(
        self, errands: Sequence[Errand], meanwhile: Callable[[], None], spare: Iterator[None]
    ) -> list[RedactedAnswer | DeadLetterError]:
        """Return answers redacted, in the order of their errands, once all of them are.

        `meanwhile` is called about once a second, of `spare` a step is taken while other processes work.
        Raises as `redact` does.
        """
        outcomes = self._open_queue().outcomes(errands, meanwhile, spare)
        return cast("list[RedactedAnswer | DeadLetterError]", _values(outcomes))

    def redact_texts(self, texts: Sequence[str]) -> list[str | DeadLetterError]:
        """Return each text redacted on its own, in order, or the dead letter it became.

        Raises as `redact` does.
        """
        return cast("list[str | DeadLetterError]", self._run(texts_redacted, texts))

    def warm_up(self) -> None:
        """Load the model of the first process now.

        Raises as `redact` does.
        """
        outcome = self.redact_texts(["Ready."])[0]
        if isinstance(outcome, DeadLetterError):
            message = f"redaction: the workers cannot redact ({outcome.detail})"
            raise StopError(message)

    def close(self) -> None:
        """End the workers; open batches are given up."""
        self._closed = True
        end_all(self._processes)

    def _run(self, work: Work, values: Sequence[Any]) -> list[object]:
        queue = self._open_queue()
        return _values(queue.outcomes(queue.begin(work, values)))

    def _open_queue(self) -> RedactionQueue | _Here:
        if self._closed:
            raise RuntimeError("the redaction pool is closed")
        return self._queue


class _Here:
    """Redaction in the calling process, when its outcomes are asked for."""

    def __init__(self, params: RedactionParams, batch: int) -> None:
        self._params, self._batch = params, batch

    def begin(self, work: Work, values: Sequence[Any]) -> list[Errand]:
        return [Errand(work, value) for value in values]

    def outcomes(
        self,
        errands: Sequence[Errand],
        meanwhile: Callable[[], None] | None = None,
        spare: Iterator[None] | None = None,  # noqa: ARG002 - there is no one to wait for
    ) -> list[Outcome]:
        fault = load_detector(self._params) if errands else None
        if fault is not None:
            raise fault
        for start in range(0, len(errands), self._batch):
            some = errands[start : start + self._batch]
            outcomes = some[0].work([errand.value for errand in some], self._params)
            for errand, outcome in zip(some, outcomes, strict=True):
                errand.end(outcome)
            if meanwhile is not None:
                meanwhile()
        return [cast("Outcome", errand.outcome) for errand in errands]


def _values(outcomes: Sequence[Outcome]) -> list[object]:
    return [value if good else DeadLetterError("redaction_failed", str(value)) for good, value in outcomes]
