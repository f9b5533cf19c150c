"""What an operator can set about the lease of scheduled work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeaderParams:
    """How a process leads.

    `lease_seconds`: for how long a leader that no longer answers keeps the others waiting; it renews three
    times as often. A job that fails is tried again after `retry_seconds`, then after twice that, and so on
    up to `longest_retry_seconds`.
    """

    lease_seconds: float = 30.0
    retry_seconds: float = 30.0
    longest_retry_seconds: float = 900.0

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the fields and their rule.
        """
        if not 1.0 <= self.lease_seconds <= 3600.0:
            raise ValueError("lease_seconds must lie between 1 and 3600")
        if not 0.0 < self.retry_seconds <= self.longest_retry_seconds:
            raise ValueError("retry_seconds and longest_retry_seconds must be positive, in order")
