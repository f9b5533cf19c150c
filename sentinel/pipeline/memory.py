"""What a worker remembers between batches; all of it can be had from the store again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sentinel.pipeline.deduplication import DeduplicationParams, DeduplicationWindow
from sentinel.pipeline.domain_caps import DomainCaps, DomainParams
from sentinel.pipeline.scheduling import load_schedule
from sentinel.pipeline.stages import Schedule
from sentinel.sampling.schedule import BEGINNING
from sentinel.store import deduplication, known_values
from sentinel.store.database import Database


@dataclass(slots=True)
class Memory:
    """Duplicate window, known domain values and schedule."""

    window: DeduplicationWindow
    caps: DomainCaps
    schedule: Schedule


def load_memory(
    database: Database, duplicates: DeduplicationParams, domains: DomainParams, indicators: str, now: datetime
) -> Memory:
    """Return the memory the store implies: at the start, and after a batch that was rolled back."""
    window = DeduplicationWindow(duplicates)
    with database.read() as connection:
        for hour, seen in deduplication.load(connection, window.begins_at(now), window.most_hashes).items():
            window.load(hour, seen)
        caps = DomainCaps(domains, known_values.all_values(connection))
    return Memory(window, caps, load_schedule(database, BEGINNING, indicators, now))
