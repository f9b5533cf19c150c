"""Rate limits of one process, as buckets that fill again with time.

They are kept in memory: several workbenches on one store each allow the whole rate, and a restart begins
with full buckets. That is enough to make guessing hopeless and a runaway script harmless.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from fastapi import Request
from starlette.exceptions import HTTPException

from sentinel.clock import Clock
from sentinel.review.identity.origin import address_of
from sentinel.review.identity.params import AccessParams
from sentinel.review.identity.permission import Identify

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

    def give_back(self, key: str) -> None:
        """Take back a call that was counted and should not have been."""
        with self._lock:
            self._keep(key, min(self._size, self._content(key) + 1.0))

    def _content(self, key: str) -> float:
        content, at = self._buckets.get(key, (self._size, 0.0))
        passed = max(0.0, self._clock.monotonic_seconds() - at)
        return min(self._size, content + passed * self._size / 60.0)

    def _keep(self, key: str, content: float) -> None:
        self._buckets[key] = (content, self._clock.monotonic_seconds())
        self._buckets.move_to_end(key)
        while len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)


class SubmitLimit:
    """Bounds how many opinions and files a person, and an address, may send in a minute."""

    def __init__(self, params: AccessParams, clock: Clock) -> None:
        self._params = params
        self._of_person = RateLimit(params.submits_per_minute, clock)
        self._of_address = RateLimit(params.submits_per_minute_of_address, clock)

    def take(self, request: Request, person_id: str) -> None:
        """Count a request; raise HTTPException, 429, where a minute allows no more."""
        wait = self._of_person.take(person_id) or self._of_address.take(address_of(request, self._params))
        if wait:
            raise HTTPException(429, headers={"Retry-After": str(int(wait) + 1)})


async def counted_submit(request: Request) -> None:
    """Count a request against the limits of who sends it; a route that takes opinions depends on it."""
    identify: Identify = request.app.state.identify
    person = await identify(request)
    if person is not None:
        limit: SubmitLimit = request.app.state.submits
        limit.take(request, person.id)
