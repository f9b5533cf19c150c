"""Redaction that takes longer than the group waits for a poll loses no partition and repeats no batch."""

from __future__ import annotations

import time
import uuid
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sentinel.cli.wiring import worker
from sentinel.clock import FixedClock
from sentinel.pipeline.redaction_pool import RedactionPoolParams
from sentinel.redaction import RedactionParams
from sentinel.sampling.selection import Salt
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_source import KafkaSource
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.fault.topics import counted, new_topic, send
from tests.harness import WEEK, encoded, event, fresh_database, settings_for, units_of

pytestmark = pytest.mark.kafka

COUNT = 240
POLL_LIMIT = 5.0


def test_a_batch_may_take_longer_than_the_poll_limit(kafka_bootstrap: str, tmp_path: Path) -> None:
    topic = new_topic(kafka_bootstrap, "slow", 1)
    long = [
        event(
            n,
            WEEK + timedelta(seconds=n),
            answer=" ".join(f"Case {n}-{k} left with Anna." for k in range(40)),
        )
        for n in range(COUNT)
    ]
    send(kafka_bootstrap, topic, [(0, encoded(one)) for one in long])
    params = KafkaParams(
        (kafka_bootstrap,),
        topic=topic,
        group_id=uuid.uuid4().hex,
        session_timeout_seconds=6.0,
        heartbeat_interval_seconds=0.5,
        max_poll_interval_seconds=POLL_LIMIT,
    )
    settings = settings_for(rate=1.0)
    settings = replace(
        settings,
        redaction=RedactionParams(),
        redaction_pool=RedactionPoolParams(processes=1),
        pipeline=replace(settings.pipeline, batch_records=COUNT, batch_units=COUNT),
    )
    metrics, clock = Metrics(), FixedClock(WEEK + timedelta(days=1))
    batches: list[float] = []
    with fresh_database(tmp_path) as database:
        source = KafkaSource(params, settings.limits.max_bytes)
        try:
            with worker(
                settings, source, database, Salt.of(settings.sampling.salt), metrics, Health(), clock
            ) as wired:
                began = time.monotonic()
                wired.agent.run(until_end=True, on_batch=lambda _: batches.append(time.monotonic()))
        finally:
            source.close()
        assert max(b - a for a, b in zip([began, *batches], batches, strict=False)) > POLL_LIMIT
        assert metrics.registry.get_sample_value("sentinel_pipeline_rejoins_total") == 0
        assert len(units_of(database)) == COUNT
    assert counted(f"sqlite:///{tmp_path / 'store.db'}") == COUNT
