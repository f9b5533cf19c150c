"""Promise 4 where it is run: kill -9 at every step of the commit path, on Kafka and PostgreSQL."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from sentinel.pipeline.fault_points import POINTS
from sentinel.store.database import Database
from tests.fault.contents import assert_same, contents
from tests.fault.processes import Run, kafka_settings, run_to_end, wait_until
from tests.fault.streams import mixed
from tests.fault.topics import by_identity, done, new_topic, send

pytestmark = [pytest.mark.kafka, pytest.mark.postgres]
COUNT = 400
PARTITIONS = 2


def held(url: str) -> dict[str, Any]:
    with Database(url) as database:
        return contents(database, without_first_seen=True)


@pytest.fixture(scope="module")
def topic(kafka_bootstrap: str) -> str:
    name = new_topic(kafka_bootstrap, "steps", PARTITIONS)
    placed: list[tuple[int, bytes | None]] = []
    for position, one in enumerate(by_identity(mixed(COUNT), PARTITIONS)):
        placed += [one, (position % PARTITIONS, None)] if position % 25 == 9 else [one]
    send(kafka_bootstrap, name, placed)
    return name


@pytest.fixture(scope="module")
def undisturbed(kafka_bootstrap: str, topic: str, tmp_path_factory: Any) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("steps")
    url = f"sqlite:///{folder / 's.db'}"
    totals = run_to_end(folder, "kafka", url, settings=kafka_settings(kafka_bootstrap, topic, "calm-steps"))
    assert (totals["events"], totals["tombstones"] > 20, totals["dead_letters"]) == (COUNT, True, COUNT // 10)
    return held(url)


def test_killed_at_every_step_one_after_the_other(
    kafka_bootstrap: str, topic: str, undisturbed: dict[str, Any], postgres_url: str, tmp_path: Path
) -> None:
    """Each life commits something and dies a step further on: eleven deaths in one stream."""
    # A named member: the group takes it back at once instead of waiting for the dead one's session.
    reading = kafka_settings(kafka_bootstrap, topic, "steps", group_instance_id="worker-0")
    settings = reading | {"pipeline": {"batch_records": 12, "poll_seconds": 0.1}}
    reached = []
    for position, point in enumerate(POINTS):
        # "polled" is reached by empty polls too; the others once a batch.
        armed = f"{point}:{1 if point == 'polled' else 2 + position % 2}"
        with Run(tmp_path, "kafka", postgres_url, point=armed, settings=settings) as run:
            assert run.ends() == -signal.SIGKILL, (point, run.log)
        reached.append(sum(done(postgres_url, topic).values()))
    assert reached == sorted(reached)
    assert 0 < reached[-1] < sum(topic_ends(undisturbed))
    run_to_end(tmp_path, "kafka", postgres_url, settings=reading)
    assert_same(undisturbed, held(postgres_url))


def test_killed_at_random_times(
    kafka_bootstrap: str, topic: str, undisturbed: dict[str, Any], postgres_url: str, tmp_path: Path
) -> None:
    chosen = random.Random(20261201)
    reading = kafka_settings(kafka_bootstrap, topic, "random", group_instance_id="worker-0")
    settings = reading | {"pipeline": {"batch_records": 3, "poll_seconds": 0.1}}
    total = sum(topic_ends(undisturbed))
    for life in range(5):
        with Run(tmp_path, "kafka", postgres_url, until_end=False, settings=settings) as run:
            before = sum(done(postgres_url, topic).values())
            wait_until(lambda at=before: sum(done(postgres_url, topic).values()) > at, run=run)  # type: ignore[misc]
            time.sleep(0.4 * chosen.random())
            assert run.lives, run.log
            run.send(signal.SIGKILL)
        assert sum(done(postgres_url, topic).values()) < total, f"nothing was left to lose in life {life}"
    run_to_end(tmp_path, "kafka", postgres_url, settings=reading)
    assert_same(undisturbed, held(postgres_url))


def topic_ends(found: dict[str, Any]) -> list[int]:
    return [int(row.rstrip(")").rsplit(",", 1)[1]) for row in found["checkpoints"]]
