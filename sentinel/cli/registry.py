"""Which command stands where."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import typer

from sentinel.cli import (
    alarms,
    check,
    config,
    db,
    demo,
    doctor,
    estimate,
    indicators,
    labels,
    people,
    redact,
    report,
    risk,
    run,
    serve,
    units,
)


def register(app: typer.Typer) -> None:
    """Mount every command."""
    _mount(app, "demo", demo.demo)
    _mount(app, "run", run.run)
    _mount(app, "serve", serve.serve)
    _mount(app, "check", check.check)
    _mount(app, "indicators", indicators.indicators)
    _mount(app, "redact", redact.redact)
    _mount(app, "estimate", estimate.estimate)
    _mount(app, "report", report.report)
    _mount(app, "alarms", alarms.alarms)
    _mount(app, "doctor", doctor.doctor)
    groups: tuple[tuple[str, str, dict[str, Callable[..., None]]], ...] = (
        ("units", "Drawn answers: what waits for a label.", {"export": units.export}),
        ("labels", "Labels in and out by file.", {"import": labels.import_, "export": labels.export}),
        ("risk", "The model that decides which answers are drawn more often.", {"refit": risk.refit}),
        (
            "people",
            "Who may use the workbench, and as what.",
            {"add": people.add, "list": people.list_, "role": people.role, "remove": people.remove},
        ),
        ("config", "Settings.", {"check": config.check}),
        (
            "db",
            "The store: schema, retention, dead letters.",
            {"upgrade": db.upgrade, "purge": db.purge, "dead-letters": db.dead_letters},
        ),
    )
    for name, text, commands in groups:
        group = typer.Typer(help=text, no_args_is_help=True, rich_markup_mode="rich")
        for command, function in commands.items():
            _mount(group, command, function)
        if name == "people":
            tokens = typer.Typer(help="Personal tokens.", no_args_is_help=True, rich_markup_mode="rich")
            _mount(tokens, "new", people.new_token)
            _mount(tokens, "revoke", people.revoke_token)
            group.add_typer(tokens, name="token")
        app.add_typer(group, name=name)


def _mount(group: typer.Typer, name: str, function: Callable[..., None]) -> None:
    """Mount a command with its docstring as help, each paragraph one line that the terminal may wrap."""
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    group.command(name, help="\n\n".join(" ".join(one.split("\n")) for one in paragraphs))(function)
