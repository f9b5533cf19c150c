"""When a process must have answered: one that has not is killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf
from multiprocessing.process import BaseProcess


class Deadline:
    """Kills a process that takes longer than it may; between its tasks there is no deadline.

    `has_answered`: whether something of an answer is there. Who asked may come for it much later, as when a
    store is away meanwhile: such a process is not late.

    One thread sleeps until the process could be late at the earliest. A task that begins while it sleeps
    need not wake it: tasks are short, and all but the first begin before it would have to wake anyway.
    """

    def __init__(self, process: BaseProcess, has_answered: Callable[[], bool]) -> None:
        self.seconds = 0.0
        self._process = process
        self._has_answered = has_answered
        self._condition = threading.Condition()
        self._late_at = inf
        self._wakes_at = -inf
        self._is_expired = False
        self._is_closed = False
        threading.Thread(target=self._watch, name="redaction deadline", daemon=True).start()

    def begin(self, seconds: float) -> None:
        """Set the deadline for a task that begins now."""
        with self._condition:
            self.seconds, self._is_expired = seconds, False
            self._late_at = time.monotonic() + seconds
            if self._late_at < self._wakes_at:
                self._condition.notify()

    def again(self) -> None:
        """Have the same time run from now, unless the process was killed."""
        with self._condition:
            if self._is_expired:
                return
        self.begin(self.seconds)

    def end(self) -> bool:
        """Call it off; return whether it was too late for that."""
        with self._condition:
            self._late_at = inf
            return self._is_expired

    def close(self) -> None:
        """Never kill the process any more."""
        with self._condition:
            self._is_closed = True
            self._condition.notify()

    def _watch(self) -> None:
        with self._condition:
            while not self._is_closed:
                left = self._late_at - time.monotonic()
                if left <= 0:
                    self._late_at = inf
                    if not self._has_answered():
                        self._is_expired = True
                        self._process.kill()
                    continue
                self._wakes_at = self._late_at
                self._condition.wait(None if left == inf else min(left, threading.TIMEOUT_MAX))
                self._wakes_at = -inf
