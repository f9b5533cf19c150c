"""How a process ends that a signal ends before its work is done. Imports nothing that takes time."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: What runs until it is stopped: to be stopped is its success.
_UNTIL_STOPPED = ("run", "serve")


def leave(number: int, _frame: FrameType | None) -> None:
    """End the process at once: nothing has begun, or nothing is left to be done."""
    os._exit(exit_code(number))


def exit_code(number: int) -> int:
    """Return what a process ends with that a signal has ended before its work was done.

    0 for what runs until it is stopped, else 128 + the signal's number, as a shell counts.
    """
    command = next((argument for argument in sys.argv[1:] if not argument.startswith("-")), "")
    return 0 if command in _UNTIL_STOPPED else 128 + number
