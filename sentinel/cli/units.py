"""`sentinel units export`: the drawn answers with the probabilities they were drawn with."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from sentinel.cli.options import Config, Out, Store
from sentinel.cli.outputs import written
from sentinel.config import load_settings
from sentinel.review.unit_export import csv_rows, json_rows
from sentinel.store.database import Database


class Format(Enum):
    """How rows are written."""

    JSONL = "jsonl"
    CSV = "csv"


def export(
    format_: Annotated[
        Format, typer.Option("--format", help="One JSON object a line, or a table.")
    ] = Format.JSONL,
    out: Out = None,
    config: Config = None,
    store: Store = None,
) -> None:
    """Print one row per drawn answer, in order of event time, with its redacted content.

    Answers whose content was lost or purged are there too, with an empty answer: they were drawn.

    Example: [bold]sentinel units export --format csv --out units.csv[/bold]
    """
    settings = load_settings(config, store=store)
    rows = json_rows if format_ is Format.JSONL else csv_rows
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        with database.read() as conn, written(out, private=True) as stream:
            for line in rows(conn):
                stream.write(line)
