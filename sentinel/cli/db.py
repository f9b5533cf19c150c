"""`sentinel db`: the schema of the store."""

from __future__ import annotations

import typer

from sentinel.cli.options import Config, Store
from sentinel.config import load_settings
from sentinel.store.database import Database


def upgrade(config: Config = None, store: Store = None) -> None:
    """Create the schema or migrate it to this version, and print its version.

    Example: [bold]sentinel db upgrade --store sqlite:///sentinel.db[/bold]
    """
    settings = load_settings(config, store=store)
    with Database(settings.store, settings.database) as database:
        typer.echo(database.upgrade())
