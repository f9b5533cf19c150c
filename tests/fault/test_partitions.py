"""Partitions that are added while the agent runs, and workers that come and go at random."""

from __future__ import annotations

import random
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from sentinel.pipeline.params import PipelineParams
from sentinel.store.database import Database
from tests.fault.contents import assert_same, contents
from tests.fault.processes import Run, is_frozen, kafka_settings, run_to_end, wait_until
from tests.fault.streams import answers, mixed
from tests.fault.topics import add_partitions, by_identity, counted, done, new_topic, send
from tests.harness import encoded

pytestmark = pytest.mark.kafka
MOVES = 22
PACE = {"pipeline": {"batch_records": 10, "poll_seconds": 0.1}}


@pytest.mark.parametrize("start_at", ["latest", "earliest"])
def test_partitions_added_while_it_runs_are_read_from_their_beginning(
    start_at: str, kafka_bootstrap: str, tmp_path: Path
) -> None:
    topic = new_topic(kafka_bootstrap, "grows", 2)
    events = [encoded(one) for one in answers(200)]
    send(kafka_bootstrap, topic, [(n % 2, value) for n, value in enumerate(events[:50])])
    url = f"sqlite:///{tmp_path / 's.db'}"
    settings = PACE | kafka_settings(
        kafka_bootstrap, topic, topic, start_at=start_at, metadata_max_age_seconds=1.0
    )
    skipped = 50 if start_at == "latest" else 0
    with Run(tmp_path, "kafka", url, until_end=False, settings=settings) as run:
        wait_until(lambda: len(done(url, topic)) == 2, run=run)
        send(kafka_bootstrap, topic, [(n % 2, value) for n, value in enumerate(events[50:100])])
        wait_until(lambda: counted(url) == 100 - skipped, run=run)
        add_partitions(kafka_bootstrap, topic, 4)
        # These are there before any worker can have heard of their partitions.
        send(kafka_bootstrap, topic, [(2 + n % 2, value) for n, value in enumerate(events[100:150])])
        wait_until(lambda: counted(url) == 150 - skipped, run=run)
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
    # Added, and filled, while nobody runs.
    add_partitions(kafka_bootstrap, topic, 5)
    send(kafka_bootstrap, topic, [(4, value) for value in events[150:]])
    totals = run_to_end(tmp_path, "kafka", url, settings=settings)
    assert (totals["events"], totals["duplicates"]) == (50, 0)
    assert done(url, topic) == {0: 50, 1: 50, 2: 25, 3: 25, 4: 50}
    assert counted(url) == 200 - skipped


def test_a_partition_without_records_yet_keeps_where_it_began(kafka_bootstrap: str, tmp_path: Path) -> None:
    """What comes to it while nobody runs is not passed over by another `latest`."""
    topic = new_topic(kafka_bootstrap, "quiet", 2)
    events = [encoded(one) for one in answers(40)]
    send(kafka_bootstrap, topic, [(n % 2, value) for n, value in enumerate(events[:10])])
    url = f"sqlite:///{tmp_path / 's.db'}"
    settings = kafka_settings(kafka_bootstrap, topic, topic, start_at="latest")
    assert run_to_end(tmp_path, "kafka", url, settings=settings)["events"] == 0
    assert done(url, topic) == {0: 5, 1: 5}
    send(kafka_bootstrap, topic, [(1, value) for value in events[10:]])
    assert run_to_end(tmp_path, "kafka", url, settings=settings)["events"] == 30


@pytest.mark.postgres
def test_three_workers_join_and_leave_at_random(
    kafka_bootstrap: str, postgres_url: str, tmp_path: Path
) -> None:
    """Each of three places in the group is taken, left in order or by kill -9, slept in, taken again."""
    topic = new_topic(kafka_bootstrap, "random", 5)
    values = by_identity(mixed(440), 5)
    with Database(postgres_url) as database:
        database.upgrade()
    settings = kafka_settings(kafka_bootstrap, topic, topic) | {
        "pipeline": {"batch_records": 4, "poll_seconds": 0.1}
    }
    chosen = random.Random(4)
    woken = 0
    places: list[Run | None] = [None, None, None]
    with ExitStack() as every:
        for move in range(MOVES):
            # There is work at every moment, however fast the machine is.
            send(
                kafka_bootstrap,
                topic,
                values[move * len(values) // MOVES : (move + 1) * len(values) // MOVES],
            )
            place = chosen.randrange(3)
            run = places[place]
            if run is None:
                fresh = Run(tmp_path, "kafka", postgres_url, until_end=False, settings=settings)
                places[place] = every.enter_context(fresh)
            elif is_frozen(run):  # for longer than its session: what it has in hand is another's by now
                time.sleep(2.5)
                run.send(signal.SIGCONT)
                woken += 1
            elif sum(one is not None for one in places) > 1 and move < MOVES - 8:
                how = chosen.choice([signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP])
                run.send(how)
                if how != signal.SIGSTOP:
                    # A frozen one may hold a row it waits for: then it ends when its grace time is over.
                    assert run.ends(PipelineParams().stop_seconds + 5) in (0, -signal.SIGKILL), run.log
                    places[place] = None
            time.sleep(0.1 + 0.5 * chosen.random())
        staying = [run for run in places if run is not None]
        for run in staying:
            run.send(signal.SIGCONT)
        wait_until(lambda: sum(done(postgres_url, topic).values()) == len(values), 60, staying[0])
        for run in staying:
            assert run.lives, run.log
            run.send(signal.SIGTERM)
            assert run.ends(15) == 0, run.log
    assert woken >= 2
    calm = f"sqlite:///{tmp_path / 'calm.db'}"
    run_to_end(tmp_path, "kafka", calm, settings=kafka_settings(kafka_bootstrap, topic, "calm-random"))
    with Database(calm) as one, Database(postgres_url) as other:
        assert_same(contents(one, without_first_seen=True), contents(other, without_first_seen=True))
