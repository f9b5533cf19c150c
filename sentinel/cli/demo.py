"""`sentinel demo`: simulated traffic with a known truth through the whole product."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from sentinel.cli.demo_result import show_result
from sentinel.cli.steps import Steps, steps
from sentinel.cli.wiring import source_of, worker
from sentinel.clock import FixedClock, SystemClock
from sentinel.config import load_settings
from sentinel.demo.comparison import compare
from sentinel.demo.folder import DemoFolder
from sentinel.demo.plan import Plan, last_two_weeks
from sentinel.demo.simulation import simulate
from sentinel.demo.truth import Truth
from sentinel.errors import StopError
from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.reporting.period import ReportPeriod
from sentinel.reporting.render import rendered
from sentinel.reporting.revisions import publish
from sentinel.review.label_import import LabelImport, NumberedLine
from sentinel.sampling.selection import Salt
from sentinel.settings import Settings
from sentinel.store.database import Database
from sentinel.store.unit_queries import UnitFilter, iter_units
from sentinel.telemetry.health import Health
from sentinel.telemetry.logs import LogParams, configure_logging
from sentinel.telemetry.metrics import Metrics

_FEWEST_EVENTS = 50
_DRAWN = 250
_HIGHEST_RATE = 0.35
_WRITTEN_BEFORE_END = timedelta(minutes=1)
_LABELLED_AFTER = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the steps of one demonstration share."""

    plan: Plan
    folder: DemoFolder
    settings: Settings
    salt: Salt
    database: Database
    metrics: Metrics
    health: Health
    begin: Steps


def demo(
    events: Annotated[int, typer.Option(min=_FEWEST_EVENTS, help="Answers to simulate.")] = 6000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same answers, draw and numbers.")] = 7,
    out: Annotated[Path, typer.Option(help="Folder for store and report; made anew each time.")] = Path(
        "demo-out"
    ),
    serve: Annotated[bool, typer.Option("--serve/--no-serve", help="Serve the workbench at the end.")] = True,
) -> None:
    """Simulate two weeks of a support assistant and measure how often it hallucinates.

    Everything but the app is real: consume, indicate, draw, redact, store, import labels (from the hidden
    truth), estimate, report. Ends with the estimate beside the truth; the environment's settings are not
    used, so that the numbers depend on the seed alone.

    Example: [bold]sentinel demo --events 2000 --no-serve[/bold]
    """
    configure_logging(LogParams(format="console", level="warning"))
    plan = Plan(events, seed, last_two_weeks(SystemClock().now()))
    folder = DemoFolder(out)
    folder.prepare()
    settings = _settings(plan, folder)
    folder.salt.write_text(f"{settings.sampling.salt}\n", encoding="ascii")
    metrics, salt = Metrics(), Salt.of(settings.sampling.salt)
    health = Health(("source", "store"), metrics)
    with Database(settings.store, settings.database) as database:
        with steps() as begin:
            parts = _Parts(plan, folder, settings, salt, database, metrics, health, begin)
            truths = _simulate(parts)
            totals = _consume(parts)
            _label(parts, truths)
            document = _report(parts)
        show_result(document, compare(document, truths.values()), totals, folder)
        if serve:
            health.forget("source")
            _serve(parts)


def _settings(plan: Plan, folder: DemoFolder) -> Settings:
    """Return settings for about 250 drawn answers, whatever the number of events."""
    return load_settings(
        None,
        {},
        store=folder.store_url,
        source__source=f"file:{folder.answers}",
        sampling__salt=f"sentinel demo, seed {plan.seed}",
        sampling__rate=min(_HIGHEST_RATE, _DRAWN / plan.events),
        redaction_pool__processes=min(2, os.cpu_count() or 1),
        pipeline__batch_records=250,
        pipeline__batch_units=32,
    )


def _simulate(parts: _Parts) -> dict[str, Truth]:
    """Write the app's stream, and the truth beside it; return the truth by event id."""
    show = parts.begin("Simulating answers", parts.plan.events)
    truths: dict[str, Truth] = {}
    with parts.folder.answers.open("wb") as stream, parts.folder.truth.open("w", encoding="utf-8") as kept:
        for line in simulate(parts.plan):
            stream.write(line.text + b"\n")
            if line.truth is not None:
                truths[line.truth.event_id] = line.truth
                kept.write(json.dumps(line.truth.label(), ensure_ascii=False) + "\n")
                show(len(truths))
    # The records' own time, which enters the draw: it must not depend on when the demonstration runs.
    written = (parts.plan.ends - _WRITTEN_BEFORE_END).timestamp()
    os.utime(parts.folder.answers, (written, written))
    return truths


def _consume(parts: _Parts) -> dict[str, int]:
    """Run the agent over the stream to its end; return its totals."""
    settings = parts.settings
    clock = FixedClock(parts.plan.ends)
    source = source_of(settings, clock, until_end=True)
    parts.database.upgrade()
    show = parts.begin("Consuming, drawing, redacting", parts.plan.events)
    try:
        with worker(
            settings, source, parts.database, parts.salt, parts.metrics, parts.health, clock
        ) as working:
            working.agent.run(until_end=True, on_batch=lambda accounting: show(accounting.events))
            return working.accounting.summary()
    finally:
        source.close()


def _label(parts: _Parts, truths: dict[str, Truth]) -> None:
    """Have the drawn answers labelled by a reviewer who knows the truth."""
    with parts.database.read() as conn:
        waiting = UnitFilter(statuses=("pending",))
        drawn = [one.unit.facts.event_id for one in iter_units(conn, waiting, with_content=False)]
    show = parts.begin("Labelling drawn answers", len(drawn))

    def lines() -> Iterator[NumberedLine]:
        for number, event_id in enumerate(drawn, 1):
            yield NumberedLine(number, json.dumps(truths[event_id].label()).encode())
            show(number)

    settings = parts.settings
    clock = FixedClock(parts.plan.ends + _LABELLED_AFTER)
    with RedactionPool(settings.redaction, settings.redaction_pool) as pool:
        outcome = LabelImport(parts.database, pool.redact_texts, parts.salt.key, clock).run(lines())
    if outcome.accepted != len(drawn):
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(outcome.refused.items()))
        raise StopError(f"{len(drawn) - outcome.accepted} of the simulated labels were refused: {reasons}")


def _report(parts: _Parts) -> dict[str, Any]:
    """Publish the report of the simulated two weeks and write it as a page and as data."""
    show = parts.begin("Writing the report", 3)
    period = ReportPeriod(parts.plan.begins.date(), parts.plan.ends.date(), "UTC")
    clock = FixedClock(parts.plan.ends + _LABELLED_AFTER)
    document = dict(publish(parts.database, period, parts.settings.report, clock).document)
    show(1)
    for done, (path, form) in enumerate(((parts.folder.json, "json"), (parts.folder.html, "html")), 2):
        path.write_text(rendered(document, form), encoding="utf-8")
        show(done)
    return document


def _serve(parts: _Parts) -> None:
    from sentinel.cli.workbench import label_redaction
    from sentinel.review.app import create_app
    from sentinel.review.server import listening_socket, serve_until_signal, url_of

    review = parts.settings.review
    opened = listening_socket(review.host, review.port, or_any=True)
    typer.echo(f"Workbench: {url_of(opened)} (Ctrl-C ends it)")
    with label_redaction(parts.settings, parts.salt.key) as redaction:
        app = create_app(parts.database, review, parts.metrics, parts.health, SystemClock(), redaction)
        serve_until_signal(app, opened)
