"""Which command stands where."""

from __future__ import annotations

import typer

from sentinel.cli import config, doctor, estimate, indicators, run


def register(app: typer.Typer) -> None:
    """Mount every command."""
    app.command("run")(run.run)
    app.command("indicators")(indicators.indicators)
    app.command("estimate")(estimate.estimate)
    app.command("doctor")(doctor.doctor)
    groups = (("config", "Settings.", {"check": config.check}),)
    for name, text, commands in groups:
        group = typer.Typer(help=text, no_args_is_help=True, rich_markup_mode="rich")
        for command, function in commands.items():
            group.command(command)(function)
        app.add_typer(group, name=name)
