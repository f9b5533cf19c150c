"""Agents in one process, two or more at a time, on a shared topic and store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sentinel.cli.wiring import worker
from sentinel.clock import FixedClock
from sentinel.pipeline.accounting import Accounting
from sentinel.pipeline.agent import Agent
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings
from sentinel.store.database import Database
from sentinel.stream.memory_source import MemorySource
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.harness import WEEK

NOW = WEEK + timedelta(days=7)


class Worker:
    """An agent, its accounts, and what it tells the world."""

    def __init__(self, agent: Agent, accounting: Accounting, health: Health, metrics: Metrics) -> None:
        self.agent = agent
        self.accounting = accounting
        self.health = health
        self.metrics = metrics
        self.error: BaseException | None = None

    def run(self, on_batch: Callable[[Accounting], None] | None = None) -> None:
        try:
            self.agent.run(until_end=True, on_batch=on_batch)
        except BaseException as error:
            self.error = error
            raise

    def in_thread(self, on_batch: Callable[[Accounting], None] | None = None) -> threading.Thread:
        thread = threading.Thread(target=self.run, args=(on_batch,), daemon=True)
        thread.start()
        return thread


def small_batches(settings: Settings, records: int, units: int = 1000) -> Settings:
    pipeline = replace(
        settings.pipeline,
        batch_records=records,
        batch_units=units,
        first_wait_seconds=0.01,
        longest_wait_seconds=0.05,
    )
    return replace(settings, pipeline=pipeline)


@contextmanager
def working(
    source: MemorySource, database: Database, settings: Settings, now: datetime = NOW
) -> Iterator[Worker]:
    health, metrics = Health(("source", "store")), Metrics()
    salt = Salt.of(settings.sampling.salt)
    with worker(settings, source, database, salt, metrics, health, FixedClock(now)) as wired:
        yield Worker(wired.agent, wired.accounting, health, metrics)


def metric(worker: Worker, name: str) -> float:
    """Return the value of a counter or gauge without labels."""
    value = worker.metrics.registry.get_sample_value(name)
    assert value is not None, name
    return value


def meet_before_first_batch(agent: Any, barrier: threading.Barrier) -> None:
    """Have the agent wait for the other one between its first poll and its first commit."""
    poll = agent._poll
    waited = False

    def polled(*arguments: Any, **options: Any) -> Any:
        nonlocal waited
        records = poll(*arguments, **options)
        if records and not waited:
            waited = True
            barrier.wait(30)
        return records

    agent._poll = polled


def both_at_once(one: Worker, other: Worker, seconds: float) -> None:
    """Run both to their end; neither begins its first batch before both have polled."""
    both_polled = threading.Barrier(2)
    threads = []
    for either in (one, other):
        meet_before_first_batch(either.agent, both_polled)
        threads.append(either.in_thread())
    for thread in threads:
        thread.join(seconds)
    assert one.error is None
    assert other.error is None
