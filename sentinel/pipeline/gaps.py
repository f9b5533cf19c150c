"""Records that retention deleted before they were read: kept until the commit that passes them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from sentinel.pipeline.batch import Batch
from sentinel.records import Partition


@dataclass(frozen=True, slots=True)
class Gap:
    """Records that were deleted unread, and the offset of the first one after them."""

    records: int
    ends_at: int


class Gaps:
    """The gaps that no commit has passed yet.

    Where they are decides which commit counts them: one that ends before a gap leaves it to a later one,
    perhaps another worker's, which meets it anew.
    """

    def __init__(self) -> None:
        self._gaps: defaultdict[Partition, list[Gap]] = defaultdict(list)

    def note(self, partition: Partition, gap: Gap) -> None:
        """Keep a gap; it is behind those of the same partition that are kept already."""
        self._gaps[partition].append(gap)

    def forget(self, partition: Partition) -> None:
        """Drop what is kept of a partition: whoever reads it next meets the gap itself."""
        self._gaps.pop(partition, None)

    def clear(self) -> None:
        """Drop all: the source goes back to before them."""
        self._gaps.clear()

    def ends(self) -> dict[Partition, int]:
        """Return the offset behind the last gap of each partition that has one."""
        return {partition: gaps[-1].ends_at for partition, gaps in self._gaps.items() if gaps}

    def count_passed(self, batch: Batch, now: datetime) -> None:
        """Count the gaps that a batch passes as not covered, and keep the others."""
        for partition, (_, following) in batch.offsets.items():
            while (gaps := self._gaps.get(partition)) and gaps[0].ends_at <= following:
                batch.tally.add_not_covered(now, partition, "deleted_by_retention", gaps.pop(0).records)
