"""A worker that slept while the group went on: its compare-and-set fails, it rolls back and joins again."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from sentinel.store.database import Database
from tests.fault.contents import assert_same, contents
from tests.fault.processes import Run, is_frozen, kafka_settings, metric_of, readiness, run_to_end, wait_until
from tests.fault.streams import answers, mixed
from tests.fault.topics import by_identity, counted, done, new_topic, send
from tests.harness import encoded
from tests.services.ports import free_port

pytestmark = [pytest.mark.kafka, pytest.mark.postgres]


@pytest.mark.parametrize("point", ["redacted", "before_commit"])
def test_a_zombie_fails_rolls_back_and_joins_again(
    point: str, kafka_bootstrap: str, postgres_url: str, tmp_path: Path
) -> None:
    """Frozen with a batch in hand, and frozen inside the transaction with the partition's row locked."""
    topic = new_topic(kafka_bootstrap, "zombie", 2)
    values = mixed(160)
    send(kafka_bootstrap, topic, by_identity(values, 2))
    calm = f"sqlite:///{tmp_path / 'calm.db'}"
    run_to_end(tmp_path, "kafka", calm, settings=kafka_settings(kafka_bootstrap, topic, "calm-zombie"))
    port = free_port()
    settings = kafka_settings(kafka_bootstrap, topic, topic) | {
        "pipeline": {"batch_records": 8, "poll_seconds": 0.1, "longest_wait_seconds": 0.3},
        "database": {"wait_seconds": 1.0},  # twice that, and the server ends a silent transaction
    }
    own = settings | {"telemetry": {"http": {"port": port}}}
    with Run(
        tmp_path, "kafka", postgres_url, until_end=False, point=f"{point}:3:freeze", settings=own
    ) as zombie:
        wait_until(lambda: is_frozen(zombie), run=zombie)
        before = sum(done(postgres_url, topic).values())
        with Run(tmp_path, "kafka", postgres_url, until_end=False, settings=settings) as heir:
            wait_until(lambda: counted(postgres_url) == 160, 60, heir)
            assert sum(done(postgres_url, topic).values()) > before
            os.kill(zombie.pid, signal.SIGCONT)
            wait_until(lambda: metric_of(port, "sentinel_pipeline_rejoins_total") >= 1, run=zombie)
            wait_until(lambda: readiness(port) == (200, {}), run=zombie)
            # It has joined again: what comes now is shared, and counted once.
            send(
                kafka_bootstrap,
                topic,
                [(n % 2, encoded(one)) for n, one in enumerate(answers(40, first=500))],
            )
            wait_until(lambda: counted(postgres_url) == 200, run=zombie)
            for run in (zombie, heir):
                run.send(signal.SIGTERM)
                assert run.ends(15) == 0, run.log
            assert zombie.summary["events"] + heir.summary["events"] == 200, "each counts what it committed"
            assert "another worker" in zombie.log
    run_to_end(tmp_path, "kafka", calm, settings=kafka_settings(kafka_bootstrap, topic, "calm-zombie"))
    with Database(calm) as one, Database(postgres_url) as other:
        assert_same(contents(one, without_first_seen=True), contents(other, without_first_seen=True))


def test_a_worker_that_only_slept_goes_on(kafka_bootstrap: str, postgres_url: str, tmp_path: Path) -> None:
    """Frozen for less than its session: nobody took over, and nothing is rolled back."""
    topic = new_topic(kafka_bootstrap, "nap", 1)
    send(kafka_bootstrap, topic, [(0, encoded(one)) for one in answers(60)])
    settings = kafka_settings(kafka_bootstrap, topic, topic, session_timeout_seconds=10.0)
    settings |= {"pipeline": {"batch_records": 8, "poll_seconds": 0.1}}
    with Run(
        tmp_path, "kafka", postgres_url, until_end=False, point="redacted:2:freeze", settings=settings
    ) as run:
        wait_until(lambda: is_frozen(run), run=run)
        time.sleep(1.0)
        os.kill(run.pid, signal.SIGCONT)
        wait_until(lambda: counted(postgres_url) == 60, run=run)
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
        assert "rejoin" not in run.log
        assert (run.summary["events"], run.summary["duplicates"]) == (60, 0)
