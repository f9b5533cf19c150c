"""Records that the broker deleted before they were read: measured, counted, shown. Never a silent jump."""

from __future__ import annotations

import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, TopicPartition

from tests.fault.processes import (
    Run,
    kafka_settings,
    metric_of,
    report_of,
    run_to_end,
    wait_until,
)
from tests.fault.streams import answers
from tests.fault.topics import add_partitions, counted, done, new_topic, send
from tests.harness import encoded
from tests.services.ports import free_port

pytestmark = pytest.mark.kafka
REASON = "deleted_by_retention"


def delete_before(bootstrap: str, topic: str, offsets: dict[int, int]) -> None:
    """Move the logs' beginnings, as the broker's retention does."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        admin.delete_records({TopicPartition(topic, number): offset for number, offset in offsets.items()})
    finally:
        admin.close()


def test_what_retention_deleted_unread_is_in_metric_and_report(kafka_bootstrap: str, tmp_path: Path) -> None:
    topic = new_topic(kafka_bootstrap, "short", 2)
    now = datetime.now(UTC).replace(microsecond=0)
    events = [encoded(one) for one in answers(220, now - timedelta(hours=5))]
    url, port = f"sqlite:///{tmp_path / 's.db'}", free_port()
    settings = kafka_settings(kafka_bootstrap, topic, topic, metadata_max_age_seconds=1.0)
    served = settings | {"telemetry": {"http": {"port": port}}}
    send(kafka_bootstrap, topic, [(n % 2, value) for n, value in enumerate(events[:40])], at=None)
    assert run_to_end(tmp_path, "kafka", url, settings=settings)["events"] == 40

    # Nobody runs: of partition 0 a part is deleted, of partition 1 all there is.
    send(kafka_bootstrap, topic, [(n % 2, value) for n, value in enumerate(events[40:100])], at=None)
    delete_before(kafka_bootstrap, topic, {0: 35, 1: 50})
    with Run(tmp_path, "kafka", url, until_end=False, settings=served) as run:
        wait_until(lambda: done(url, topic) == {0: 50, 1: 50}, run=run)
        wait_until(lambda: metric_of(port, "sentinel_stream_not_covered_events_total") >= 45, run=run)
        # The agent is held up and retention overtakes it while it runs.
        run.send(signal.SIGSTOP)
        time.sleep(1.5)  # what it had asked for is answered: with nothing
        send(kafka_bootstrap, topic, [(0, value) for value in events[100:140]], at=None)
        delete_before(kafka_bootstrap, topic, {0: 80})
        run.send(signal.SIGCONT)
        wait_until(lambda: done(url, topic)[0] == 90, run=run)
        in_time = counted(url) - 55
        # A partition that is added and emptied before anyone has seen it.
        add_partitions(kafka_bootstrap, topic, 3)
        send(kafka_bootstrap, topic, [(2, value) for value in events[140:150]], at=None)
        delete_before(kafka_bootstrap, topic, {2: 10})
        send(kafka_bootstrap, topic, [(2, value) for value in events[150:160]], at=None)
        wait_until(lambda: done(url, topic).get(2) == 20, run=run)
        lost = 15 + 30 + (40 - in_time) + (20 - (counted(url) - 55 - in_time))
        found = metric_of(port, "sentinel_stream_not_covered_events_total", reason=REASON)
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
        assert "gap" in run.log
    assert found == lost == 160 - counted(url)
    assert in_time == 10, "thirty of the forty were gone before the agent asked for them"
    population = report_of(tmp_path, url, now - timedelta(days=1), now)["population"]
    assert population["not_covered_reasons"] == {REASON: lost}
    assert (population["events"], population["not_covered"]) == (160 - lost, lost)
    assert population["dead_letters"] == 0, "nothing was wrong with these records"
    notes = " ".join(report_of(tmp_path, url, now - timedelta(days=1), now)["notes"])
    assert f"{lost} records could not be considered" in notes
    assert REASON in notes
    # What was counted stays counted once: another start finds nothing new.
    assert run_to_end(tmp_path, "kafka", url, settings=settings)["events"] == 0
    assert report_of(tmp_path, url, now - timedelta(days=1), now)["population"] == population
