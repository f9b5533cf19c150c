"""`sentinel report`: the audited-rate report of one period."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from sentinel.cli.options import Config, Out, Store
from sentinel.cli.outputs import written
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.reporting.period import requested_period
from sentinel.reporting.render import rendered
from sentinel.reporting.revisions import publish
from sentinel.store.database import Database


class Format(Enum):
    """How the report is written."""

    JSON = "json"
    HTML = "html"
    MARKDOWN = "markdown"


def report(
    from_: Annotated[str | None, typer.Option("--from", help="First day, as in 2026-11-16.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="First day that is no longer part of it.")] = None,
    week: Annotated[str | None, typer.Option("--week", help="An ISO week, as in 2026-W48.")] = None,
    timezone: Annotated[
        str | None,
        typer.Option("--timezone", help="IANA name of the zone of these days.", show_default="from config"),
    ] = None,
    format_: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.JSON,
    out: Out = None,
    config: Config = None,
    store: Store = None,
) -> None:
    """Estimate the hallucination rate of all traffic of a period; without one, of the last whole week.

    Each new finding is kept as a new revision; asking again without news gives the same one.

    Example: [bold]sentinel report --week 2026-W48 --format html --out report.html[/bold]
    """
    settings = load_settings(config, store=store)
    clock = SystemClock()
    params = settings.report
    period = requested_period(from_, to, week, timezone or params.timezone, clock.now())
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        published = publish(database, period, params, clock)
    with written(out) as stream:
        stream.write(rendered(published.document, format_.value))
