"""How far is read ahead: up to one more batch, and to a bound in bytes, as long as anything comes."""

from __future__ import annotations

from collections.abc import Sequence

from sentinel.pipeline.preparation import Polled

#: How long more records are waited for in one try, and how many tries may be in vain.
TRY_SECONDS = 0.005
_MOST_IN_VAIN = 20
#: Of records in hand: more are not polled for. One poll of a source brings about as much at most.
_MOST_BYTES = 8 * 1024 * 1024


class Reach:
    """How many more records are wanted while one batch is waited for."""

    def __init__(self, most_records: int) -> None:
        self._most_records = most_records
        self._in_vain = 0

    def wanted(self, in_hand: Sequence[Polled]) -> int:
        """Return how many records to poll for beside those in hand; 0 is the end of it."""
        held = sum(len(one.record.value) for one in in_hand if one.record.value is not None)
        if self._in_vain >= _MOST_IN_VAIN or held >= _MOST_BYTES:
            return 0
        return max(0, self._most_records - len(in_hand))

    def tried(self, polled: Sequence[Polled]) -> None:
        """Note what a try has brought."""
        self._in_vain += not polled
