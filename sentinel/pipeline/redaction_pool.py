"""Redaction in worker processes: the model lives there, raw text goes to them through pipes only."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

from sentinel.errors import ConfigurationError, DeadLetterError
from sentinel.records import RawAnswer, RedactedAnswer
from sentinel.redaction import (
    CachedDetector,
    Detector,
    RedactionParams,
    SpanCache,
    redact_answers,
    redact_texts,
)

Item = TypeVar("Item", RawAnswer, str)
_Outcome = tuple[bool, object]
_PARENTS_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class RedactionPoolParams:
    """How redaction is spread. `processes` 0 redacts in the calling process.

    `batch`: answers (or texts) per task, one pass through the model each. `max_in_flight`: answers
    handed to workers and not yet back, at most; what is beyond waits in the caller's list.
    """

    processes: int = 1
    batch: int = 16
    max_in_flight: int = 256

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        if self.processes < 0 or self.batch < 1 or self.max_in_flight < self.batch:
            raise ValueError("processes must be at least 0, batch at least 1, max_in_flight at least batch")


class RedactionPool:
    """Redacts batches of answers in order; a killed worker costs a retry, then those answers alone."""

    def __init__(self, params: RedactionParams, pool: RedactionPoolParams | None = None) -> None:
        self._params = params
        self._pool = pool or RedactionPoolParams()
        self._executor: ProcessPoolExecutor | None = None
        self._closed = False

    def __enter__(self) -> RedactionPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def redact(self, answers: Sequence[RawAnswer]) -> list[RedactedAnswer | DeadLetterError]:
        """Return each answer redacted, in order, or the dead letter it became."""
        return self._run(_redact_answers, answers)  # type: ignore[return-value]

    def redact_texts(self, texts: Sequence[str]) -> list[str | DeadLetterError]:
        """Return each text redacted on its own, in order, or the dead letter it became."""
        return self._run(_redact_texts, texts)  # type: ignore[return-value]

    def warm_up(self) -> None:
        """Load the model in the workers now.

        Raises:
            ConfigurationError: if the model is not installed.
        """
        outcome = self.redact_texts(["Ready."])[0]
        if isinstance(outcome, DeadLetterError):
            message = f"redaction: the workers cannot redact ({outcome.detail})"
            raise ConfigurationError(message)

    def close(self) -> None:
        """End the workers; open batches are given up."""
        self._closed = True
        self._drop()

    def _drop(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _run(
        self, work: Callable[[list[Item], RedactionParams], list[_Outcome]], items: Sequence[Item]
    ) -> list[object]:
        if self._closed:
            raise RuntimeError("the redaction pool is closed")
        batches = [list(items[i : i + self._pool.batch]) for i in range(0, len(items), self._pool.batch)]
        if self._pool.processes == 0:
            outcomes = [outcome for batch in batches for outcome in work(batch, self._params)]
        else:
            outcomes = [outcome for batch in self._spread(work, batches) for outcome in batch]
        return [
            value if good else DeadLetterError("redaction_failed", str(value)) for good, value in outcomes
        ]

    def _spread(
        self, work: Callable[[list[Item], RedactionParams], list[_Outcome]], batches: list[list[Item]]
    ) -> list[list[_Outcome]]:
        results = self._attempt(work, batches, range(len(batches)))
        missing = [index for index in range(len(batches)) if index not in results]
        if missing:
            self._drop()
            for index in missing:  # one at a time: a batch that kills its worker takes no other with it
                results |= self._attempt(work, batches, [index])
                if index not in results:
                    self._drop()
        lost = (False, "its worker process ended twice")
        return [results.get(index, [lost] * len(batch)) for index, batch in enumerate(batches)]

    def _attempt(
        self,
        work: Callable[[list[Item], RedactionParams], list[_Outcome]],
        batches: list[list[Item]],
        indices: Sequence[int],
    ) -> dict[int, list[_Outcome]]:
        """Return the outcomes of the batches whose worker lived; at most `max_in_flight` are out."""
        window = max(1, self._pool.max_in_flight // self._pool.batch)
        waiting = deque(indices)
        out: deque[tuple[int, Future[list[_Outcome]]]] = deque()
        results: dict[int, list[_Outcome]] = {}
        while waiting or out:
            try:
                while waiting and len(out) < window:
                    index = waiting.popleft()
                    with _signals_held():  # a worker starts at its first task, and inherits what is blocked
                        out.append((index, self._workers().submit(work, batches[index], self._params)))
                index, future = out.popleft()
                results[index] = future.result()
            except BrokenProcessPool:
                waiting.clear()
        return results

    def _workers(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self._pool.processes,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start_worker,
            )
        return self._executor


def _start_worker() -> None:
    """Let the parent decide when this worker ends: a terminal's Ctrl-C reaches the whole process group."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _PARENTS_SIGNALS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when its parent is gone: it holds raw text, and nobody is left to stop it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Hold back signals meant for the parent, so that no worker meets one before it ignores them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _PARENTS_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_detectors: dict[RedactionParams, Detector] = {}


def _detector(params: RedactionParams) -> Detector:
    """Return this process's detector, loaded at its first use."""
    if params not in _detectors:
        from sentinel.redaction.presidio import PresidioDetector

        detector: Detector = PresidioDetector(params)
        if params.cache_entries:
            detector = CachedDetector(detector, SpanCache(params.cache_entries, os.urandom(32)))
        _detectors[params] = detector
    return _detectors[params]


def _redact_answers(batch: list[RawAnswer], params: RedactionParams) -> list[_Outcome]:
    return _outcomes(batch, lambda: redact_answers(batch, _detector(params), params))


def _redact_texts(batch: list[str], params: RedactionParams) -> list[_Outcome]:
    return _outcomes(batch, lambda: redact_texts(batch, _detector(params), params))


def _outcomes(batch: Sequence[object], work: Callable[[], Sequence[object]]) -> list[_Outcome]:
    """Return results and failures in a form that passes between processes without any traceback."""
    try:
        return [(False, r.detail) if isinstance(r, DeadLetterError) else (True, r) for r in work()]
    except ConfigurationError as error:
        failure = str(error)
    except Exception as error:
        failure = f"the worker raised {type(error).__name__}"
    return [(False, failure)] * len(batch)
