"""A batch: everything that one commit writes, worked out before the transaction begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from secrets import token_hex

from sentinel.pipeline.tally import Tally
from sentinel.records import Partition, SampledUnit
from sentinel.store.dead_letters import DeadLetter
from sentinel.stream.publication import RedactedCopy


@dataclass(slots=True)
class Counts:
    """What the batch adds to the process's own counters once it is committed."""

    events: int = 0
    duplicates: int = 0
    tombstones: int = 0
    signals_without_content: int = 0
    signals_elsewhere: int = 0
    cleaned: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    entities: Counter[str] = field(default_factory=Counter)
    words: list[int] = field(default_factory=list)
    domains: Counter[tuple[str, str]] = field(default_factory=Counter)
    expected_units: float = 0.0
    units_variance: float = 0.0


@dataclass(frozen=True, slots=True)
class Batch:
    """The work of one commit over one or more partitions.

    `offsets` maps each partition to (the offset the store must still hold, the one to go on from);
    an expected None means that the store has none yet. `id` is the batch's own, by which its commit is
    recognised in the store. `units` arrived for the first time,
    `raised` are late signals on answers already counted. `copies` are published before the commit.
    """

    offsets: Mapping[Partition, tuple[int | None, int]]
    units: tuple[SampledUnit, ...]
    raised: tuple[SampledUnit, ...]
    dead_letters: tuple[DeadLetter, ...]
    tally: Tally
    counts: Counts
    watermark: datetime | None
    copies: tuple[RedactedCopy, ...] = ()
    id: str = field(default_factory=lambda: token_hex(8))
