"""`sentinel run`: the agent."""

from __future__ import annotations

import gc
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sentinel import __version__
from sentinel.cli.options import Config, Store
from sentinel.cli.secrets import salt_of
from sentinel.cli.wiring import worker
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.pipeline.accounting import Accounting
from sentinel.pipeline.agent import Agent
from sentinel.store.database import Database
from sentinel.stream.opening import open_source
from sentinel.telemetry.catalogue import BUILD_INFO
from sentinel.telemetry.health import Health
from sentinel.telemetry.http import HttpParams, TelemetryServer
from sentinel.telemetry.logs import configure_logging
from sentinel.telemetry.metrics import Metrics

#: So many new objects, and the collector looks at them; Python's own 700 are a few answers.
_NEW_OBJECTS = 20_000


def run(
    config: Config = None,
    source: Annotated[
        str | None,
        typer.Option(help="kafka, file:PATH or file:- (standard input).", show_default="from config"),
    ] = None,
    store: Store = None,
    until_end: Annotated[
        bool,
        typer.Option("--until-end", help="Stop at the end the source has now, instead of waiting for more."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the totals as one last line of JSON.")
    ] = False,
) -> None:
    """Consume answers: compute indicators, draw, redact what was drawn, store.

    Example: [bold]sentinel run --source file:answers.jsonl --until-end --json[/bold]
    """
    settings = load_settings(config, store=store, source__source=source)
    configure_logging(settings.telemetry.logs)
    clock = SystemClock()
    salt = salt_of(settings)
    metrics = Metrics(params=settings.telemetry.metrics)
    metrics.set(BUILD_INFO, 1.0, version=__version__)
    health = Health(("source", "store"), metrics)
    opened = open_source(
        settings.source.source,
        max_bytes=settings.limits.max_bytes,
        until_end=until_end,
        kafka=settings.source.kafka,
        clock=clock,
    )
    try:
        with (
            Database(settings.store, settings.database) as database,
            _served(settings.telemetry.http, metrics, health, wanted=not until_end),
        ):
            database.upgrade()
            with worker(settings, opened, database, salt, metrics, health, clock) as working:
                _work(working.agent, working.accounting, until_end)
    finally:
        opened.close()
    summary = working.accounting.summary()
    if as_json:
        typer.echo(json.dumps(summary))
    else:
        typer.echo(
            ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in summary.items()), err=True
        )


@contextmanager
def _served(params: HttpParams, metrics: Metrics, health: Health, *, wanted: bool) -> Iterator[None]:
    """Serve metrics and health while the agent runs; a run to the end of a file has nobody to scrape it."""
    if not wanted or params.port is None:
        yield
        return
    with TelemetryServer(metrics, health, params):
        yield


def _work(agent: Agent, accounting: Accounting, until_end: bool) -> None:
    def end(_signal: int, _frame: FrameType | None) -> None:
        agent.stop()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    _spare_the_collector()
    try:
        with _progress() as show:
            agent.run(until_end=until_end, on_batch=lambda _: show(accounting.summary()))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _spare_the_collector() -> None:
    """Have the garbage collector look no more at what the imports made, and at new objects less often.

    A batch makes and drops tens of thousands of objects, hardly any of them in cycles: else each batch has
    the collector walk through all modules several times.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


@contextmanager
def _progress() -> Iterator[Callable[[dict[str, int]], None]]:
    """Show running totals where a person watches; a log file gets none."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("waiting for answers")

        def show(totals: dict[str, int]) -> None:
            text = "{events:,} answers, {sampled:,} drawn, {dead_letters:,} dead letters".format_map(totals)
            progress.update(task, description=text)

        yield show
