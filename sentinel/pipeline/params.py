"""What an operator can set about the agent's loop."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineParams:
    """Sizes and waits of the loop.

    A batch ends after `batch_records` records or `batch_units` drawn answers (redaction is the slow
    part, and a batch must be done well within the source's poll limit). `stop_seconds` is the longest a
    process takes to end once it is told to: what is not done then is left as a kill would leave it.
    """

    batch_records: int = 1500
    batch_units: int = 64
    poll_seconds: float = 0.5
    first_wait_seconds: float = 0.2
    longest_wait_seconds: float = 5.0
    dead_letters_kept_per_batch: int = 100
    stop_seconds: float = 20.0

    def __post_init__(self) -> None:
        if self.batch_records < 1 or self.batch_units < 1:
            raise ValueError("batch_records and batch_units must be at least 1")
        if self.stop_seconds <= 0:
            raise ValueError("stop_seconds must be positive")
        if not 0 < self.first_wait_seconds <= self.longest_wait_seconds or self.poll_seconds <= 0:
            raise ValueError(
                "poll_seconds, first_wait_seconds and longest_wait_seconds must be positive, in order"
            )
