"""The agent's loop: poll, treat, commit, tell the source; retry what is away, roll back what is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from sentinel.clock import Clock
from sentinel.errors import RejoinError, RetryError, StopError
from sentinel.pipeline.accounting import Accounting
from sentinel.pipeline.batch import Batch, Counts
from sentinel.pipeline.commit import CommitOutcome, commit_batch
from sentinel.pipeline.fault_points import FaultPoints
from sentinel.pipeline.gaps import Gap, Gaps
from sentinel.pipeline.memory import Memory
from sentinel.pipeline.params import PipelineParams
from sentinel.pipeline.patience import Patience
from sentinel.pipeline.preparation import Polled
from sentinel.pipeline.reach import TRY_SECONDS, Reach
from sentinel.pipeline.stages import Arrival, Schedule
from sentinel.pipeline.tally import Tally
from sentinel.pipeline.treatment import Treatment
from sentinel.records import Partition
from sentinel.sampling.design import SamplingParams
from sentinel.store import checkpoints, deduplication
from sentinel.store.checkpoints import Checkpoint
from sentinel.store.database import Database
from sentinel.stream.publication import Publisher, Unpublished
from sentinel.stream.source import Source
from sentinel.telemetry.health import Health
from sentinel.telemetry.logs import get_logger

log = get_logger("pipeline")
T = TypeVar("T")
#: How many of the first records, by sampling time (None: no answer), may be treated before a step of the
#: budget is due; it takes the step that is due before the very first.
Pace = Callable[[Sequence[datetime | None]], int]
#: How often a worker deletes the hashes that have left the duplicate window.
_PURGE_EVERY = timedelta(minutes=10)


class Agent:
    """One worker: owns the partitions its source gives it, for as long as the store agrees."""

    def __init__(
        self,
        source: Source,
        database: Database,
        treatment: Treatment,
        remember: Callable[[datetime], Memory],
        schedule_to: Callable[[datetime, Schedule], Schedule],
        params: PipelineParams,
        sampling: SamplingParams,
        accounting: Accounting,
        health: Health,
        clock: Clock,
        faults: FaultPoints,
        pace: Pace | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        self._source = source
        self._database = database
        self._treatment = treatment
        self._remember = remember
        self._schedule_to = schedule_to
        self._params = params
        self._sampling = sampling
        self._accounting = accounting
        self._patience = Patience(params, health, accounting)
        self._clock = clock
        self._faults = faults
        self._pace = pace
        self._publisher = publisher or Unpublished()
        self._expected: dict[Partition, int | None] = {}
        self._first_seen: dict[Partition, int] = {}
        self._pending: list[Polled] = []
        self._gaps = Gaps()
        self._lost: set[Partition] = set()
        self._memory: Memory | None = None
        self._purged_at: datetime | None = None
        # A plain flag: a signal handler that meets a lock held by the code it interrupted never returns.
        self._stopping = False

    def stop(self) -> None:
        """Have the loop end after the batch in hand; may be called from a signal handler."""
        self._stopping = True

    def on_assigned(self, partitions: Sequence[Partition]) -> Mapping[Partition, int]:
        """Look up where the store says to go on, and what was counted of these partitions elsewhere.

        Waits for a store that is away: a source that was refused here would have to begin anew.
        """
        stored = self._retrying("store", lambda: self._stored(partitions), polls=False)
        for partition, checkpoint in stored.items():
            self._check_same_log(partition, checkpoint)
        offsets = {partition: checkpoint.next_offset for partition, checkpoint in stored.items()}
        self._expected.update({partition: offsets.get(partition) for partition in partitions})
        log.info("assigned", partitions=[str(p) for p in sorted(partitions)])
        return offsets

    def _check_same_log(self, partition: Partition, checkpoint: Checkpoint) -> None:
        offset, known = checkpoint.next_offset, checkpoint.log_mark
        found = self._log_mark(partition, offset)
        if known is not None and found is not None and found != known:
            raise StopError(
                f"{partition} is not what was read up to {offset} before: it was written or made anew; give "
                "the new content another name or use another store"
            )

    def _log_mark(self, partition: Partition, offset: int) -> str | None:
        return self._treatment.keyed_mark(self._source.log_mark(partition, offset))

    def on_first_sight(self, starts: Mapping[Partition, int]) -> Mapping[Partition, int]:
        """Have the store keep where a log begins that it does not know; return what it holds of it."""

        def begin() -> dict[Partition, int]:
            with self._database.begin() as connection:
                return checkpoints.begin_log(connection, starts, self._clock.now())

        stored = self._retrying("store", begin, polls=False)
        self._expected.update({p: offset for p, offset in stored.items() if p in self._expected})
        return stored

    def _stored(self, partitions: Sequence[Partition]) -> dict[Partition, Checkpoint]:
        now = self._clock.now()
        with self._database.read() as connection:
            if self._memory is not None and partitions:
                window = self._memory.window
                since, most = window.begins_at(now), window.most_hashes
                for hour, seen in deduplication.load(connection, since, most, partitions).items():
                    window.load(hour, seen)
            return checkpoints.read(connection, partitions)

    def on_revoked(self, partitions: Sequence[Partition]) -> None:
        """Drop what was polled and not committed of partitions that are gone."""
        gone = set(partitions)
        self._publisher.forget(partitions)
        for partition in gone:
            self._expected.pop(partition, None)
            self._first_seen.pop(partition, None)
            self._gaps.forget(partition)
        self._lost |= gone
        self._pending = [one for one in self._pending if one.record.partition not in gone]
        log.info("revoked", partitions=[str(p) for p in sorted(gone)])

    def on_gap(self, partition: Partition, expected_offset: int, found_offset: int) -> None:
        """Keep the size of a gap for the partition's next commit."""
        self._gaps.note(partition, Gap(found_offset - expected_offset, found_offset))
        # Without a checkpoint this is where a rolled-back batch goes back to, and meets the gap again.
        self._first_seen.setdefault(partition, expected_offset)
        log.warning("gap", partition=str(partition), expected=expected_offset, found=found_offset)

    def run(self, *, until_end: bool = False, on_batch: Callable[[Accounting], None] | None = None) -> None:
        """Work until stopped, or until the end the source had when it started.

        A stop while store or source is away ends the run too: what is not committed comes again. Raises
        StopError where going on cannot work. The source is closed by whoever opened it.
        """
        try:
            self._run(until_end, on_batch)
        except RetryError as error:
            if not self._stopping:
                raise
            log.warning(
                "stopped while store or source was away: what was not committed comes again", error=str(error)
            )

    def _run(self, until_end: bool, on_batch: Callable[[Accounting], None] | None) -> None:
        self._source.subscribe(self)
        self._memory = self._retrying("store", lambda: self._remember(self._clock.now()), polls=False)
        while not self._stopping:
            if not self._pending:
                self._pending = list(self._retrying("source", self._poll))
                self._faults.reach("polled")
            if not self._pending:
                self._accounting.idle(self._lag())
                self._guarded_batch(self._commit_gaps)
                if until_end and self._retrying("source", self._source.end_reached):
                    return
                continue
            self._guarded_batch(self._one_batch)
            if on_batch is not None:
                on_batch(self._accounting)

    def _guarded_batch(self, work: Callable[[Memory], None]) -> None:
        """Do the work of one commit; where the store says otherwise, forget it and begin anew from there."""
        if self._memory is None:
            raise RuntimeError("a batch needs what the store remembers")
        try:
            work(self._memory)
        except RejoinError as error:
            log.warning("rejoin", error=str(error))
            self._accounting.rejoined()
            self._memory = self._retrying("store", self._rejoin)

    def _poll(self, max_records: int | None = None, seconds: float | None = None) -> list[Polled]:
        params = self._params
        records = self._source.poll(
            params.batch_records if max_records is None else max_records,
            params.poll_seconds if seconds is None else seconds,
        )
        for record in records:
            self._first_seen.setdefault(record.partition, record.offset)
        return [Polled(record) for record in records]

    def _one_batch(self, memory: Memory) -> None:
        # What a poll brings while this batch waits for the store is kept behind it.
        polled, self._pending = self._pending, []
        self._lost.clear()
        arrived_at = self._clock.now()
        self._treatment.decode(polled, arrived_at, self._keep_partitions)
        polled, held_back = self._paced(polled)
        self._extend_schedule(memory, polled)
        self._check_owned({one.record.partition for one in polled})
        batch, taken = self._treatment.batch(
            polled,
            memory,
            dict(self._expected),
            arrived_at,
            self._faults,
            self._keep_partitions,
            lambda rest: self._read_ahead([*rest, *held_back], memory),
        )
        self._gaps.count_passed(batch, arrived_at)
        self._faults.reach("redacted")
        # Before the commit: what is published and not committed is found when the records come again.
        self._retrying("source", lambda: self._publisher.publish(batch.copies))
        self._faults.reach("published")
        outcome = self._commit(batch)
        self._go_on_after(batch, [*polled[taken:], *held_back])
        for seen in batch.tally.seen().values():
            memory.window.remember(arrived_at, seen)
        self._source.commit({partition: offsets[1] for partition, offsets in batch.offsets.items()})
        self._faults.reach("source_committed")
        self._accounting.committed(batch, outcome, self._lag())
        self._forget_old_hashes(memory, arrived_at)

    def _read_ahead(self, rest: Sequence[Polled], memory: Memory) -> Iterator[None]:
        """Poll up to one more batch and work out what can be known of it, a little at each step."""
        yield from self._treatment.ahead([*rest, *self._pending], self._clock.now(), memory)
        reach = Reach(self._params.batch_records)
        while not (rest or self._stopping) and (wanted := reach.wanted(self._pending)):
            try:
                polled = self._poll(wanted, TRY_SECONDS)
            except RetryError:
                return  # met again, told, and waited for when the next batch is polled
            # Only now: the poll itself makes the list anew when a partition goes.
            self._pending.extend(polled)
            reach.tried(polled)
            yield
            yield from self._treatment.ahead(polled, self._clock.now(), memory)

    def _forget_old_hashes(self, memory: Memory, now: datetime) -> None:
        """Purge what has left the duplicate window, now and then; a store that is away has no hurry."""
        # A clock that stepped back is no reason to wait until it has caught up.
        if self._purged_at is not None and timedelta(0) <= now - self._purged_at < _PURGE_EVERY:
            return
        self._purged_at = now
        try:
            with self._database.begin() as connection:
                deduplication.purge(connection, memory.window.begins_at(now))
        except RetryError as error:
            log.warning("purge put off", error=str(error))

    def _go_on_after(self, batch: Batch, rest: Sequence[Polled]) -> None:
        """Move past a committed batch; a partition that was lost meanwhile begins where the store says."""
        self._pending[:0] = [one for one in rest if self._owns(one.record.partition)]
        for partition, (_, following) in batch.offsets.items():
            if self._owns(partition):
                self._expected[partition] = following

    def _owns(self, partition: Partition) -> bool:
        """Whether a partition of the batch in hand was this worker's all the time."""
        return partition in self._expected and partition not in self._lost

    def _paced(self, polled: list[Polled]) -> tuple[list[Polled], list[Polled]]:
        """Return the records to be treated now, and those that a step of the budget comes before."""
        pace = self._pace
        if pace is None:
            return polled, []
        times = [
            one.outcome.facts.sampling_time if isinstance(one.outcome, Arrival) else None for one in polled
        ]
        allowed = self._retrying("store", lambda: pace(times))
        return polled[:allowed], polled[allowed:]

    def _extend_schedule(self, memory: Memory, polled: Sequence[Polled]) -> None:
        times = (one.outcome.facts.sampling_time for one in polled if isinstance(one.outcome, Arrival))
        latest = max(times, default=memory.schedule.reaches_to)
        if latest > memory.schedule.reaches_to:
            memory.schedule = self._retrying("store", lambda: self._schedule_to(latest, memory.schedule))

    def _commit(self, batch: Batch) -> CommitOutcome:
        attempts = 0
        marks = {p: self._log_mark(p, following) for p, (_, following) in batch.offsets.items()}

        def attempt() -> CommitOutcome:
            nonlocal attempts
            attempts += 1
            try:
                self._check_owned(batch.offsets)
                return commit_batch(
                    self._database,
                    batch,
                    self._sampling,
                    self._params.dead_letters_kept_per_batch,
                    self._clock.now(),
                    self._faults,
                    marks,
                )
            except RejoinError:
                # The connection may have gone after the store had committed: then the batch is there.
                if attempts > 1 and self._is_committed(batch):
                    return CommitOutcome(len(batch.units), len(batch.raised), 0, 0)
                raise

        with self._accounting.timed_commit():
            return self._retrying("store", attempt)

    def _is_committed(self, batch: Batch) -> bool:
        # Not by the offsets: another worker may have taken the very same records.
        with self._database.read() as connection:
            stored = checkpoints.read(connection, batch.offsets)
        return any(checkpoint.batch_id == batch.id for checkpoint in stored.values())

    def _check_owned(self, partitions: Iterable[Partition]) -> None:
        lost = sorted(str(partition) for partition in partitions if not self._owns(partition))
        if lost:
            raise RejoinError(f"{', '.join(lost)} moved to another worker while its records were in hand")

    def _commit_gaps(self, memory: Memory) -> None:
        """Count the gaps behind which no record has come yet: they must not wait for one."""
        ends = self._gaps.ends()
        offsets = {p: (self._expected[p], end) for p, end in ends.items() if p in self._expected}
        if not offsets:
            return
        self._lost.clear()
        now = self._clock.now()
        batch = Batch(offsets, (), (), (), Tally(memory.caps), Counts(), None)
        self._gaps.count_passed(batch, now)
        outcome = self._commit(batch)
        self._go_on_after(batch, ())
        self._accounting.committed(batch, outcome, self._lag())

    def _rejoin(self) -> Memory:
        """Forget everything uncommitted and go on from what the store holds."""
        with self._database.read() as connection:
            stored = {p: checkpoints.next_offset(connection, p) for p in self._expected}
        # After the offsets: what another worker commits in between is then known, and its offset is not,
        # so that the next commit fails; the other way round it would be counted a second time.
        memory = self._remember(self._clock.now())
        # The source goes back to before a gap that is not yet counted, and will tell of it again.
        self._pending = []
        self._gaps.clear()
        for partition, offset in stored.items():
            self._expected[partition] = offset
            back_to = self._first_seen.get(partition) if offset is None else offset
            if back_to is not None:
                self._source.seek(partition, back_to)
        return memory

    def _lag(self) -> Mapping[Partition, int] | None:
        try:
            lag = dict(self._source.lag())
        except RetryError as error:
            log.warning("retry", away="source", error=str(error))
            return None
        # What was read ahead is behind the source's position and not yet counted.
        for one in self._pending:
            if one.record.partition in lag:
                lag[one.record.partition] += one.record.next_offset - one.record.offset
        return lag

    def _retrying(self, part: str, call: Callable[[], T], *, polls: bool = True) -> T:
        """Repeat a call whose other side is away.

        `polls` False: waiting may not poll, for the call is made from within a poll or before the first.
        """
        meanwhile = self._keep_partitions if part == "store" and polls else None
        return self._patience.repeat(part, call, lambda: self._stopping, meanwhile)

    def _keep_partitions(self) -> None:
        """Poll without taking anything, so that the group does not give the partitions away."""
        held = set(self._expected)
        self._source.pause(held)
        try:
            # A partition that is assigned in this very poll is not paused yet: its records are kept.
            polled = self._poll(max_records=1, seconds=0.0)
            # Only now: the poll itself makes the list anew when a partition goes.
            self._pending.extend(polled)
            self._accounting.idle(self._lag())
        except RetryError as error:
            log.warning("retry", away="source", error=str(error))
        finally:
            self._source.resume(held | set(self._expected))
