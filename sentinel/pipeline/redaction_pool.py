"""Redaction in worker processes: the model lives there, raw text goes to them through pipes only."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, cast

from sentinel.errors import DeadLetterError, StopError
from sentinel.pipeline.redaction_process import RedactionProcess
from sentinel.pipeline.redaction_run import RedactionPoolParams, RedactionRun, end_all
from sentinel.pipeline.redaction_worker import Outcome, Work, answers_redacted, load_detector, texts_redacted
from sentinel.records import RawAnswer, RedactedAnswer
from sentinel.redaction import RedactionParams

__all__ = ["Redacting", "RedactionPool", "RedactionPoolParams"]


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

    @contextmanager
    def begin(self) -> Iterator[Redacting]:
        """Yield a run that takes answers as they come and redacts them while the caller goes on.

        One run at a time. Left without its results, what it has given to processes is given up with them.
        """
        with self._begun(answers_redacted) as run:
            yield Redacting(run)

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

    def _run(self, work: Work, items: Sequence[Any]) -> list[object]:
        with self._begun(work) as run:
            run.add(items)
            return _values(run.outcomes())

    @contextmanager
    def _begun(self, work: Work) -> Iterator[RedactionRun | _RunHere]:
        if self._closed:
            raise RuntimeError("the redaction pool is closed")
        if self._pool.processes == 0:
            yield _RunHere(work, self._params, self._pool.batch)
            return
        run = RedactionRun(work, self._params, self._pool, self._processes)
        try:
            yield run
        finally:
            if not run.is_over:  # an answer that nobody waits for must not be taken for a later one
                end_all(self._processes)


class Redacting:
    """Answers on their way through redaction."""

    def __init__(self, run: RedactionRun | _RunHere) -> None:
        self._run = run

    def add(self, answers: Sequence[RawAnswer]) -> None:
        """Take more answers; returns at once."""
        self._run.add(answers)

    def results(
        self, meanwhile: Callable[[], None], spare: Iterator[None]
    ) -> list[RedactedAnswer | DeadLetterError]:
        """Return every answer redacted, in the order in which they were added, once all are done.

        `meanwhile` is called about once a second, of `spare` a step is taken while other processes work.
        Raises as `RedactionPool.redact` does.
        """
        outcomes = self._run.outcomes(meanwhile, spare)
        return cast("list[RedactedAnswer | DeadLetterError]", _values(outcomes))


class _RunHere:
    """A run in the calling process."""

    def __init__(self, work: Work, params: RedactionParams, batch: int) -> None:
        self._work, self._params, self._batch = work, params, batch
        self._items: list[Any] = []

    def add(self, items: Sequence[Any]) -> None:
        self._items.extend(items)

    def outcomes(
        self,
        meanwhile: Callable[[], None] | None = None,
        spare: Iterator[None] | None = None,  # noqa: ARG002 - there is no one to wait for
    ) -> list[Outcome]:
        fault = load_detector(self._params) if self._items else None
        if fault is not None:
            raise fault
        parts = (self._items[i : i + self._batch] for i in range(0, len(self._items), self._batch))
        outcomes: list[Outcome] = []
        for part in parts:
            outcomes += self._work(part, self._params)
            if meanwhile is not None:
                meanwhile()
        return outcomes


def _values(outcomes: Sequence[Outcome]) -> list[object]:
    return [value if good else DeadLetterError("redaction_failed", str(value)) for good, value in outcomes]
