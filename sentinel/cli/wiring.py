"""How the parts are put together: the one place that knows all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial

from sentinel.clock import Clock
from sentinel.indicators.compute import INDICATOR_VERSION
from sentinel.indicators.params import IndicatorParams
from sentinel.indicators.passages import PassageMemo
from sentinel.pipeline.accounting import Accounting
from sentinel.pipeline.agent import Agent
from sentinel.pipeline.fault_points import FaultPoints
from sentinel.pipeline.memory import Memory, load_memory
from sentinel.pipeline.redaction_model import require_model
from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.pipeline.scheduling import adopt_design, load_schedule, salts_in_use
from sentinel.pipeline.stages import Stages, salt_named
from sentinel.pipeline.treatment import Treatment
from sentinel.redaction import redact_value
from sentinel.sampling.design import Design, configured_design
from sentinel.sampling.selection import Salt, Salts
from sentinel.settings import Settings
from sentinel.store.database import Database
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


@contextmanager
def worker(
    settings: Settings,
    source: Source,
    database: Database,
    salt: Salt,
    metrics: Metrics,
    health: Health,
    clock: Clock,
) -> Iterator[Worker]:
    """Yield a worker on an up-to-date store; its redaction processes end with the block."""
    require_model(settings.redaction)
    design = design_of(settings, salt)
    salts = Salts(salt, tuple(Salt.of(secret) for secret in settings.sampling.earlier_salts))
    # Before anything is written: a worker that lacks a salt of this store must leave no row behind, which
    # would stop the workers that have it.
    for salt_id in salts_in_use(database):
        salt_named(salts, salt_id)
    adopt_design(database, design, clock.now())
    # Identities and pseudonyms keep the salt of the store's first row: an event that comes again after a
    # change of salt must be recognised.
    identity = salt_named(salts, salts_in_use(database)[0])
    stages = Stages(
        settings.limits,
        settings.indicators,
        settings.domains.attributes,
        salts,
        identity,
        # Domain values are few, and each answer repeats them.
        lru_cache(maxsize=4096)(partial(redact_value, key=identity.key)),
        PassageMemo(),
    )

    def remember(now: datetime) -> Memory:
        return load_memory(database, settings.deduplication, settings.domains, design.indicators, now)

    redact_all = settings.redaction.scope == "all"
    pipeline = settings.pipeline
    if redact_all:  # redaction bounds the time of a batch, so every answer counts against its limit
        pipeline = replace(pipeline, batch_records=min(pipeline.batch_records, pipeline.batch_units))
    with RedactionPool(settings.redaction, settings.redaction_pool) as pool:
        accounting = Accounting(metrics)
        agent = Agent(
            source,
            database,
            Treatment(stages, pool.begin, identity, pipeline.batch_units, redact_all=redact_all),
            remember,
            lambda to: load_schedule(database, to, design.indicators, clock.now()),
            pipeline,
            settings.sampling,
            accounting,
            health,
            clock,
            FaultPoints.from_environment(),
        )
        yield Worker(agent, accounting)
