"""`sentinel alarms`: the shifts that were found."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated, Any, TextIO

import typer

from sentinel.cli.options import Config, Out, Store
from sentinel.cli.outputs import written
from sentinel.config import load_settings
from sentinel.store.database import Database
from sentinel.store.shifts import Alarm, active_alarms, alarm_document, evaluated_to, iter_alarms


class Format(Enum):
    """How alarms are written."""

    TEXT = "text"
    JSONL = "jsonl"


def alarms(
    app: Annotated[str | None, typer.Option("--app", help="Only those of this app.")] = None,
    active: Annotated[bool, typer.Option("--active", help="Only those that have not ended.")] = False,
    format_: Annotated[
        Format, typer.Option("--format", help="Lines to read, or one JSON object a line.")
    ] = Format.TEXT,
    out: Out = None,
    config: Config = None,
    store: Store = None,
) -> None:
    """List the shifts of indicators, answer length and retrieval distance, oldest first.

    Each with its begin and end (event time), its size with a 95 % interval beside the usual value, the
    slice that explains most of it, and drawn answers that show it.

    Example: [bold]sentinel alarms --active --store sqlite:///sentinel.db[/bold]
    """
    settings = load_settings(config, store=store)
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        with database.read() as conn:
            seen = evaluated_to(conn)
            found = active_alarms(conn) if active else list(iter_alarms(conn))
    found = [alarm for alarm in found if app is None or alarm.app == app]
    with written(out) as stream:
        if format_ is Format.JSONL:
            for alarm in found:
                stream.write(json.dumps(alarm_document(alarm), ensure_ascii=False) + "\n")
        else:
            for alarm in found:
                _write(alarm, stream)
    if not found:
        until = f"up to {seen:%Y-%m-%d %H:%M} UTC" if seen else "in this store yet: no leader has looked"
        typer.echo(f"No alarms {until}.", err=True)


def _write(alarm: Alarm, stream: TextIO) -> None:
    ended = f"{alarm.ended_at:%Y-%m-%d %H:%M} ({alarm.end_reason})" if alarm.ended_at else "active"
    name = f"{alarm.app or '(no app)'}: {alarm.series} {alarm.direction}"
    stream.write(f"{alarm.begun_at:%Y-%m-%d %H:%M} … {ended}  {name}{_version(alarm)}\n")
    size = alarm.findings.size
    shown = [_number(size[part], size["unit"]) for part in ("observed", "lower", "upper", "usual")]
    since = f"since about {alarm.onset_at:%Y-%m-%d %H:%M}, {size['answers']} answers"
    stream.write(f"    {shown[0]} ({shown[1]} to {shown[2]}), usually {shown[3]}; {since}\n")
    part = alarm.findings.slice
    if part:
        stream.write(f"    mostly {part['domain']} = {part['value']}{_share(part)}\n")
    if alarm.findings.example_event_ids:
        stream.write(f"    for example {', '.join(alarm.findings.example_event_ids)}\n")


def _version(alarm: Alarm) -> str:
    return f", in version {alarm.version}" if alarm.version else ""


def _share(part: dict[str, Any] | Any) -> str:
    share = part.get("share_of_shift")
    return "" if share is None else f": {share:.0%} of the shift, {part['answers']} answers"


def _number(value: float, unit: str) -> str:
    return f"{value:.2%}" if unit == "share" else f"{value:.3g} {unit}"
