"""Waiting for what is away: a broker, a store. The process lives, is not ready, and says why."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from sentinel.errors import RetryError
from sentinel.pipeline.accounting import Accounting
from sentinel.pipeline.params import PipelineParams
from sentinel.telemetry.health import Health
from sentinel.telemetry.logs import get_logger

log = get_logger("pipeline")
T = TypeVar("T")
#: How long a wait may go on after the process was told to stop.
_SLICE_SECONDS = 0.1


class Patience:
    """Repeats calls, waiting longer each time up to a limit."""

    def __init__(self, params: PipelineParams, health: Health, accounting: Accounting) -> None:
        self._params = params
        self._health = health
        self._accounting = accounting

    def repeat(
        self,
        part: str,
        call: Callable[[], T],
        is_stopping: Callable[[], bool],
        meanwhile: Callable[[], None] | None,
    ) -> T:
        """Return what `call` returns once `part` is there; `meanwhile` is done after each wait.

        Raises RetryError only where the process was told to stop while waiting.
        """
        wait = self._params.first_wait_seconds
        while True:
            try:
                result = call()
            except RetryError as error:
                self._health.set_not_ready(part, error.outline)
                self._accounting.retried(part)
                log.warning("retry", away=part, error=str(error), wait_seconds=wait)
                if is_stopping():
                    raise
                _wait(wait, is_stopping)
                if meanwhile is not None:
                    meanwhile()
                wait = min(wait * 2, self._params.longest_wait_seconds)
            else:
                self._health.set_ready(part)
                return result


def _wait(seconds: float, is_stopping: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while not is_stopping() and (remaining := deadline - time.monotonic()) > 0:
        time.sleep(min(remaining, _SLICE_SECONDS))
