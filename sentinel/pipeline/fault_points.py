"""Named places at which a test may kill or freeze the process, to show that nothing depends on luck.

Armed by `SENTINEL_TEST_FAULT_POINT=NAME` or `NAME:N` (the Nth time it is reached), which kills, or
`NAME:N:freeze`, which stops the process until it gets SIGCONT: it comes back as one that believes it
still owns what the group has given away. Unarmed, reaching a point costs one comparison.
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
    "published",
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
        name, _, rest = (armed or "").partition(":")
        times, _, how = rest.partition(":")
        if name and name not in POINTS:
            raise ValueError(f"{VARIABLE}={name}: unknown; one of {', '.join(POINTS)}")
        if how not in ("", "freeze"):
            raise ValueError(f"{VARIABLE}: {how} is unknown; leave it out to kill, or freeze")
        self._name = name
        self._left = int(times or 1)
        self._signal = signal.SIGSTOP if how else signal.SIGKILL

    @classmethod
    def from_environment(cls) -> FaultPoints:
        """Return the points as this process's environment arms them."""
        return cls(os.environ.get(VARIABLE))

    def reach(self, name: str) -> None:
        """Kill or freeze this process if this is the armed point and its turn has come."""
        if name != self._name:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), self._signal)
