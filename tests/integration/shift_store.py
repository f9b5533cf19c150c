"""A store with simulated minute counts: shared by the tests of shift detection."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np

from sentinel.detection.histograms import word_bucket, word_scores
from sentinel.records import Partition
from sentinel.store import minute_counts, slice_counts
from sentinel.store.database import Database
from sentinel.store.frame import window_of
from sentinel.store.minute_counts import MinuteKey
from sentinel.store.slice_counts import SliceKey

MONDAY = datetime(2026, 11, 16, tzinfo=UTC)
PARTITIONS = (Partition("answers", 0), Partition("answers", 1))
MINUTE = timedelta(minutes=1)


def fill_minutes(
    database: Database,
    start: datetime,
    minutes: int,
    rates: dict[str, float],
    *,
    app: str = "shop",
    version: str = "model=m1",
    per_minute: float = 60.0,
    words: float = 100.0,
    seed: int = 1,
) -> None:
    """Count simulated minutes; `rates` are abstention rates by workflow, which have equal traffic."""
    rng = np.random.default_rng(seed)
    of_minutes: dict[MinuteKey, Counter[str]] = {}
    of_slices: dict[SliceKey, Counter[str]] = {}
    for number in range(minutes):
        at = start + number * MINUTE
        partition = PARTITIONS[number % 2]
        counts = of_minutes.setdefault(MinuteKey(at, partition, app, version), Counter())
        for workflow, rate in rates.items():
            count = int(rng.poisson(per_minute / len(rates)))
            abstained = int(rng.binomial(count, rate))
            part = of_slices.setdefault(
                SliceKey(window_of(at), partition, app, "workflow", workflow), Counter()
            )
            lengths = rng.lognormal(np.log(words), 0.7, count)
            for length in lengths:
                bucket = word_bucket(round(length))
                counts[f"words_{bucket}"] += 1
                part["word_score"] += round(word_scores()[bucket] * 1000)
            for target in (counts, part):
                target.update(events=count, abstained=abstained)
    with database.begin() as conn:
        minute_counts.add_minutes(conn, of_minutes)
        slice_counts.add_slices(conn, of_slices)
