"""Ctrl-C and SIGTERM while a command works: what is open is closed, the process ends soon, quietly."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sentinel.cli.leaving import SIGNALS, exit_code, leave

#: What closing files, processes and transactions may take.
_GRACE_SECONDS = 5.0


class Interruption:
    """Whether a signal has ended the command."""

    def __init__(self) -> None:
        self._number: int | None = None

    @property
    def exit_code(self) -> int | None:
        """Return what the process ends with; None where no signal has come."""
        return None if self._number is None else exit_code(self._number)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt; the second signal, or the end of the grace time, does not wait."""
        if self._number is not None:
            leave(number, frame)
        self._number = number
        # The exception can get lost: Python drops those that meet a finalizer or the lock of an import.
        timer = threading.Timer(_GRACE_SECONDS, os._exit, [exit_code(number)])
        timer.daemon = True
        timer.start()
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Yield what a signal of this block is told to; after the block one ends the process at once."""
    interruption = Interruption()
    taken = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in taken:
        signal.signal(number, interruption.handle)
    try:
        yield interruption
    except KeyboardInterrupt:
        if interruption.exit_code is None:
            raise
        # CPython ends by SIGINT, whatever the exit code, if the exception passed through an `exec` of a
        # string, of which imports are full (dataclasses, named tuples), unless another ended well since.
        exec("")  # noqa: S102
    finally:
        for number in taken:
            signal.signal(number, leave)
