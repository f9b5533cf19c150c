"""Which command stands where."""

from __future__ import annotations

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
    app.command("demo")(demo.demo)
    app.command("run")(run.run)
    app.command("serve")(serve.serve)
    app.command("check")(check.check)
    app.command("indicators")(indicators.indicators)
    app.command("redact")(redact.redact)
    app.command("estimate")(estimate.estimate)
    app.command("report")(report.report)
    app.command("alarms")(alarms.alarms)
    app.command("doctor")(doctor.doctor)
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
            group.command(command)(function)
        if name == "people":
            tokens = typer.Typer(help="Personal tokens.", no_args_is_help=True, rich_markup_mode="rich")
            tokens.command("new")(people.new_token)
            tokens.command("revoke")(people.revoke_token)
            group.add_typer(tokens, name="token")
        app.add_typer(group, name=name)
