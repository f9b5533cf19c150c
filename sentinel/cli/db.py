"""`sentinel db`: the schema of the store, what is deleted from it, and what could not be used."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from sentinel.cli.options import Config, Store
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.store import retention
from sentinel.store.database import Database
from sentinel.store.dead_letters import iter_dead_letters


def upgrade(config: Config = None, store: Store = None) -> None:
    """Create the schema or migrate it to this version, and print its version.

    Example: [bold]sentinel db upgrade --store sqlite:///sentinel.db[/bold]
    """
    settings = load_settings(config, store=store)
    with Database(settings.store, settings.database) as database:
        typer.echo(database.upgrade())


def purge(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be deleted, and delete nothing.")
    ] = False,
    config: Config = None,
    store: Store = None,
) -> None:
    """Delete what was kept for longer than `retention` says; print how much as one line of JSON.

    Redacted contents of drawn answers, minute counts and dead letters go. Units with their
    probabilities, the frame, labels and reports stay, so that every rate can still be computed. An answer
    without a label can no longer get one: it is reported as purged.

    Example: [bold]sentinel db purge --dry-run --store sqlite:///sentinel.db[/bold]
    """
    settings = load_settings(config, store=store)
    now = SystemClock().now()
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        if dry_run:
            with database.read() as conn:
                found = retention.due(conn, settings.retention, now)
        else:
            found = retention.purge(database.begin, settings.retention, now)
    typer.echo(json.dumps(asdict(found)))


def dead_letters(
    limit: Annotated[int, typer.Option(min=1, help="How many, the newest first.")] = 100,
    config: Config = None,
    store: Store = None,
) -> None:
    """Print where records stand that could not be used, and why; one line of JSON each.

    What they held is not kept: read them at the source, with your own permissions.

    Example: [bold]sentinel db dead-letters --limit 20 --store sqlite:///sentinel.db[/bold]
    """
    settings = load_settings(config, store=store)
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        with database.read() as conn:
            for letter in iter_dead_letters(conn, limit):
                time = letter.record_timestamp
                shown = {
                    "topic": letter.partition.topic,
                    "partition": letter.partition.number,
                    "offset": letter.offset,
                    "reason": letter.reason,
                    "detail": letter.detail,
                    "record_timestamp": None if time is None else time.isoformat(),
                    "size_bytes": letter.size_bytes,
                }
                typer.echo(json.dumps(shown))
