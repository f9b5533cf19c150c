"""What waits for redaction processes: errands come while others are worked on, and end in any order."""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast
from weakref import ref

from sentinel.errors import StopError
from sentinel.pipeline.errands import Errand
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


class RedactionQueue:
    """Hands errands to processes as they come: what waits when a process is free goes to it, up to `batch`.

    While more may come, one alone waits for a second: together they cost a little less. Those that nobody
    holds any more are passed over. Used by one thread.
    """

    def __init__(
        self, params: RedactionParams, pool: RedactionPoolParams, processes: list[RedactionProcess]
    ) -> None:
        self._params = params
        self._pool = pool
        self._processes = processes
        self._waiting: deque[ref[Errand]] = deque()
        self._again: deque[ref[Errand]] = deque()
        self._failed_starts = 0

    def begin(self, work: Work, values: Sequence[Any]) -> list[Errand]:
        """Take values and give them to processes that are free, without waiting for any.

        Raises StopError if no process can be made to work.
        """
        errands = [Errand(work, value) for value in values]
        self._enqueue(errands)
        with self._given_up_if_broken_off():
            self._advance(fewest=min(_FEWEST_TOGETHER, self._pool.batch), is_waiting=False)
        return errands

    def outcomes(
        self,
        errands: Sequence[Errand],
        meanwhile: Callable[[], None] | None = None,
        spare: Iterator[None] | None = None,
    ) -> list[Outcome]:
        """Wait until all of these are done and return their outcomes in order.

        `meanwhile` is called about once a second; of `spare` a step is taken as long as it has one and there
        is something to wait for. Raises StopError if no process can be made to work.
        """
        self._enqueue([errand for errand in errands if not errand.is_under_way])
        called_at = time.monotonic()
        missing = deque(errand for errand in errands if errand.outcome is None)
        with self._given_up_if_broken_off():
            while missing:
                self._advance(fewest=1, is_waiting=spare is None)
                while missing and missing[0].outcome is not None:
                    missing.popleft()
                if meanwhile is not None and time.monotonic() - called_at >= _MEANWHILE_SECONDS:
                    meanwhile()
                    called_at = time.monotonic()
                if spare is not None and missing and next(spare, _NOTHING) is _NOTHING:
                    spare = None
        return [cast("Outcome", errand.outcome) for errand in errands]

    def _enqueue(self, errands: Sequence[Errand]) -> None:
        for errand in errands:
            errand.is_under_way = True
            self._waiting.append(ref(errand))

    @contextmanager
    def _given_up_if_broken_off(self) -> Iterator[None]:
        """End all processes where something else interferes: an answer may have been read by half.

        What they had, and what waits, is begun anew when it is asked for.
        """
        try:
            yield
        except BaseException:
            given = [place for process in self._processes if process.task for place in process.task.errands]
            for place in (*given, *self._again, *self._waiting):
                errand = place()
                if errand is not None and errand.outcome is None:
                    errand.is_under_way = False
            self._again.clear()
            self._waiting.clear()
            end_all(self._processes)
            raise

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
        """Start the processes that are of use, and give each idle one a task of `fewest` errands or more."""
        for process in [p for p in self._processes if p.is_idle and not p.is_usable]:
            self._remove(process)
        busy = sum(process.task is not None for process in self._processes)
        window = max(1, self._pool.max_in_flight // self._pool.batch)
        waiting = len(self._again) + -(-len(self._waiting) // self._pool.batch)
        wanted = min(self._pool.processes, window, busy + waiting)
        while len(self._processes) < wanted:
            self._processes.append(RedactionProcess(self._params, self._pool.seconds_to_start))
        for process in [p for p in self._processes if p.is_idle]:
            task = self._next_task(fewest) if busy < window else None
            if task is not None:
                process.give(task, self._pool.seconds_per_task, self._pool.seconds_per_megabyte)
                busy += 1

    def _next_task(self, fewest: int) -> Task | None:
        """Return a task of errands of one kind of work; None where too few wait."""
        together: list[Errand] = []
        if len(self._waiting) >= fewest:
            while self._waiting and len(together) < self._pool.batch:
                errand = self._waiting[0]()
                if errand is not None and together and errand.work is not together[0].work:
                    break
                self._waiting.popleft()
                if errand is not None:
                    together.append(errand)
        while not together and self._again:
            errand = self._again.popleft()()
            if errand is not None:
                return Task.of([errand], is_retry=True)
        return Task.of(together) if together else None

    def _that_answered(self, *, is_waiting: bool) -> list[RedactionProcess]:
        """Return processes that have said something or ended; wait a while for one."""
        awaited = {process.connection.fileno(): process for process in self._processes if not process.is_idle}
        if not awaited:
            return []
        starting = [process for process in awaited.values() if not process.is_ready]
        left = (process.start_until - time.monotonic() for process in starting)
        patience = max(0.0, min(_MEANWHILE_SECONDS, *left)) if starting else _MEANWHILE_SECONDS
        # Not multiprocessing's own `wait`, which makes a selector each time.
        poll = select.poll()
        for descriptor in awaited:
            poll.register(descriptor, select.POLLIN)
        heard = poll.poll(patience * 1000 if is_waiting else 0)
        answered = [awaited[descriptor] for descriptor, _ in heard]
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
        errands = [place() for place in task.errands]
        if not isinstance(answer, Ended):
            for errand, outcome in zip(errands, cast("list[Outcome]", answer), strict=True):
                if errand is not None:
                    errand.end(outcome)
            return
        self._remove(process)
        for place, errand in zip(task.errands, errands, strict=True):
            if errand is None:
                continue
            if task.is_retry:
                errand.end((False, f"{answer.detail}, alone and at its second try"))
            else:
                self._again.append(place)

    def _remove(self, process: RedactionProcess) -> None:
        self._processes.remove(process)
        process.end()


def end_all(processes: list[RedactionProcess]) -> None:
    """End processes and forget them."""
    while processes:
        processes.pop().end()
