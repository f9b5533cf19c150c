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
from sentinel.pipeline.domain_caps import NOVELTY
from sentinel.pipeline.fault_points import FaultPoints
from sentinel.pipeline.tally import Tally
from sentinel.records import Partition
from sentinel.sampling.design import SamplingParams
from sentinel.sampling.novelty import (
    FIRST_DAY,
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
    log_marks: Mapping[Partition, str | None],
) -> CommitOutcome:
    """Write a batch in one transaction; `log_marks` tell the logs up to the batch's end from others.

    Raises RejoinError if another worker has moved one of the partitions (nothing is written), and
    RetryError if the store is away (whether anything was written then shows at the next attempt:
    the same batch fails its compare-and-set if it was).
    """
    with database.begin() as connection:
        for partition in sorted(batch.offsets):
            expected, following = batch.offsets[partition]
            mark = log_marks.get(partition)
            checkpoints.advance(
                connection, partition, expected, following, now, batch_id=batch.id, log_mark=mark
            )
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
        for partition, seen in sorted(batch.tally.seen().items()):
            deduplication.append(connection, partition, seen, now)
        faults.reach("duplicates_written")
        rows_added = _note_values(connection, batch.tally, batch.watermark, params, now)
        faults.reach("before_commit")
    faults.reach("after_commit")
    return CommitOutcome(len(outcome.inserted), len(raised.inserted), len(outcome.met), rows_added)


def _note_values(
    connection: Connection,
    tally: Tally,
    watermark: datetime | None,
    params: SamplingParams,
    now: datetime,
) -> int:
    """Remember values seen for the first time, and append a schedule row for those that are new."""
    if watermark is None:
        return 0
    known_values.note_values(connection, tally.first_seen)
    looked_at = {(NOVELTY + field, value): at for (field, value), at in tally.novel.items()}
    noted = known_values.note_values(connection, looked_at)
    # Of several workers that meet a value at once one is told: the row is its to append.
    candidates = {(field.removeprefix(NOVELTY), value) for field, value in noted}
    starts = {frame.window_of(tally.novel[pair] - FIRST_DAY) for pair in candidates}
    settled = {start: is_new(_answers_until(connection, start)) for start in starts}
    new = {pair for pair in candidates if settled[frame.window_of(tally.novel[pair] - FIRST_DAY)]}
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
