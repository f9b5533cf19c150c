"""SIGTERM and SIGINT: end after the batch in hand, and within the grace time whatever happens.

A call into a database driver may hold the main thread for as long as its own timeout, and Python runs
signal handlers on that thread alone. So the signal is also heard by a thread that only waits for it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from sentinel.telemetry.logs import get_logger

log = get_logger("cli")
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """Whether the process was told to end, and whom to tell."""

    def __init__(self) -> None:
        self._asked = False
        self._tell: Callable[[], None] | None = None

    def asked(self) -> bool:
        """Return whether a signal has come."""
        return self._asked

    def tells(self, tell: Callable[[], None]) -> None:
        """Name what to call, in a signal handler: it may take no lock. At once if a signal has come."""
        self._tell = tell
        if self._asked:
            tell()

    def ask(self) -> None:
        """Do as if a signal had come."""
        self._asked = True
        if self._tell is not None:
            self._tell()


@contextmanager
def stopping_on_signals(grace_seconds: float, at_the_latest: Callable[[], None]) -> Iterator[Stop]:
    """Yield what signals are told to; the process ends `grace_seconds` after one, with exit code 0.

    `at_the_latest` is called then, on another thread. Nothing is lost by such an end: it is that of a
    kill, and what is not committed comes again.
    """
    stop = Stop()

    def handle(_signal: int, _frame: FrameType | None) -> None:
        stop.ask()

    heard, told = os.pipe()
    os.set_blocking(told, False)
    done = threading.Event()
    watch = threading.Thread(
        target=_watch, args=(heard, done, grace_seconds, at_the_latest), name="sentinel-stop", daemon=True
    )
    watch.start()
    wakeup = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield stop
    finally:
        done.set()
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        os.close(told)
        watch.join()
        os.close(heard)


def _watch(
    heard: int, done: threading.Event, grace_seconds: float, at_the_latest: Callable[[], None]
) -> None:
    while number := os.read(heard, 1):
        if number[0] in _SIGNALS:
            break
    else:
        return
    if done.wait(grace_seconds):
        return
    log.warning(
        "stopped in the middle of a call that did not return: what was not committed comes again",
        grace_seconds=grace_seconds,
    )
    at_the_latest()
    os._exit(0)
