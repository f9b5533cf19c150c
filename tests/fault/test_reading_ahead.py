"""The next batch is read while the redaction of this one is waited for: nothing may depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from sentinel.errors import DeadLetterError, RetryError
from sentinel.pipeline.errands import Errand, Meanwhile, Redacting
from sentinel.records import Partition, RawAnswer, RawRecord, RedactedAnswer
from sentinel.store import checkpoints
from sentinel.store.schema import not_covered
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.stream.source import PartitionListener
from tests.fault.contents import assert_same, contents, event_counts
from tests.fault.streams import answers, mixed
from tests.fault.workers import Worker, metric, small_batches, working
from tests.harness import WEEK, encoded, fresh_database, settings_for

SETTINGS = small_batches(settings_for(), 7)
LARGE_BATCHES = small_batches(settings_for(), 100)
Step = Callable[["AheadSource"], None]


class _Paced:
    """Redaction that leaves time for all the work ahead, or for none of it."""

    def __init__(self, redacting: Redacting, *, slowly: bool) -> None:
        self._redacting = redacting
        self._slowly = slowly

    def begin(self, answer: RawAnswer) -> Errand:
        return self._redacting.begin(answer)

    def results(
        self, errands: Sequence[Errand], meanwhile: Meanwhile, spare: Iterator[None]
    ) -> Sequence[RedactedAnswer | DeadLetterError]:
        if self._slowly:
            for _ in spare:
                pass
        return self._redacting.results(errands, meanwhile, iter(()))


def pace_redaction(worker: Worker, *, slowly: bool) -> None:
    treatment = worker.agent._treatment
    treatment._redacting = _Paced(treatment._redacting, slowly=slowly)


class AheadSource(MemorySource):
    """Does something at each poll that is made ahead."""

    def __init__(self, topic: MemoryTopic, script: Sequence[Step] = (), most_at_once: int = 1000) -> None:
        super().__init__(topic)
        self._script = list(script)
        self._most_at_once = most_at_once
        self.ahead = 0

    def poll(self, max_records: int, timeout_seconds: float) -> Sequence[RawRecord]:
        # A poll for one record only keeps the group's membership.
        if 0.0 < timeout_seconds < 0.01 and max_records > 1:
            self.ahead += 1
            max_records = min(max_records, self._most_at_once)
            if self._script:
                self._script.pop(0)(self)
        return super().poll(max_records, timeout_seconds)

    def skip_deleted(self, first: int) -> None:
        """Find that retention deleted what was to be read next, as Kafka's client does while it polls."""
        partition = self._topic.partitions[0]
        self._topic.forget_before(partition, first)
        assert self._listener is not None
        self._listener.on_gap(partition, self._positions[partition], first)
        self._positions[partition] = first

    @property
    def is_done(self) -> bool:
        return not self._script


def to(*numbers: int) -> Step:
    return lambda source: source.assign(numbers)


def nothing(_: AheadSource) -> None:
    return


def away(_: AheadSource) -> None:
    raise RetryError("the broker is away")


def one_partition(count: int) -> MemoryTopic:
    topic = MemoryTopic()
    for one in answers(count):
        topic.append(encoded(one), WEEK)
    return topic


def two_partitions() -> MemoryTopic:
    topic = MemoryTopic(partitions=2)
    for value in mixed(120):
        topic.append(value, WEEK, number=value[18] % 2 if value.startswith(b'{"event_id": "e') else 0)
    return topic


def read(
    topic: MemoryTopic, folder: Path, name: str, script: Sequence[Step], *, slowly: bool
) -> dict[str, Any]:
    source = AheadSource(topic, script)
    with fresh_database(folder, name) as database, working(source, database, SETTINGS) as worker:
        pace_redaction(worker, slowly=slowly)
        worker.run()
        assert source.is_done
        assert source.end_reached()
        assert bool(source.ahead) is slowly
        return contents(database, without_first_seen=True)


@pytest.mark.parametrize(
    "moves",
    [
        pytest.param([], id="nothing happens"),
        pytest.param([nothing, away, nothing, away, away], id="the broker is away"),
        pytest.param([to(0, 1)], id="all taken and given back at once"),
        pytest.param([to(0), nothing, to(0, 1)], id="one taken, later given back"),
        pytest.param([nothing, to(1), to(0), to(0, 1)], id="taking turns"),
        pytest.param([to(1), away, to(0, 1)], id="moved, away, moved back"),
    ],
)
def test_the_store_is_as_if_nothing_were_read_ahead(moves: list[Step], tmp_path: Path) -> None:
    topic = two_partitions()
    undisturbed = read(topic, tmp_path, "calm.db", [], slowly=False)
    assert_same(undisturbed, read(topic, tmp_path, "ahead.db", moves, slowly=True))


def test_a_gap_met_ahead_is_counted_with_the_records_behind_it(tmp_path: Path) -> None:
    """Counted with the batch before it, it would be counted again by whoever takes over in between."""
    topic = one_partition(40)

    def overtaken(source: AheadSource) -> None:
        source.skip_deleted(20)

    with fresh_database(tmp_path) as database:
        with working(AheadSource(topic, [nothing, overtaken]), database, SETTINGS) as worker:
            pace_redaction(worker, slowly=True)
            worker.run(lambda accounts: worker.agent.stop() if accounts.events == 14 else None)
        assert event_counts(database)["not_covered"] == 0
        with working(MemorySource(topic), database, SETTINGS) as heir:
            heir.run()
        counted = event_counts(database)
    assert counted["events"] == 14 + 20
    assert counted["not_covered"] == 20 - 14


def test_a_gap_met_ahead_is_counted_once_by_one_worker(tmp_path: Path) -> None:
    topic = one_partition(40)
    source = AheadSource(topic, [nothing, lambda source: source.skip_deleted(20)])
    with fresh_database(tmp_path) as database, working(source, database, SETTINGS) as worker:
        pace_redaction(worker, slowly=True)
        worker.run()
        counted = event_counts(database)
    assert (counted["events"], counted["not_covered"]) == (34, 6)


@pytest.mark.parametrize("batches", range(1, 14))
def test_a_gap_is_counted_by_the_batch_that_passes_it(batches: int, tmp_path: Path) -> None:
    """A batch that ends before a gap leaves it to the next, whoever treats that; of two gaps each its own."""
    topic = one_partition(60)
    settings = small_batches(settings_for(rate=0.99), 12, units=2)
    script = [nothing, lambda source: source.skip_deleted(20), lambda source: source.skip_deleted(40)]
    done = 0

    def stop_in_time(_: object) -> None:
        nonlocal done
        done += 1
        if done == batches:
            worker.agent.stop()

    with fresh_database(tmp_path) as database:
        with working(AheadSource(topic, script, most_at_once=3), database, settings) as worker:
            pace_redaction(worker, slowly=True)
            worker.run(stop_in_time)
        with database.read() as connection:
            (reached,) = checkpoints.next_offsets(connection).values()
        so_far = event_counts(database)
        assert so_far["events"] + so_far["not_covered"] == reached
        with working(MemorySource(topic), database, settings) as heir:
            heir.run()
        counted = event_counts(database)
    assert counted["events"] + counted["not_covered"] == 60


class AddedSource(AheadSource):
    """Finds partitions without a checkpoint as Kafka does if they are new to a known topic: all is unread."""

    def _start(self, listener: PartitionListener, partition: Partition, stored: int | None) -> int:
        return super()._start(listener, partition, stored or 0)


def test_a_gap_before_a_partitions_first_commit_outlives_a_batch_that_is_rolled_back(tmp_path: Path) -> None:
    topic = two_partitions()
    topic.forget_before(topic.partitions[1], 5)

    def overtaken_by_another_worker(_: AheadSource) -> None:
        its_source = MemorySource(topic)
        its_source.forget_first_assignment()
        its_source.assign([0])
        with working(its_source, database, SETTINGS) as other:
            other.run()

    source = AddedSource(topic, [overtaken_by_another_worker])
    with fresh_database(tmp_path) as database, working(source, database, SETTINGS) as worker:
        pace_redaction(worker, slowly=True)
        worker.run()
        assert metric(worker, "sentinel_pipeline_rejoins_total") == 1
        assert source.is_done
        deleted = sa.select(sa.func.sum(not_covered.c.events)).where(
            not_covered.c.reason == "deleted_by_retention"
        )
        with database.read() as connection:
            assert connection.scalar(deleted) == 5


def test_nothing_more_is_read_after_a_stop(tmp_path: Path) -> None:
    """What is in hand is finished; a broker that is away must not take the time there is for that."""
    topic = one_partition(30)
    with fresh_database(tmp_path) as database:
        source = AheadSource(topic, [lambda _: worker.agent.stop()], most_at_once=2)
        with working(source, database, SETTINGS) as worker:
            pace_redaction(worker, slowly=True)
            worker.run()
        assert source.ahead == 1
        assert event_counts(database)["events"] == 7


def test_lag_holds_what_was_read_ahead(tmp_path: Path) -> None:
    """Records in hand are not counted yet: a worker that dies now leaves them to its heir."""
    topic = one_partition(30)
    seen: list[float] = []
    with fresh_database(tmp_path) as database, working(AheadSource(topic), database, SETTINGS) as worker:
        pace_redaction(worker, slowly=True)
        worker.run(lambda accounts: seen.append(metric(worker, "sentinel_stream_consumer_lag_records")))
    assert seen == [23, 16, 9, 2, 0]


def test_an_answer_that_cannot_be_looked_at_is_parked_at_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ahead or not: it is parked once, and its repeat is a duplicate of nothing."""
    topic = one_partition(20)
    broken = answers(20)[11]["event_id"]

    def run(name: str, *, slowly: bool) -> dict[str, Any]:
        with (
            fresh_database(tmp_path, name) as database,
            working(AheadSource(topic), database, SETTINGS) as worker,
        ):
            stages = worker.agent._treatment._preparation._stages
            compute = stages.indicators_of

            def indicators_of(answer: RawAnswer) -> Any:
                if answer.event_id == broken:
                    raise ValueError("an error of ours")
                return compute(answer)

            monkeypatch.setattr(stages, "indicators_of", indicators_of)
            pace_redaction(worker, slowly=slowly)
            worker.run()
            assert worker.accounting.reasons == {"treatment_failed": 1}
            assert event_counts(database)["events"] == 19
            return contents(database, without_first_seen=True)

    assert_same(run("calm.db", slowly=False), run("ahead.db", slowly=True))


def test_reading_ahead_is_of_one_batch(tmp_path: Path) -> None:
    """However long redaction takes, no more than one further batch is in hand."""
    topic = one_partition(100)
    most = 0
    with fresh_database(tmp_path) as database, working(AheadSource(topic), database, SETTINGS) as worker:
        pace_redaction(worker, slowly=True)

        def look(_: object) -> None:
            nonlocal most
            most = max(most, len(worker.agent._pending))

        worker.run(look)
        assert event_counts(database)["events"] == 100
    assert most == 7


def test_large_records_are_read_ahead_by_their_size(tmp_path: Path) -> None:
    """A source bounds what one poll brings in bytes; many polls in a row are bounded, too."""
    topic = one_partition(100)
    large = b"x" * 2**20
    for _ in range(100):
        topic.append(large, WEEK)
    most = 0
    source = AheadSource(topic, most_at_once=1)
    with fresh_database(tmp_path) as database, working(source, database, LARGE_BATCHES) as worker:
        pace_redaction(worker, slowly=True)

        def look(_: object) -> None:
            nonlocal most
            most = max(most, sum(len(one.record.value or b"") for one in worker.agent._pending))

        worker.run(look)
        assert event_counts(database)["dead_letters"] == 100
    assert 2**20 < most <= 9 * 2**20
