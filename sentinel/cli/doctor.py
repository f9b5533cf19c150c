"""`sentinel doctor`: what is missing on this machine, and how to mend it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import typer
from rich.console import Console
from rich.table import Table

from sentinel.cli.options import Config, Store
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.errors import SentinelError, StopError
from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.records import Partition
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings
from sentinel.store.database import Database
from sentinel.stream.opening import open_source

_EARLIEST_PLAUSIBLE = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: what it is, whether it is well, and what to do if not."""

    part: str
    good: bool
    says: str


def doctor(config: Config = None, store: Store = None) -> None:
    """Look at model, store, source, salt, clock and codecs; exit 1 if something is missing.

    Example: [bold]sentinel doctor --store sqlite:///sentinel.db[/bold]
    """
    settings = load_settings(config, store=store)
    findings = list(_findings(settings))
    table = Table(box=None, pad_edge=False)
    for heading in ("", "part", "finding"):
        table.add_column(heading)
    for finding in findings:
        table.add_row(
            "[green]ok[/green]" if finding.good else "[red]missing[/red]", finding.part, finding.says
        )
    Console().print(table)
    if not all(finding.good for finding in findings):
        raise typer.Exit(1)


def _findings(settings: Settings) -> Iterator[Finding]:
    checks: tuple[tuple[str, Callable[[Settings], str]], ...] = (
        ("clock", _clock),
        ("redaction model", _model),
        ("store", _store),
        ("salt", _salt),
        ("source", _source),
        ("codecs", _codecs),
    )
    for part, look in checks:
        try:
            yield Finding(part, True, look(settings))
        except SentinelError as error:
            yield Finding(part, False, str(error))


def _clock(_settings: Settings) -> str:
    now = SystemClock().now()
    if now < _EARLIEST_PLAUSIBLE:
        raise StopError(f"says {now:%Y-%m-%d}: set the machine's time, event times ahead of it are refused")
    return f"{now:%Y-%m-%d %H:%M:%S} UTC"


def _model(settings: Settings) -> str:
    with RedactionPool(settings.redaction, replace(settings.redaction_pool, processes=0)) as pool:
        pool.warm_up()
    return f"{settings.redaction.model} finds what it should"


def _store(settings: Settings) -> str:
    with Database(settings.store, settings.database) as database:
        version = database.schema_version()
    if version is None:
        return "reachable, empty: `sentinel run` or `sentinel db upgrade` makes the schema"
    return f"reachable, schema {version}"


def _salt(settings: Settings) -> str:
    if settings.sampling.salt:
        return f"id {Salt.of(settings.sampling.salt).id}"
    if not settings.store.startswith("sqlite"):
        raise StopError("sampling.salt is not set: every worker of a shared store needs the same secret")
    return "not set: a random one is kept beside the store file"


def _source(settings: Settings) -> str:
    if settings.source.source == "file:-":
        return "standard input"
    source = open_source(
        settings.source.source,
        max_bytes=settings.limits.max_bytes,
        until_end=True,
        # A group of its own: looking must not take partitions from the workers.
        kafka=replace(
            settings.source.kafka, group_id=f"sentinel-doctor-{os.getpid()}", group_instance_id=None
        ),
        clock=SystemClock(),
    )
    try:
        source.subscribe(_Nobody())
        source.poll(1, timedelta(seconds=10).total_seconds())
    finally:
        source.close()
    return f"{settings.source.source} answers"


def _codecs(_settings: Settings) -> str:
    missing = [name for name in ("snappy", "lz4", "zstandard") if importlib.util.find_spec(name) is None]
    if missing:
        raise StopError(
            f"topics compressed with {', '.join(missing)} cannot be read: pip install 'sentinel[codecs]'"
        )
    return "gzip, snappy, lz4 and zstd topics can be read"


class _Nobody:
    """A listener that owns nothing and remembers nothing."""

    def on_assigned(self, _partitions: Sequence[Partition]) -> Mapping[Partition, int]:
        """Start where the source says."""
        return {}

    def on_revoked(self, _partitions: Sequence[Partition]) -> None:
        """Nothing is in flight."""

    def on_first_sight(self, starts: Mapping[Partition, int]) -> Mapping[Partition, int]:
        """Begin as the source would."""
        return starts

    def on_gap(self, _partition: Partition, _expected_offset: int, _found_offset: int) -> None:
        """Nothing was expected."""
