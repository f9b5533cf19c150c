"""`sentinel serve`: the review workbench with its metrics and health."""

from __future__ import annotations

from typing import Annotated

import typer

from sentinel import __version__
from sentinel.cli.options import Config, Store
from sentinel.cli.secrets import workbench_key
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.store.database import Database
from sentinel.telemetry.catalogue import BUILD_INFO
from sentinel.telemetry.health import Health
from sentinel.telemetry.logs import configure_logging
from sentinel.telemetry.metrics import Metrics


def serve(
    config: Config = None,
    host: Annotated[
        str | None,
        typer.Option(
            help="Another than a loopback address needs sign-in.", show_default="from config: 127.0.0.1"
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="0 takes any free one.", show_default="from config: 8080")
    ] = None,
    store: Store = None,
    lead: Annotated[
        bool, typer.Option("--lead/--no-lead", help="Do scheduled work while no other process does.")
    ] = True,
) -> None:
    """Serve the review workbench, /metrics, /healthz and /readyz until Ctrl-C or SIGTERM.

    Of all processes on a store one does the scheduled work: weekly report, budget, shift detection.

    Example: [bold]sentinel serve --store sqlite:///sentinel.db --port 8080[/bold]
    """
    # Web server and reports take half a second to import, which no other command should pay.
    from sentinel.cli.scheduled_work import leading
    from sentinel.cli.workbench import label_redaction
    from sentinel.monitoring.gauges import show_shifts
    from sentinel.review.app import STORE_PART, create_app
    from sentinel.review.identity.start import require_key, require_sign_in
    from sentinel.review.server import listening_socket, serve_until_signal, url_of

    settings = load_settings(config, store=store, review__host=host, review__port=port)
    configure_logging(settings.telemetry.logs)
    metrics = Metrics(params=settings.telemetry.metrics)
    metrics.set(BUILD_INFO, 1.0, version=__version__)
    health = Health((STORE_PART,), metrics)
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        clock = SystemClock()
        with database.read() as conn:
            require_sign_in(conn, settings.review, clock.now())
        budget = settings.sampling.budget
        key = workbench_key(settings, database)
        require_key(settings.review, key)
        opened = listening_socket(settings.review.host, settings.review.port)
        typer.echo(f"Workbench: {url_of(opened)} (Ctrl-C ends it)", err=True)
        with (
            label_redaction(settings, key) as redaction,
            leading(settings, database, metrics, health, clock, wanted=lead),
        ):
            app = create_app(
                database,
                settings.review,
                metrics,
                health,
                clock,
                redaction,
                lambda conn: show_shifts(conn, settings.monitoring, metrics),
                None if budget is None else (budget.units, budget.per),
            )
            serve_until_signal(app, opened)
