"""`sentinel doctor`: what is missing on this machine, and how to mend it."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from sentinel.cli.extensions import say_extensions
from sentinel.cli.options import Config, SourceName, Store
from sentinel.cli.secrets import check_salts, salt_there_is, salts_of
from sentinel.clock import SystemClock
from sentinel.config import PREFIX, load_settings
from sentinel.errors import RetryError, SentinelError, StopError
from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.pipeline.scheduling import salts_in_use
from sentinel.pipeline.stages import salt_named
from sentinel.redaction import needs_model
from sentinel.settings import Settings
from sentinel.store.database import Database, latest_version
from sentinel.stream.kafka_security import check_access

#: What the package is called where it is installed from.
DISTRIBUTION = "sentinel-sampling"
_EARLIEST_PLAUSIBLE = datetime(2026, 1, 1, tzinfo=UTC)
_READ_SECONDS = 5.0
_VARIABLES = {
    "redaction model": "SENTINEL_REDACTION__MODEL",
    "store": "SENTINEL_STORE",
    "salt": "SENTINEL_SAMPLING__SALT",
    "source": "SENTINEL_SOURCE__SOURCE",
}
_KAFKA_MEND = (
    "set SENTINEL_SOURCE__KAFKA__BOOTSTRAP_SERVERS and SENTINEL_SOURCE__KAFKA__TOPIC, "
    "or give --source file:PATH"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: what it is, whether it is well, and what to do if not."""

    part: str
    good: bool
    says: str


def doctor(config: Config = None, source: SourceName = None, store: Store = None) -> None:
    """Look at model, store, source, salt, clock, codecs and extensions; exit 1 if something is missing.

    Changes nothing: no file is made, no consumer group is joined.

    Example: [bold]sentinel doctor --source file:answers.jsonl --store sqlite:///sentinel.db[/bold]
    """
    settings = load_settings(config, store=store, source__source=source)
    findings = list(_findings(settings))
    table = Table(box=None, pad_edge=False)
    for heading in ("", "part", "finding"):
        table.add_column(heading)
    for finding in findings:
        table.add_row(
            "[green]ok[/green]" if finding.good else "[red]missing[/red]", finding.part, escape(finding.says)
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
        ("extensions", _extensions),
    )
    for part, look in checks:
        try:
            yield Finding(part, True, look(settings))
        except SentinelError as error:
            variable = _VARIABLES.get(part)
            is_named = variable is None or PREFIX in str(error)
            yield Finding(part, False, str(error) if is_named else f"{error} (set by {variable})")


def _clock(_settings: Settings) -> str:
    now = SystemClock().now()
    if now < _EARLIEST_PLAUSIBLE:
        raise StopError(f"says {now:%Y-%m-%d}: set the machine's time, event times ahead of it are refused")
    return f"{now:%Y-%m-%d %H:%M:%S} UTC"


def _model(settings: Settings) -> str:
    with RedactionPool(settings.redaction, replace(settings.redaction_pool, processes=0)) as pool:
        pool.warm_up()
    if not needs_model(settings.redaction):
        return "none is needed: patterns find all of redaction.entities"
    return f"{settings.redaction.model} finds what it should"


def _store(settings: Settings) -> str:
    path = _file_of(settings.store)
    if path is not None and not path.exists():
        if not os.access(path.parent, os.W_OK):
            raise StopError(
                f"{path.parent} is no folder this user may write to: the store cannot be made; give --store "
                "(or SENTINEL_STORE) another, as in sqlite:////var/lib/sentinel/sentinel.db"
            )
        return f"{path} is not there yet: `sentinel run` or `sentinel db upgrade` makes it"
    with Database(settings.store, settings.database) as database:
        if database.schema_version() is None:
            return "reachable, empty: `sentinel run` or `sentinel db upgrade` makes the schema"
        database.require_schema()
    return f"reachable, schema {latest_version()}"


def _salt(settings: Settings) -> str:
    check_salts(settings)
    current = salt_there_is(settings)
    if current is None:
        return "not set: a random one will be kept beside the store file"
    path = _file_of(settings.store)
    if path is None or path.exists():
        salts = salts_of(settings, current)
        with Database(settings.store, settings.database) as database:
            if database.schema_version() == latest_version():
                for salt_id in salts_in_use(database):
                    salt_named(salts, salt_id)
    return f"id {current.id}"


def _source(settings: Settings) -> str:
    name, kafka = settings.source.source, settings.source.kafka
    if name == "file:-":
        return "standard input"
    if name == "kafka":
        # Only those who consume from Kafka pay for importing its client.
        from sentinel.stream.kafka_look import look

        check_access(kafka.security)
        try:
            partitions = look(kafka, _READ_SECONDS)
        except (RetryError, StopError) as error:
            raise StopError(f"{error}; {_KAFKA_MEND}") from None
        return f"topic {kafka.topic} can be read, {partitions} partition{'s' if partitions > 1 else ''}"
    path = Path(name.removeprefix("file:"))
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        raise StopError(
            f"{path} cannot be read ({error.strerror}): give --source (or SENTINEL_SOURCE__SOURCE) the file "
            "of the app's answers"
        ) from None
    return f"{path} can be read"


def _codecs(settings: Settings) -> str:
    if settings.source.source != "kafka":
        return "not needed: the source is no topic"
    missing = [name for name in ("snappy", "lz4", "zstandard") if importlib.util.find_spec(name) is None]
    if missing:
        raise StopError(
            f"topics compressed with {', '.join(missing)} cannot be read: "
            f"pip install '{DISTRIBUTION}[codecs]'"
        )
    return "gzip, snappy, lz4 and zstd topics can be read"


def _extensions(_settings: Settings) -> str:
    return say_extensions()


def _file_of(store: str) -> Path | None:
    """The file of a SQLite store; looking at it through the database would make it."""
    try:
        url = make_url(store)
    except (ArgumentError, ValueError):
        return None
    return Path(url.database).absolute() if url.get_backend_name() == "sqlite" and url.database else None
