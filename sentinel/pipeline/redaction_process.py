"""One redaction process as its parent sees it: started, given a task with a deadline, ended."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from typing import Any
from weakref import ref

from sentinel.pipeline.deadline import Deadline
from sentinel.pipeline.errands import Errand
from sentinel.pipeline.redaction_worker import PARENTS_SIGNALS, Work, serve
from sentinel.redaction import RedactionParams

_BYTES_PER_MEGABYTE = 1_000_000
#: Read by NumPy's matrix products when it is first imported, which a new process does before anything else.
_THREADS = "OPENBLAS_NUM_THREADS"


@dataclass(frozen=True, slots=True)
class Task:
    """Errands of one kind of work, to be done together; a task does not keep them alive."""

    work: Work
    values: list[Any] = field(repr=False)
    errands: tuple[ref[Errand], ...]
    is_retry: bool = False

    @classmethod
    def of(cls, errands: Sequence[Errand], *, is_retry: bool = False) -> Task:
        """Return the task of one or more errands of the same work."""
        values = [errand.value for errand in errands]
        return cls(errands[0].work, values, tuple(map(ref, errands)), is_retry)


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that gave no answer; `detail` names the rule and never what was being redacted."""

    detail: str


class RedactionProcess:
    """A worker process, the task it has, and the time at which it must have answered."""

    def __init__(self, params: RedactionParams, seconds_to_start: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, params), name="sentinel-redaction")
        self.start_until = time.monotonic() + seconds_to_start
        self.is_ready = False
        self.task: Task | None = None
        self._is_killed = False
        resource_tracker.ensure_running()  # its own start would let the signals through
        # First the thread: where none can be had, no process is left behind.
        self._deadline = Deadline(self._process, self._has_answered)
        try:
            with _signals_held(), _one_thread_each():
                self._process.start()
        except BaseException:
            self._deadline.close()
            raise
        theirs.close()

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return self._process.pid or 0

    @property
    def is_idle(self) -> bool:
        """Whether it waits for a task."""
        return self.is_ready and self.task is None

    @property
    def is_usable(self) -> bool:
        """Whether the process lives and may be given a task."""
        return not self._is_killed and self._process.is_alive()

    def give(self, task: Task, seconds: float, seconds_per_megabyte: float) -> None:
        """Hand over a task; past its deadline the process is killed, and `receive` says so."""
        message = pickle.dumps((task.work, task.values), protocol=pickle.HIGHEST_PROTOCOL)
        seconds += len(message) / _BYTES_PER_MEGABYTE * seconds_per_megabyte
        self.task = task
        # Writing can wait as long as computing: a process that reads nothing fills the pipe.
        self._deadline.begin(seconds)
        try:
            self.connection.send_bytes(message)
        except OSError:
            return  # it is gone; the closed pipe is found when the answer is read

    def _has_answered(self) -> bool:
        try:
            return self.connection.poll()
        except (EOFError, OSError):
            return False

    def receive(self) -> object:
        """Return what the process sent, or `Ended`; the task is over either way."""
        # It may have begun to answer long ago, and be stopped since.
        self._deadline.again()
        try:
            answer: object = self.connection.recv()
        except (EOFError, OSError):
            answer = None
            is_over = True
        else:
            is_over = False
        self.task = None
        self._is_killed = self._deadline.end()
        if not is_over:
            return answer
        if self._is_killed:
            return Ended(f"took more than {self._deadline.seconds:.3g} s (redaction_pool.seconds_per_task)")
        self._process.join(1.0)
        return Ended(f"ended its worker process (exit code {self._process.exitcode})")

    def end(self) -> None:
        """End the process: at once if it has something to do, else by closing its pipe."""
        self._deadline.close()
        was_idle = self.is_idle
        self.connection.close()
        if was_idle:
            self._process.join(5.0)
        self._process.kill()
        self._process.join()
        self._process.close()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Hold back signals meant for the parent, so that no worker meets one before it ignores them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, PARENTS_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have a process started here multiply on one core: there is one process for each core meant for this.

    Threads of one process would wait for each other, and for the core of the consuming process.
    """
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = before or "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
