"""Redaction in worker processes: the model lives there, raw text goes to them through pipes only."""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from types import TracebackType
from typing import Any, cast

from sentinel.errors import DeadLetterError, StopError
from sentinel.pipeline.redaction_process import Ended, RedactionProcess, Task
from sentinel.pipeline.redaction_worker import (
    Outcome,
    Work,
    answers_redacted,
    load_detector,
    texts_redacted,
)
from sentinel.records import RawAnswer, RedactedAnswer
from sentinel.redaction import RedactionParams

_MOST_SECONDS = 86_400.0
#: How often a caller that waits may do something else.
_MEANWHILE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class RedactionPoolParams:
    """How redaction is spread. `processes` 0 redacts in the calling process, without any deadline.

    `batch`: answers (or texts) per task, one pass through the model each. `max_in_flight`: answers
    handed to workers and not yet back, at most; what is beyond waits in the caller's list.
    `seconds_to_start`: within which a process must have loaded its model. `seconds_per_task` plus
    `seconds_per_megabyte` of the task's size: within which a task must be done; a process that takes
    longer is killed.
    """

    processes: int = 1
    batch: int = 16
    max_in_flight: int = 256
    seconds_to_start: float = 120.0
    seconds_per_task: float = 30.0
    seconds_per_megabyte: float = 60.0

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        if self.processes < 0 or self.batch < 1 or self.max_in_flight < self.batch:
            raise ValueError("processes must be at least 0, batch at least 1, max_in_flight at least batch")
        for name in ("seconds_to_start", "seconds_per_task"):
            if not 0.0 < getattr(self, name) <= _MOST_SECONDS:
                raise ValueError(f"{name}: must be above 0 and at most {_MOST_SECONDS:g}")
        if not 0.0 <= self.seconds_per_megabyte <= _MOST_SECONDS:
            raise ValueError(f"seconds_per_megabyte: must be at least 0 and at most {_MOST_SECONDS:g}")


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
        self._failed_starts = 0
        self._closed = False
        # A pool that nobody closed: the interpreter would wait for processes that wait for tasks.
        weakref.finalize(self, _end_all, self._processes)

    def __enter__(self) -> RedactionPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def redact(
        self, answers: Sequence[RawAnswer], meanwhile: Callable[[], None] | None = None
    ) -> list[RedactedAnswer | DeadLetterError]:
        """Return each answer redacted, in order, or the dead letter it became.

        `meanwhile` is called about once a second while the caller waits.

        Raises:
            ConfigurationError: if no detector can be built from the settings.
            StopError: if it cannot be built or used for any other reason that no answer is to blame for.
        """
        return cast("list[RedactedAnswer | DeadLetterError]", self._run(answers_redacted, answers, meanwhile))

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
        _end_all(self._processes)

    def _run(
        self, work: Work, items: Sequence[Any], meanwhile: Callable[[], None] | None = None
    ) -> list[object]:
        if self._closed:
            raise RuntimeError("the redaction pool is closed")
        size = self._pool.batch
        tasks = [Task(work, list(items[i : i + size]), i) for i in range(0, len(items), size)]
        if self._pool.processes == 0:
            outcomes = []
            for task in tasks:
                outcomes += self._done_here(task)
                if meanwhile is not None:
                    meanwhile()
        else:
            outcomes = self._spread(tasks, len(items), meanwhile)
        return [
            value if good else DeadLetterError("redaction_failed", str(value)) for good, value in outcomes
        ]

    def _done_here(self, task: Task) -> list[Outcome]:
        fault = load_detector(self._params)
        if fault is not None:
            raise fault
        return task.work(task.items, self._params)

    def _spread(self, tasks: list[Task], count: int, meanwhile: Callable[[], None] | None) -> list[Outcome]:
        waiting = deque(tasks)
        called_at = time.monotonic()
        outcomes: dict[int, Outcome] = {}
        try:
            while len(outcomes) < count:
                self._hand_out(waiting)
                for process in self._that_answered():
                    if process.is_ready:
                        self._collect(process, waiting, outcomes)
                    else:
                        self._started(process)
                if meanwhile is not None and time.monotonic() - called_at >= _MEANWHILE_SECONDS:
                    meanwhile()
                    called_at = time.monotonic()
        except BaseException:
            _end_all(self._processes)  # an answer that nobody waits for must not be taken for a later one
            raise
        return [outcomes[index] for index in range(count)]

    def _hand_out(self, waiting: deque[Task]) -> None:
        """Start the processes that are of use, and give each idle one a task."""
        for process in [p for p in self._processes if p.is_idle and not p.is_usable]:
            self._remove(process)
        busy = sum(process.task is not None for process in self._processes)
        window = max(1, self._pool.max_in_flight // self._pool.batch)
        wanted = min(self._pool.processes, window, busy + len(waiting))
        while len(self._processes) < wanted:
            self._processes.append(RedactionProcess(self._params, self._pool.seconds_to_start))
        for process in [p for p in self._processes if p.is_idle]:
            if waiting and busy < window:
                process.give(waiting.popleft(), self._pool.seconds_per_task, self._pool.seconds_per_megabyte)
                busy += 1

    def _that_answered(self) -> list[RedactionProcess]:
        """Wait a while for processes that have said something, ended, or taken too long to start."""
        awaited = {process.connection: process for process in self._processes if not process.is_idle}
        starting = [process for process in awaited.values() if not process.is_ready]
        until = min((process.start_until - time.monotonic() for process in starting), default=None)
        heard = wait(list(awaited), min(_MEANWHILE_SECONDS, max(0.0, until or _MEANWHILE_SECONDS)))
        answered = [process for connection, process in awaited.items() if connection in heard]
        for process in starting:
            if process not in answered and process.start_until <= time.monotonic():
                self._failed_start(
                    process, f"took more than {self._pool.seconds_to_start:g} s (seconds_to_start)"
                )
        return answered

    def _started(self, process: RedactionProcess) -> None:
        answer = process.receive()
        if isinstance(answer, StopError):
            raise answer
        if isinstance(answer, Ended):
            self._failed_start(process, answer.detail)
            return
        process.is_ready = True
        self._failed_starts = 0

    def _failed_start(self, process: RedactionProcess, detail: str) -> None:
        self._remove(process)
        self._failed_starts += 1
        if self._failed_starts > self._pool.processes:  # all may end at once for a passing reason
            raise StopError(
                f"redaction: loading the model {self._params.model!r} {detail}, "
                f"{self._failed_starts} times running; see that it has the memory it needs"
            )

    def _collect(self, process: RedactionProcess, waiting: deque[Task], outcomes: dict[int, Outcome]) -> None:
        task = process.task
        answer = process.receive()
        if task is None:
            return
        if not isinstance(answer, Ended):
            outcomes |= enumerate(cast("list[Outcome]", answer), task.first)
            return
        self._remove(process)
        if task.is_retry:
            outcomes[task.first] = (False, f"{answer.detail}, alone and at its second try")
            return
        for place, item in enumerate(task.items, task.first):
            waiting.append(Task(task.work, [item], place, is_retry=True))

    def _remove(self, process: RedactionProcess) -> None:
        self._processes.remove(process)
        process.end()


def _end_all(processes: list[RedactionProcess]) -> None:
    while processes:
        processes.pop().end()
