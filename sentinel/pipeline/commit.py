"""The one commit point: offsets, units, frame, minutes and duplicates in one transaction.

Either all of a batch is in the store or nothing of it is. The compare-and-set on each partition's
offset comes first: it takes the row's lock, so of two workers that both believe they own a partition
the second one waits, fails and rolls back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from sqlalchemy import Connection

from sentinel.pipeline.batch import Batch
from sentinel.pipeline.fault_points import FaultPoints
from sentinel.sampling.design import SamplingParams
from sentinel.sampling.novelty import (
    FIRST_DAY,
    NOVEL_FIELDS,
    expected_answers,
    is_new,
    row_with_novelty,
)
from sentinel.sampling.schedule import BEGINNING
from sentinel.store import (
    checkpoints,
    dead_letters,
    deduplication,
    frame,
    known_values,
    minute_counts,
    schedule,
    slice_counts,
    units,
)
from sentinel.store.database import Database


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """What the store made of a batch.

    `inserted` units arrived for the first time, `raised` answers were drawn because of a late signal,
    `met` are drawn answers that the duplicate window had missed.
    """

    inserted: int
    raised: int
    met: int
    rows_added: int


def commit_batch(
    database: Database,
    batch: Batch,
    params: SamplingParams,
    dead_letters_kept: int,
    now: datetime,
    faults: FaultPoints,
) -> CommitOutcome:
    """Write a batch in one transaction.

    Raises RejoinError if another worker has moved one of the partitions (nothing is written), and
    RetryError if the store is away (whether anything was written then shows at the next attempt:
    the same batch fails its compare-and-set if it was).
    """
    with database.begin() as connection:
        for partition in sorted(batch.offsets):
            expected, following = batch.offsets[partition]
            checkpoints.advance(connection, partition, expected, following, now)
        faults.reach("offsets_advanced")
        outcome = units.insert_units(connection, batch.units, now)
        raised = units.raise_units(connection, batch.raised, now)
        faults.reach("units_written")
        frame.add_cells(connection, batch.tally.cells)
        frame.add_not_covered(connection, batch.tally.not_covered)
        dead_letters.add_dead_letters(connection, batch.dead_letters, dead_letters_kept, now)
        faults.reach("frame_written")
        minute_counts.add_minutes(connection, batch.tally.minutes)
        slice_counts.add_slices(connection, batch.tally.slices)
        faults.reach("minutes_written")
        for partition, hashes in sorted(batch.tally.hash_arrays().items()):
            deduplication.append(connection, partition, hashes, now)
        faults.reach("duplicates_written")
        rows_added = _note_novelty(connection, batch.tally.first_seen, batch.watermark, params, now)
        faults.reach("before_commit")
    faults.reach("after_commit")
    return CommitOutcome(len(outcome.inserted), len(raised.inserted), len(outcome.met), rows_added)


def _note_novelty(
    connection: Connection,
    first_seen: Mapping[tuple[str, str], datetime],
    watermark: datetime | None,
    params: SamplingParams,
    now: datetime,
) -> int:
    """Remember values seen for the first time, and append a schedule row for those that are new."""
    if not first_seen or watermark is None:
        return 0
    noted = known_values.note_values(connection, first_seen)
    candidates = {pair for pair in noted if pair[0] in NOVEL_FIELDS}
    new = {pair for pair in candidates if is_new(_answers_until(connection, first_seen[pair] - FIRST_DAY))}
    if not new:
        return 0
    rows = schedule.extend_horizon(connection, watermark)
    expected = expected_answers(_answers_by_day(connection, watermark, params), params.novelty_days)
    row = row_with_novelty(rows[-1], new, watermark, expected, params)
    if row is None:
        return 0
    schedule.append_row(connection, row, watermark, now)
    return 1


def _answers_until(connection: Connection, end: datetime) -> int:
    if end <= BEGINNING:
        return 0
    return _answers(connection, BEGINNING, end)


def _answers_by_day(connection: Connection, watermark: datetime, params: SamplingParams) -> list[int]:
    ends = [watermark - timedelta(days=back) for back in range(ceil(params.novelty_days))]
    return [_answers(connection, end - timedelta(days=1), end) for end in ends]


def _answers(connection: Connection, start: datetime, end: datetime) -> int:
    """Answers counted in the windows from that of `start` up to, and not with, that of `end`."""
    cells = frame.totals(connection, frame.window_of(start), frame.window_of(end), domain="")
    return sum(counts.events for counts in cells.values())
