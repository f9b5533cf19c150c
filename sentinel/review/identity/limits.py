"""Rate limits of one process, as buckets that fill again with time.

They are kept in memory: several workbenches on one store each allow the whole rate, and a restart begins
with full buckets. That is enough to make guessing hopeless and a runaway script harmless.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from sentinel.clock import Clock

_MOST_KEYS = 10_000


class RateLimit:
    """Allows `per_minute` calls a minute for each key, all at once or spread. Safe between threads."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._size = float(per_minute)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """Count a call; return 0, or after how many seconds there is room for it again."""
        with self._lock:
            content = self._content(key)
            wait = 0.0 if content >= 1.0 else (1.0 - content) * 60.0 / self._size
            self._keep(key, content if wait else content - 1.0)
            return wait

    def wait(self, key: str) -> float:
        """Return after how many seconds there is room for a call, without counting one."""
        with self._lock:
            content = self._content(key)
            return 0.0 if content >= 1.0 else (1.0 - content) * 60.0 / self._size

    def _content(self, key: str) -> float:
        content, at = self._buckets.get(key, (self._size, 0.0))
        passed = max(0.0, self._clock.monotonic_seconds() - at)
        return min(self._size, content + passed * self._size / 60.0)

    def _keep(self, key: str, content: float) -> None:
        self._buckets[key] = (content, self._clock.monotonic_seconds())
        self._buckets.move_to_end(key)
        while len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)
