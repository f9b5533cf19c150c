"""`sentinel labels import` and `sentinel labels export`: labels in and out by file."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from sentinel.cli.inputs import counted, opened
from sentinel.cli.options import Config, Out, Store
from sentinel.cli.outputs import written
from sentinel.cli.secrets import identity_salt, salt_of, salts_of
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.errors import StopError
from sentinel.labelling.limits import LabelLimits
from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.review.label_export import label_lines
from sentinel.review.label_import import ImportOutcome, LabelImport, numbered_lines
from sentinel.store.database import Database


def import_(
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="JSONL labels; - is standard input.")],
    config: Config = None,
    store: Store = None,
) -> None:
    """Take in labels: personal data is replaced first, each line is kept or refused with its reason.

    Prints the counts as one line of JSON. The same file may be imported again: identical lines are
    refused as duplicates, changed ones are corrections. Exit code 1: not one line could be kept.

    Example: [bold]sentinel labels import labels.jsonl[/bold]
    """
    settings = load_settings(config, store=store)
    limits = LabelLimits()
    with opened(source) as stream, Database(settings.store, settings.database) as database:
        database.require_schema()
        key = identity_salt(database, salts_of(settings, salt_of(settings))).key
        with RedactionPool(settings.redaction, settings.redaction_pool) as pool:
            pool.warm_up()
            taking = LabelImport(database, pool.redact_texts, key, SystemClock(), limits, settings.redaction)
            outcome = taking.run(numbered_lines(stream, limits.line_bytes))
    _tell(outcome)
    typer.echo(json.dumps(_counts(outcome)))
    if outcome.lines and not outcome.accepted + outcome.refused["duplicate"]:
        raise StopError("no line of this file is a label that could be kept")


def export(
    out: Out = None,
    config: Config = None,
    store: Store = None,
) -> None:
    """Print all labels as JSONL that `labels import` reads; corrections follow what they replace.

    Example: [bold]sentinel labels export --out labels.jsonl[/bold]
    """
    settings = load_settings(config, store=store)
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        with database.read() as conn, written(out, private=True) as stream:
            for line in label_lines(conn):
                stream.write(line)


def _counts(outcome: ImportOutcome) -> dict[str, object]:
    return {
        "lines": outcome.lines,
        "accepted": outcome.accepted,
        "corrections": outcome.corrections,
        "non_probability": outcome.outside_sample,
        "refused": outcome.refused.total(),
        "reasons": dict(sorted(outcome.refused.items())),
        "unknown_keys": outcome.unknown_keys,
    }


def _tell(outcome: ImportOutcome) -> None:
    """Say on standard error what was refused and what a person should look at."""
    for refusal in outcome.refusals:
        detail = f": {refusal.detail}" if refusal.detail else ""
        typer.echo(f"line {refusal.number} refused, {refusal.reason}{detail}", err=True)
    more = outcome.refused.total() - len(outcome.refusals)
    if more > 0:
        typer.echo(f"and {counted(more, 'more line')} refused", err=True)
    outside = outcome.outside_sample
    if outside:
        verb = "is of an answer that was" if outside == 1 else "are of answers that were"
        first = ", ".join(f"{number}" for number in outcome.first_outside_sample)
        more_lines = ", …" if outside > len(outcome.first_outside_sample) else ""
        typer.echo(
            f"{counted(outside, 'label')} {verb} never drawn: kept, in no rate (line{'s' * (outside > 1)} "
            f"{first}{more_lines}); a mistyped event_id looks the same",
            err=True,
        )
    unsupported = outcome.abstentions_with_unsupported_claims
    if unsupported:
        verb = "says answered: false and lists" if unsupported == 1 else "say answered: false and list"
        typer.echo(
            f"{counted(unsupported, 'label')} {verb} unsupported claims, which count in no rate; if the "
            "answer asserted them, correct the label to answered: true, abstention: failed",
            err=True,
        )
    sys.stderr.flush()
