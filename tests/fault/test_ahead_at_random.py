"""Rebalances, gaps, an absent broker and another worker at random: what is committed is counted, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from sentinel.errors import DeadLetterError, RetryError
from sentinel.pipeline.errands import Errand, Meanwhile, Redacting
from sentinel.records import Partition, RawAnswer, RawRecord, RedactedAnswer
from sentinel.store import checkpoints
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.stream.source import PartitionListener
from tests.fault.contents import event_counts
from tests.fault.streams import answers
from tests.fault.workers import Worker, small_batches, working
from tests.harness import WEEK, encoded, fresh_database, settings_for

RECORDS = 120
#: After so many polls the source is as good as any.
UNQUIET_POLLS = 80


class KafkaLikeSource(MemorySource):
    """A partition without a checkpoint was added to a known topic: nothing of it can have been seen."""

    def _start(self, listener: PartitionListener, partition: Partition, stored: int | None) -> int:
        return super()._start(listener, partition, stored or 0)


class UnquietSource(KafkaLikeSource):
    """Meets something at every fourth poll; brings as many records as it likes."""

    def __init__(self, topic: MemoryTopic, chance: Random, interfere: Callable[[], None]) -> None:
        super().__init__(topic)
        self._chance = chance
        self._interfere = interfere
        self._polls = 0

    def poll(self, max_records: int, timeout_seconds: float) -> Sequence[RawRecord]:
        self._polls += 1
        if self._polls == UNQUIET_POLLS:
            self.assign([0, 1])
        elif self._polls < UNQUIET_POLLS and self._positions and self._chance.random() < 0.25:
            self._meet(self._chance.random(), timeout_seconds)
        return super().poll(self._chance.randint(1, max_records), timeout_seconds)

    def _meet(self, number: float, timeout_seconds: float) -> None:
        if number < 0.35:
            self.assign(self._chance.choice([[0], [1], [0, 1], [0, 1]]))
        elif number < 0.5:
            raise RetryError("the broker is away")
        elif number < 0.9:
            self._delete_unread(self._chance.choice(self._topic.partitions), self._chance.randint(1, 6))
        elif timeout_seconds > 0:
            self._interfere()

    def _delete_unread(self, partition: Partition, records: int) -> None:
        position = self._positions.get(partition, self._topic.end(partition))
        first = min(position + records, self._topic.end(partition))
        if first > position:
            assert self._listener is not None
            self._topic.forget_before(partition, first)
            self._listener.on_gap(partition, position, first)
            self._positions[partition] = first


class _AtRandom:
    def __init__(self, redacting: Redacting, chance: Random) -> None:
        self._redacting = redacting
        self._chance = chance

    def begin(self, answer: RawAnswer) -> Errand:
        return self._redacting.begin(answer)

    def results(
        self, errands: Sequence[Errand], meanwhile: Meanwhile, spare: Iterator[None]
    ) -> Sequence[RedactedAnswer | DeadLetterError]:
        for _ in range(self._chance.randint(0, 30)):
            next(spare, None)
            if self._chance.random() < 0.1:
                meanwhile()
        return self._redacting.results(errands, meanwhile, iter(()))


def at_random(worker: Worker, chance: Random) -> None:
    """Redaction leaves time as it likes, and a step of the budget may come after any record."""
    treatment = worker.agent._treatment
    treatment._redacting = _AtRandom(treatment._redacting, chance)
    worker.agent._pace = lambda times: chance.randint(1, len(times))


def committed(database: Database) -> int:
    with database.read() as connection:
        return sum(checkpoints.next_offsets(connection).values())


@pytest.mark.parametrize("seed", [18, 27, 28, 33, 39, 46])
def test_what_is_committed_is_counted_once(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    topic = MemoryTopic(partitions=2)
    for number, one in enumerate(answers(RECORDS)):
        topic.append(encoded(one), WEEK, number=number % 2)
    records, units = chance.choice([3, 7, 20]), chance.choice([1, 2, 5, 1000])
    settings = small_batches(settings_for(rate=0.7), records, units)
    batches, stops_after = 0, chance.choice([None, chance.randint(1, 15)])

    def another_worker() -> None:
        its_source = KafkaLikeSource(topic)
        its_source.forget_first_assignment()
        its_source.assign([chance.randint(0, 1)])
        with working(its_source, database, small_batches(settings, 5)) as other:
            other.run(lambda _: other.agent.stop())

    def look(_: object) -> None:
        nonlocal batches
        batches += 1
        if batches == stops_after:
            worker.agent.stop()
        counts = event_counts(database)
        assert counts["events"] + counts["not_covered"] == committed(database)

    with fresh_database(tmp_path) as database:
        with working(UnquietSource(topic, chance, another_worker), database, settings) as worker:
            at_random(worker, chance)
            worker.run(look)
        with working(KafkaLikeSource(topic), database, settings) as heir:
            heir.run()
        counts = event_counts(database)
        assert counts["events"] + counts["not_covered"] == committed(database) == RECORDS
