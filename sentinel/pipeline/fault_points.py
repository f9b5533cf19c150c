"""Named places at which a test may kill the process, to show that nothing depends on luck.

Armed by `SENTINEL_TEST_FAULT_POINT=NAME` or `NAME:N` (the Nth time it is reached). Unarmed, reaching a
point costs one comparison.
"""

from __future__ import annotations

import os
import signal

VARIABLE = "SENTINEL_TEST_FAULT_POINT"

#: In the order in which a commit reaches them.
POINTS = (
    "polled",
    "treated",
    "redacted",
    "offsets_advanced",
    "units_written",
    "frame_written",
    "minutes_written",
    "duplicates_written",
    "before_commit",
    "after_commit",
    "source_committed",
)


class FaultPoints:
    """The armed point of this process, read once from the environment."""

    def __init__(self, armed: str | None) -> None:
        name, _, times = (armed or "").partition(":")
        if name and name not in POINTS:
            raise ValueError(f"{VARIABLE}={name}: unknown; one of {', '.join(POINTS)}")
        self._name = name
        self._left = int(times or 1)

    @classmethod
    def from_environment(cls) -> FaultPoints:
        """Return the points as this process's environment arms them."""
        return cls(os.environ.get(VARIABLE))

    def reach(self, name: str) -> None:
        """Kill this process with SIGKILL if this is the armed point and its turn has come."""
        if name != self._name:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
