"""Whether this process can do its work now, part by part."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from sentinel.telemetry.catalogue import PIPELINE_READY
from sentinel.telemetry.labels import clean_label_value
from sentinel.telemetry.metrics import Metrics

_REASON_CHARACTERS = 200


class Health:
    """Named conditions of one process; every call is thread-safe.

    The process is ready when every part is, and there is at least one. `parts` start as not ready, so
    that a part which never came up is missed. With `metrics`, `sentinel_pipeline_ready` follows.
    A reason is written by us for operators; it must not hold a value that came from a record.
    """

    def __init__(self, parts: Iterable[str] = (), metrics: Metrics | None = None) -> None:
        self._reasons: dict[str, str | None] = dict.fromkeys(parts, "starting")
        self._notes: dict[str, str] = {}
        self._metrics = metrics
        self._lock = threading.Lock()
        with self._lock:
            self._publish()

    def set_ready(self, part: str) -> None:
        """Say that `part` works."""
        self._change(part, None)

    def set_not_ready(self, part: str, reason: str) -> None:
        """Say that `part` does not work, and why."""
        self._change(part, clean_label_value(reason, _REASON_CHARACTERS))

    def forget(self, part: str) -> None:
        """Take a part away that this process no longer has."""
        with self._lock:
            self._reasons.pop(part, None)
            self._publish()

    def note(self, what: str, says: str) -> None:
        """Say something about the process that does not decide whether it is ready."""
        with self._lock:
            self._notes[what] = clean_label_value(says, _REASON_CHARACTERS)

    def notes(self) -> dict[str, str]:
        """Return what was noted last, by what it is about."""
        with self._lock:
            return dict(self._notes)

    @property
    def is_ready(self) -> bool:
        """Return whether every part works and there is one."""
        return not self.not_ready()

    def not_ready(self) -> dict[str, str]:
        """Return the reason of each part that does not work, by part."""
        with self._lock:
            return self._not_ready()

    def _change(self, part: str, reason: str | None) -> None:
        with self._lock:
            self._reasons[part] = reason
            self._publish()

    def _not_ready(self) -> dict[str, str]:
        if not self._reasons:
            return {"process": "starting"}
        return {part: reason for part, reason in self._reasons.items() if reason is not None}

    def _publish(self) -> None:
        # Inside the lock: two changes must not reach the gauge in the other order.
        if self._metrics is not None:
            self._metrics.set(PIPELINE_READY, 0.0 if self._not_ready() else 1.0)
