"""A run through redaction processes: items come while others are worked on, outcomes leave in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, cast

from sentinel.errors import StopError
from sentinel.pipeline.redaction_process import Ended, RedactionProcess, Task
from sentinel.pipeline.redaction_worker import Outcome, Work
from sentinel.redaction import RedactionParams

_MOST_SECONDS = 86_400.0
#: How often a caller that waits may do something else.
_MEANWHILE_SECONDS = 1.0
_FEWEST_TOGETHER = 2
_NOTHING = object()


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


class RedactionRun:
    """Hands items to processes as they come: what waits when a process is free goes to it, up to `batch`.

    While more may come, one alone waits for a second: together they cost a little less, and more would leave
    more to be waited for at the end. Used by one thread; later runs use `processes` as well.
    """

    def __init__(
        self,
        work: Work,
        params: RedactionParams,
        pool: RedactionPoolParams,
        processes: list[RedactionProcess],
    ) -> None:
        self._work = work
        self._params = params
        self._pool = pool
        self._processes = processes
        self._items: deque[tuple[int, Any]] = deque()
        self._again: deque[Task] = deque()
        self._outcomes: dict[int, Outcome] = {}
        self._count = 0
        self._failed_starts = 0

    @property
    def is_over(self) -> bool:
        """Whether every item has its outcome."""
        return len(self._outcomes) == self._count

    def add(self, items: Sequence[Any]) -> None:
        """Take items and give them to processes that are free, without waiting for any.

        Raises StopError if no process can be made to work.
        """
        self._items.extend(enumerate(items, self._count))
        self._count += len(items)
        self._advance(fewest=min(_FEWEST_TOGETHER, self._pool.batch), is_waiting=False)

    def outcomes(
        self, meanwhile: Callable[[], None] | None = None, spare: Iterator[None] | None = None
    ) -> list[Outcome]:
        """Wait until all is done and return the outcomes in the order of the items.

        `meanwhile` is called about once a second; of `spare` a step is taken as long as it has one and there
        is something to wait for. Raises StopError if no process can be made to work.
        """
        called_at = time.monotonic()
        while not self.is_over:
            self._advance(fewest=1, is_waiting=spare is None)
            if meanwhile is not None and time.monotonic() - called_at >= _MEANWHILE_SECONDS:
                meanwhile()
                called_at = time.monotonic()
            if spare is not None and not self.is_over and next(spare, _NOTHING) is _NOTHING:
                spare = None
        return [self._outcomes[index] for index in range(self._count)]

    def _advance(self, *, fewest: int, is_waiting: bool) -> None:
        self._hand_out(fewest)
        for process in self._that_answered(is_waiting=is_waiting):
            if process.is_ready:
                self._collect(process)
            else:
                self._started(process)
        if not is_waiting:
            self._hand_out(fewest)

    def _hand_out(self, fewest: int) -> None:
        """Start the processes that are of use, and give each idle one a task of `fewest` items or more."""
        for process in [p for p in self._processes if p.is_idle and not p.is_usable]:
            self._remove(process)
        busy = sum(process.task is not None for process in self._processes)
        window = max(1, self._pool.max_in_flight // self._pool.batch)
        waiting = len(self._again) + -(-len(self._items) // self._pool.batch)
        wanted = min(self._pool.processes, window, busy + waiting)
        while len(self._processes) < wanted:
            self._processes.append(RedactionProcess(self._params, self._pool.seconds_to_start))
        for process in [p for p in self._processes if p.is_idle]:
            task = self._next_task(fewest) if busy < window else None
            if task is not None:
                process.give(task, self._pool.seconds_per_task, self._pool.seconds_per_megabyte)
                busy += 1

    def _next_task(self, fewest: int) -> Task | None:
        if len(self._items) < fewest:
            return self._again.popleft() if self._again else None
        first = self._items[0][0]
        count = min(len(self._items), self._pool.batch)
        return Task(self._work, [self._items.popleft()[1] for _ in range(count)], first)

    def _that_answered(self, *, is_waiting: bool) -> list[RedactionProcess]:
        """Return processes that have said something or ended; wait a while for one."""
        awaited = {process.connection: process for process in self._processes if not process.is_idle}
        if not awaited:
            return []
        starting = [process for process in awaited.values() if not process.is_ready]
        left = (process.start_until - time.monotonic() for process in starting)
        patience = max(0.0, min(_MEANWHILE_SECONDS, *left)) if starting else _MEANWHILE_SECONDS
        heard = wait(list(awaited), patience if is_waiting else 0.0)
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

    def _collect(self, process: RedactionProcess) -> None:
        task = process.task
        answer = process.receive()
        if task is None:
            return
        if not isinstance(answer, Ended):
            self._outcomes |= enumerate(cast("list[Outcome]", answer), task.first)
            return
        self._remove(process)
        if task.is_retry:
            self._outcomes[task.first] = (False, f"{answer.detail}, alone and at its second try")
            return
        for place, item in enumerate(task.items, task.first):
            self._again.append(Task(task.work, [item], place, is_retry=True))

    def _remove(self, process: RedactionProcess) -> None:
        self._processes.remove(process)
        process.end()


def end_all(processes: list[RedactionProcess]) -> None:
    """End processes and forget them."""
    while processes:
        processes.pop().end()
