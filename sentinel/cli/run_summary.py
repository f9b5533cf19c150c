"""What `sentinel run` says at its end: totals, and what became of records that were not as they should be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import typer
from sqlalchemy import make_url

from sentinel.cli.inputs import counted
from sentinel.pipeline.accounting import Accounting
from sentinel.records import Partition
from sentinel.settings import Settings
from sentinel.store import checkpoints
from sentinel.store.database import Database


def say_totals(accounting: Accounting, *, as_json: bool) -> None:
    """Print the totals: as one line of JSON on standard output, else in words on standard error."""
    summary = accounting.summary()
    if as_json:
        typer.echo(json.dumps(summary))
        return
    typer.echo(", ".join(f"{value} {name.replace('_', ' ')}" for name, value in summary.items()), err=True)


def say_remarks(accounting: Accounting, settings: Settings, database: Database) -> None:
    """Say on standard error what a person should look at after a run to the end of its source."""
    for remark in _remarks(accounting, settings, database):
        typer.echo(remark, err=True)


def _remarks(accounting: Accounting, settings: Settings, database: Database) -> Iterator[str]:
    source = settings.source.source
    check = f"`sentinel check {source.removeprefix('file:')}`" if source.startswith("file:") else ""
    if not any(accounting.summary().values()):
        if _was_read_before(source, database):
            yield (
                f"nothing new in {source}: the store keeps its place, and each record is read once; another "
                "--store begins anew"
            )
        return
    if accounting.events and not accounting.sampled and settings.sampling.budget is None:
        rate = settings.sampling.start_rate
        yield (
            f"none drawn of {counted(accounting.events, 'answer')}: sampling.rate {rate:g} draws about one "
            f"in {1 / rate:.0f}; SENTINEL_SAMPLING__RATE=1 with a new --store draws every one"
        )
    if accounting.dead_letters:
        store = (
            f" --store {settings.store}" if make_url(settings.store).get_backend_name() == "sqlite" else ""
        )
        yield (
            f"{counted(accounting.dead_letters, 'dead letter')}: {_by_reason(accounting.reasons)}; where "
            f"they stand: `sentinel db dead-letters{store}`"
        )
    unknown = accounting.cleaned.get("unknown_field", 0)
    cleaned = {reason: count for reason, count in accounting.cleaned.items() if reason != "unknown_field"}
    hint = f"; which ones: {check}" if check and source != "file:-" else ""
    if cleaned:
        yield (
            f"{counted(sum(cleaned.values()), 'value')} changed or made unknown: {_by_reason(cleaned)}{hint}"
        )
    if unknown:
        yield f"{counted(unknown, 'unknown field')} ignored{hint}"


def _by_reason(counts: dict[str, int]) -> str:
    return ", ".join(f"{reason} {count:,}" for reason, count in sorted(counts.items()))


def _was_read_before(source: str, database: Database) -> bool:
    kind, _, path = source.partition(":")
    if kind != "file" or path == "-":
        return False
    partition = Partition(f"file:{Path(path).absolute()}", 0)
    with database.read() as conn:
        found = checkpoints.read(conn, [partition])
    return any(checkpoint.next_offset > 0 for checkpoint in found.values())
