"""`sentinel run`: the agent."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sentinel import __version__
from sentinel.cli.extensions import check_extensions
from sentinel.cli.heap import tended_heap
from sentinel.cli.options import Config, SourceName, Store
from sentinel.cli.run_summary import say_remarks, say_totals
from sentinel.cli.scheduled_work import leading, look_at_store
from sentinel.cli.secrets import salt_of
from sentinel.cli.stopping import Stop, stopping_on_signals
from sentinel.cli.wiring import source_of, worker
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.errors import RetryError
from sentinel.pipeline.accounting import Accounting
from sentinel.pipeline.agent import Agent
from sentinel.pipeline.patience import Patience
from sentinel.settings import Settings
from sentinel.store.database import Database
from sentinel.stream.source import Source
from sentinel.telemetry.catalogue import BUILD_INFO
from sentinel.telemetry.health import Health
from sentinel.telemetry.http import HttpParams, TelemetryServer
from sentinel.telemetry.logs import configure_logging, get_logger
from sentinel.telemetry.metrics import Metrics

log = get_logger("cli")
T = TypeVar("T")
#: So many new objects, and the collector looks at them; Python's own 700 are a few answers.
_NEW_OBJECTS = 20_000


def run(
    config: Config = None,
    source: SourceName = None,
    store: Store = None,
    until_end: Annotated[
        bool,
        typer.Option("--until-end", help="Stop at the end the source has now, instead of waiting for more."),
    ] = False,
    lead: Annotated[
        bool, typer.Option("--lead", help="Do scheduled work too, while no other process does.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the totals as one last line of JSON.")
    ] = False,
) -> None:
    """Consume answers: compute indicators, draw, redact what was drawn, store.

    Example: [bold]sentinel run --source file:answers.jsonl --until-end --json[/bold]
    """
    settings = load_settings(config, store=store, source__source=source)
    check_extensions()
    configure_logging(settings.telemetry.logs)
    metrics = Metrics(params=settings.telemetry.metrics)
    metrics.set(BUILD_INFO, 1.0, version=__version__)
    accounting = Accounting(metrics)

    def tell() -> None:
        say_totals(accounting, as_json=as_json)

    with stopping_on_signals(settings.pipeline.stop_seconds, tell) as stop:
        opened = source_of(settings, SystemClock(), until_end=until_end)
        try:
            _consume(settings, opened, metrics, accounting, stop, until_end, lead)
        finally:
            opened.close()
    tell()


def _consume(
    settings: Settings,
    source: Source,
    metrics: Metrics,
    accounting: Accounting,
    stop: Stop,
    until_end: bool,
    lead: bool,
) -> None:
    clock, salt = SystemClock(), salt_of(settings)
    health = Health(("source", "store"), metrics)
    patience = Patience(settings.pipeline, health, accounting)

    def patiently(call: Callable[[], T]) -> T:
        # Who waits for a run to end wants to hear at once that it cannot begin.
        return call() if until_end else patience.repeat("store", call, stop.asked, None)

    with (
        Database(settings.store, settings.database) as database,
        _served(
            settings.telemetry.http,
            metrics,
            health,
            (lambda: look_at_store(settings, database, metrics, clock)) if lead else None,
            wanted=not until_end,
        ),
    ):
        try:
            patiently(database.upgrade)
            with (
                leading(settings, database, metrics, health, clock, wanted=lead) as pace,
                worker(
                    settings,
                    source,
                    database,
                    salt,
                    metrics,
                    health,
                    clock,
                    pace,
                    accounting=accounting,
                    patiently=patiently,
                ) as working,
            ):
                _work(working.agent, accounting, stop, until_end)
            if until_end and not stop.asked():
                say_remarks(accounting, settings, database)
        except RetryError as error:
            if not stop.asked():
                raise
            log.warning("stopped before the store was there", error=str(error))


@contextmanager
def _served(
    params: HttpParams,
    metrics: Metrics,
    health: Health,
    refresh: Callable[[], None] | None,
    *,
    wanted: bool,
) -> Iterator[None]:
    """Serve metrics and health while the agent runs; a run to the end of a file has nobody to scrape it."""
    if not wanted or params.port is None:
        yield
        return
    with TelemetryServer(metrics, health, params, refresh):
        yield


def _work(agent: Agent, accounting: Accounting, stop: Stop, until_end: bool) -> None:
    stop.tells(agent.stop)
    _spare_the_collector()
    with _progress() as show, tended_heap():
        agent.run(until_end=until_end, on_batch=lambda _: show(accounting.summary()))


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
