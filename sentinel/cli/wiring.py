"""How the parts are put together: the one place that knows all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial

from sentinel.cli.secrets import identity_salt, salts_of
from sentinel.clock import Clock
from sentinel.errors import ConfigurationError
from sentinel.indicators.compute import INDICATOR_VERSION
from sentinel.indicators.params import IndicatorParams
from sentinel.indicators.passages import PassageMemo
from sentinel.pipeline.accounting import Accounting
from sentinel.pipeline.agent import Agent, Pace
from sentinel.pipeline.fault_points import FaultPoints
from sentinel.pipeline.memory import Memory, load_memory
from sentinel.pipeline.redaction_model import require_model
from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.pipeline.scheduling import adopt_design, load_schedule, salts_in_use
from sentinel.pipeline.stages import Stages, salt_named
from sentinel.pipeline.treatment import Treatment
from sentinel.redaction import redact_value
from sentinel.sampling.design import Design, configured_design
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings
from sentinel.store.database import Database
from sentinel.stream.opening import open_source
from sentinel.stream.publication import Publisher, Unpublished
from sentinel.stream.source import Source
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics


@dataclass(frozen=True, slots=True)
class Worker:
    """An agent with what it shares with the rest of its process."""

    agent: Agent
    accounting: Accounting


def design_of(settings: Settings, salt: Salt) -> Design:
    """Return the design the settings ask for."""
    return configured_design(settings.sampling, salt.id, indicator_identity(settings.indicators))


def indicator_identity(params: IndicatorParams) -> str:
    """Return what names the indicators in a design: their version and settings."""
    return f"{INDICATOR_VERSION};{params!r}"


def source_of(settings: Settings, clock: Clock, *, until_end: bool) -> Source:
    """Return the source the settings name; nothing is connected or read yet."""
    return open_source(
        settings.source.source,
        max_bytes=settings.limits.max_bytes,
        until_end=until_end,
        kafka=settings.source.kafka,
        clock=clock,
    )


def publisher_of(settings: Settings) -> Publisher:
    """Return what publishes redacted copies where the settings ask for it; nothing is connected yet."""
    if settings.publication.topic is None:
        return Unpublished()
    if settings.source.source != "kafka":
        message = "publication.topic: copies keep the order of a topic's partitions; a file has none"
        raise ConfigurationError(message)
    from sentinel.stream.kafka_publisher import KafkaPublisher

    # A copy is longer than its record where placeholders are longer than their values.
    return KafkaPublisher(settings.source.kafka, settings.publication, 8 * settings.limits.max_bytes)


@contextmanager
def worker(
    settings: Settings,
    source: Source,
    database: Database,
    salt: Salt,
    metrics: Metrics,
    health: Health,
    clock: Clock,
    pace: Pace | None = None,
    *,
    accounting: Accounting | None = None,
    patiently: Callable[[Callable[[], Salt]], Salt] | None = None,
) -> Iterator[Worker]:
    """Yield a worker on an up-to-date store; its redaction processes end with the block.

    `pace` has the worker stop where a step of the budget is due. `patiently` repeats a call while the store
    is away; without it the first `RetryError` comes out.
    """
    require_model(settings.redaction)
    design = design_of(settings, salt)
    salts = salts_of(settings, salt)

    def joined() -> Salt:
        # Before anything is written: a worker that lacks a salt of this store must leave no row behind,
        # which would stop the workers that have it.
        for salt_id in salts_in_use(database):
            salt_named(salts, salt_id)
        adopt_design(
            database,
            design,
            clock.now(),
            settings.sampling.start_rate,
            keep_learned=settings.learning.enabled,
        )
        return identity_salt(database, salts)

    identity = patiently(joined) if patiently else joined()
    stages = Stages(
        settings.limits,
        settings.indicators,
        settings.domains.attributes,
        salts,
        identity,
        # Domain values are few, and each answer repeats them.
        lru_cache(maxsize=4096)(partial(redact_value, key=identity.key, params=settings.redaction)),
        PassageMemo(),
    )

    def remember(now: datetime) -> Memory:
        return load_memory(database, settings.deduplication, settings.domains, design.indicators, now)

    redact_all = settings.redaction.scope == "all"
    pipeline = settings.pipeline
    if redact_all:  # redaction bounds the time of a batch, so every answer counts against its limit
        pipeline = replace(pipeline, batch_records=min(pipeline.batch_records, pipeline.batch_units))
    publisher = publisher_of(settings)
    with RedactionPool(settings.redaction, settings.redaction_pool) as pool, closing(publisher):
        accounting = accounting or Accounting(metrics)
        agent = Agent(
            source,
            database,
            Treatment(
                stages,
                accounting.timed_redaction(pool),
                identity,
                pipeline.batch_units,
                redact_all=redact_all,
                publishes=settings.publication.topic is not None,
            ),
            remember,
            lambda to, held: load_schedule(database, to, design.indicators, clock.now(), held),
            pipeline,
            settings.sampling,
            accounting,
            health,
            clock,
            FaultPoints.from_environment(),
            pace,
            publisher,
        )
        yield Worker(agent, accounting)
