"""Promise 4: two workers that both believe they own a partition, and partitions that move in mid-batch."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from sentinel.errors import RetryError
from sentinel.pipeline.accounting import Accounting
from sentinel.records import RawRecord
from sentinel.store.database import Database, StoreParams
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from tests.fault.contents import assert_same, contents, event_counts
from tests.fault.streams import answers, mixed
from tests.fault.workers import both_at_once, meet_before_first_batch, metric, small_batches, working
from tests.harness import WEEK, encoded, fresh_database, settings_for, units_of

SETTINGS = small_batches(settings_for(), 7)


def two_partitions(values: Sequence[bytes] = ()) -> MemoryTopic:
    """Half of the answers on each partition; repeats and late signals stay with their answer."""
    topic = MemoryTopic(partitions=2)
    for position, value in enumerate(values or mixed(120)):
        number = value[18] % 2 if value.startswith(b'{"event_id": "e') else position % 2
        topic.append(value, WEEK, number=number)
    return topic


def calm(topic: MemoryTopic, folder: Path) -> dict[str, Any]:
    """What the store holds when one worker reads the topic in peace."""
    with (
        fresh_database(folder, "calm.db") as database,
        working(MemorySource(topic), database, SETTINGS) as worker,
    ):
        worker.run()
        return contents(database, without_first_seen=True)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'shared.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


def test_two_owners_of_everything(store: str, tmp_path: Path) -> None:
    topic = two_partitions()
    undisturbed = calm(topic, tmp_path)
    pace = random.Random(7)
    with Database(store) as one, Database(store) as other:
        one.upgrade()
        with (
            working(MemorySource(topic), one, SETTINGS) as first,
            working(MemorySource(topic), other, SETTINGS) as second,
        ):
            # Both poll their first records before either commits: one of them must lose.
            both_polled = threading.Barrier(2)
            threads = []
            for worker in (first, second):
                meet_before_first_batch(worker.agent, both_polled)
                remember_slowly(worker.agent)
                threads.append(worker.in_thread(lambda _: time.sleep(pace.random() / 200)))
            for thread in threads:
                thread.join(60)
            assert first.error is None
            assert second.error is None
            rejoins = [
                w.metrics.registry.get_sample_value("sentinel_pipeline_rejoins_total")
                for w in (first, second)
            ]
            assert sum(value or 0 for value in rejoins) >= 1
            counted = first.accounting.events + second.accounting.events
        assert_same(undisturbed, contents(one, without_first_seen=True))
        assert counted == event_counts(one)["events"] == 120


def remember_slowly(agent: Any) -> None:
    """Leave the other worker time to commit while this one is finding out where to go on."""
    remember = agent._remember

    def remembered(now: Any) -> Any:
        memory = remember(now)
        time.sleep(0.03)
        return memory

    agent._remember = remembered


class StoreHeld:
    """A stranger's write transaction: to the agent the store is away until it ends."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)

    def begin(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def end(self) -> None:
        self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()


class ScriptedSource(MemorySource):
    """Does something at each poll of a worker that waits for its store."""

    def __init__(self, topic: MemoryTopic, script: Sequence[Callable[[ScriptedSource], None]]) -> None:
        super().__init__(topic)
        self._script = list(script)
        self.armed = False
        self.afterwards: tuple[int, ...] | None = None

    def poll(self, max_records: int, timeout_seconds: float) -> Sequence[RawRecord]:
        if self.armed and timeout_seconds == 0.0 and self._script:
            self._script.pop(0)(self)
        elif self.done and self.afterwards is not None:
            self.assign(self.afterwards)
            self.afterwards = None
        return super().poll(max_records, timeout_seconds)

    @property
    def done(self) -> bool:
        return not self._script


Step = Callable[[ScriptedSource], None]


def to(*numbers: int) -> Step:
    return lambda source: source.assign(numbers)


def nothing(_: ScriptedSource) -> None:
    return


@pytest.mark.parametrize(
    ("first", "moves"),
    [
        pytest.param((0, 1), [to(0, 1)], id="taken and given back at once"),
        pytest.param((0, 1), [to(), to(0, 1)], id="taken, later given back"),
        pytest.param((0, 1), [to(0), nothing, to(0, 1)], id="one taken and given back"),
        pytest.param((0,), [to(0, 1)], id="another one comes"),
        pytest.param((0,), [to(0, 1), nothing, nothing], id="another one comes and waits"),
        pytest.param((0,), [to(1), to(0, 1)], id="exchanged, then both"),
        pytest.param((0, 1), [to(1), to(0), to(0, 1)], id="taking turns"),
        pytest.param((0, 1), [to(), nothing, to(1), to(0), to(1, 0)], id="all over the place"),
    ],
)
@pytest.mark.parametrize("batches_before", [0, 2])
def test_partitions_move_while_a_batch_waits_for_the_store(
    first: tuple[int, ...], moves: list[Step], batches_before: int, tmp_path: Path
) -> None:
    topic = two_partitions()
    undisturbed = calm(topic, tmp_path)
    path = tmp_path / "store.db"
    Database(f"sqlite:///{path}").upgrade()
    stranger = StoreHeld(path)
    source = ScriptedSource(topic, [*moves, lambda _: stranger.end()])
    source.forget_first_assignment()
    source.assign(first)
    with (
        Database(f"sqlite:///{path}", StoreParams(wait_seconds=0.02)) as database,
        working(source, database, SETTINGS) as worker,
    ):
        # The schedule has to reach the events: only the commit itself shall meet the lock.
        done = 0

        def after_batch(_: object) -> None:
            nonlocal done
            done += 1
            if done == batches_before + 1:
                source.armed = True
                stranger.begin()

        worker.run(after_batch)
        assert source.done
        assert source.end_reached()
        assert_same(undisturbed, contents(database, without_first_seen=True))
    stranger.close()


def test_what_is_lost_in_an_outage_and_comes_back_after_it_is_read(tmp_path: Path) -> None:
    topic = two_partitions()
    undisturbed = calm(topic, tmp_path)
    path = tmp_path / "store.db"
    Database(f"sqlite:///{path}").upgrade()
    stranger = StoreHeld(path)

    def lost_at_the_end(source: ScriptedSource) -> None:
        source.assign([])
        source.afterwards = (0, 1)
        stranger.end()

    source = ScriptedSource(topic, [nothing, lost_at_the_end])
    with (
        Database(f"sqlite:///{path}", StoreParams(wait_seconds=0.02)) as database,
        working(source, database, SETTINGS) as worker,
    ):

        def after_batch(accounts: Accounting) -> None:
            if not source.armed:
                source.armed = True
                stranger.begin()

        worker.run(after_batch)
        assert source.done
        assert source.afterwards is None
        assert_same(undisturbed, contents(database, without_first_seen=True))
    stranger.close()


def test_a_worker_that_gets_a_partition_knows_what_was_counted_there(tmp_path: Path) -> None:
    early = answers(40)
    topic = MemoryTopic(partitions=2)
    for one in early:
        topic.append(encoded(one), WEEK, number=0)
    for one in answers(60, first=100):
        topic.append(encoded(one), WEEK, number=1)
    for one in early:  # the application sends everything again after the move
        topic.append(encoded(one), WEEK, number=0)
    undisturbed = calm(topic, tmp_path)
    giver, taker = MemorySource(topic), MemorySource(topic)
    for source, number in ((giver, 0), (taker, 1)):
        source.forget_first_assignment()
        source.assign([number])
    moved = threading.Event()
    with fresh_database(tmp_path) as database:
        with (
            working(giver, database, SETTINGS) as one,
            working(taker, database, SETTINGS) as other,
        ):
            begun = threading.Event()

            def taker_waits(_: object) -> None:
                begun.set()
                moved.wait(30)

            thread = other.in_thread(taker_waits)
            assert begun.wait(30)

            def hands_over(_: object) -> None:
                if one.accounting.events >= 40:
                    giver.assign([])

            one.run(hands_over)
            assert one.accounting.duplicates < 40, "some of the repeats are left for the other"
            taker.assign([0, 1])
            moved.set()
            thread.join(60)
            assert other.error is None
            assert one.accounting.events + other.accounting.events == 100
            assert one.accounting.duplicates + other.accounting.duplicates == 40
        assert_same(undisturbed, contents(database, without_first_seen=True))


def test_a_rejoin_before_a_gap_counts_the_gap_once(tmp_path: Path) -> None:
    """The batch that is rolled back is of another partition than the gap, which is found a second time."""
    topic = MemoryTopic(partitions=2)
    for number in (0, 1):
        for one in answers(30, first=100 * number):
            topic.append(encoded(one), WEEK, number=number)
    with fresh_database(tmp_path) as database:
        source = MemorySource(topic)
        source.forget_first_assignment()
        source.assign([1])
        with working(source, database, SETTINGS) as worker:
            worker.run(lambda accounts: worker.agent.stop() if accounts.events >= 7 else None)
        topic.forget_before(topic.partitions[1], 20)
        with (
            working(MemorySource(topic), database, SETTINGS) as first,
            working(MemorySource(topic), database, SETTINGS) as second,
        ):
            both_at_once(first, second, 30)
        counted = event_counts(database)
    assert counted["events"] == 30 + 7 + 10
    assert counted["not_covered"] == 20 - 7


def test_anothers_commit_of_the_same_records_is_not_taken_for_ones_own(tmp_path: Path) -> None:
    """A commit fails, another worker commits exactly these records, the commit is tried again."""
    topic = MemoryTopic()
    for one in answers(20):
        topic.append(encoded(one), WEEK)
    with fresh_database(tmp_path) as database:
        with (
            working(MemorySource(topic), database, SETTINGS) as slow,
            working(MemorySource(topic), database, SETTINGS) as quick,
        ):
            failed = False

            def fail_once(connection: sa.Connection) -> None:
                nonlocal failed
                writes = connection.get_execution_options().get("sentinel_writes")
                if not failed and writes and threading.current_thread() is thread:
                    cursor = connection.connection.cursor()
                    if cursor.execute("SELECT count(*) FROM checkpoints").fetchone()[0]:
                        failed = True
                        connection.connection.rollback()
                        raise RetryError("the connection was lost before it committed")

            wait = slow.agent._patience.repeat

            def wait_for_the_other(part: str, call: Any, is_stopping: Any, meanwhile: Any) -> Any:
                def between() -> None:
                    if failed and quick.accounting.events == 0:
                        quick.run(lambda _: quick.agent.stop())
                    if meanwhile is not None:
                        meanwhile()

                return wait(part, call, is_stopping, between)

            slow.agent._patience.repeat = wait_for_the_other  # type: ignore[method-assign]
            sa.event.listen(database._engine, "commit", fail_once)
            thread = threading.current_thread()
            slow.run()
            sa.event.remove(database._engine, "commit", fail_once)
            assert failed
            assert quick.accounting.events == 7, "one batch, the very one that failed"
            assert slow.accounting.events == 13, "and the rest: not the batch that the other committed"
            assert metric(slow, "sentinel_pipeline_rejoins_total") == 1
            drawn = slow.accounting.sampled + quick.accounting.sampled
        assert event_counts(database)["events"] == 20
        assert event_counts(database)["units"] == drawn


def test_the_same_ids_on_two_partitions_at_once_are_estimated_misses(tmp_path: Path) -> None:
    """Two workers that cannot know of each other's answers: the frame counts twice, the sample does not."""
    events = [encoded(one) for one in answers(300)]
    topic = MemoryTopic(partitions=2)
    for value in events:
        for number in (0, 1):
            topic.append(value, WEEK, number=number)
    sources = [MemorySource(topic), MemorySource(topic)]
    for number, source in enumerate(sources):
        source.forget_first_assignment()
        source.assign([number])
    with fresh_database(tmp_path) as database:
        with (
            working(sources[0], database, SETTINGS) as one,
            working(sources[1], database, SETTINGS) as other,
        ):
            both_at_once(one, other, 60)
            assert (
                metric(one, "sentinel_sampling_unit_meetings_total")
                + metric(other, "sentinel_sampling_unit_meetings_total")
                == event_counts(database)["units"]
            )
        counts = event_counts(database)
        assert counts["events"] == 600, "the window of one worker does not see what the other counts now"
        assert counts["arrivals"] == 2 * counts["units"], "each drawn answer was met by its second arrival"
        drawn = units_of(database)
        missed = [1.0 / stored.first_inclusion_probability for stored in drawn.values()]
        spread = sum((1 - 1 / weight) * weight**2 for weight in missed) ** 0.5
        assert abs(sum(missed) - 300) < 4 * spread, "the report's estimate of answers counted twice"
        again = MemoryTopic("again")
        for value in events:
            again.append(value, WEEK)
        with working(MemorySource(again), database, SETTINGS) as later:
            later.run()
            assert later.accounting.duplicates == 300, "who starts later knows what both have counted"
