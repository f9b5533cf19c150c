"""`sentinel check`: what a file of answer events holds, and what of it cannot be used."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sentinel.cli.inputs import counted, opened
from sentinel.cli.options import Config
from sentinel.config import load_settings
from sentinel.pipeline.event_check import EventCheck, check_events


def check(
    source: Annotated[
        str, typer.Argument(metavar="FILE|-", help="JSONL answer events; - is standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
    config: Config = None,
) -> None:
    """Say which fields the events of a file have, and which lines and values cannot be used.

    Names fields, reasons and line numbers, never a value. Exit code 1: a line was refused.

    Example: [bold]sentinel check answers.jsonl[/bold]
    """
    settings = load_settings(config)
    with opened(source) as lines:
        found = check_events(lines, settings.limits)
    if as_json:
        typer.echo(json.dumps(_document(found)))
    else:
        _show(found)
    if found.refused.counts:
        raise typer.Exit(1)


def _document(found: EventCheck) -> dict[str, Any]:
    return {
        "events": found.events,
        "refused": dict(found.refused.counts),
        "refused_lines": found.refused.first,
        "fields": {
            name: {"given": use.given, "used": use.used} for name, use in sorted(found.fields.items())
        },
        "unknown_fields": dict(found.unknown),
        "cleaned_events": dict(found.cleaned.counts),
        "cleaned_lines": found.cleaned.first,
    }


def _show(found: EventCheck) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"{counted(found.events, 'event')}, {counted(found.refused.counts.total(), 'line')} refused"
    )
    if found.fields:
        table = Table(box=None, pad_edge=False)
        table.add_column("field")
        for heading in ("events with it", "of them usable"):
            table.add_column(heading, justify="right")
        for name, use in sorted(found.fields.items(), key=lambda one: (-one[1].given, one[0])):
            table.add_row(name, f"{use.given:,}", f"{use.used:,}")
        console.print(table)
    for heading, said in (
        ("refused", found.refused.by_reason()),
        ("with values changed or made unknown", found.cleaned.by_reason()),
        ("unknown fields, ignored", _names(found)),
    ):
        if said:
            console.print(escape(f"{heading}: {said}"))


def _names(found: EventCheck) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in found.unknown.most_common())
