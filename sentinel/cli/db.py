"""`sentinel db`: the schema of the store."""

from __future__ import annotations

from typing import Annotated

import typer

from sentinel.store.database import Database

app = typer.Typer(name="db", help="The schema of the store.", no_args_is_help=True)


@app.callback()
def _db() -> None:
    """Keep `upgrade` a subcommand while it is the only one."""


@app.command()
def upgrade(
    store: Annotated[
        str, typer.Option("--store", envvar="SENTINEL_STORE", help="SQLAlchemy URL of the store.")
    ] = "sqlite:///sentinel.db",
) -> None:
    """Create the schema or migrate it to this version, and print its version."""
    with Database(store) as database:
        typer.echo(database.upgrade())
