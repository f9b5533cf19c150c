"""`sentinel redact`: events or lines of text in, the same without personal data out."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sentinel.cli.inputs import opened, say_refused
from sentinel.cli.options import Config
from sentinel.cli.secrets import placeholder_key
from sentinel.config import load_settings
from sentinel.pipeline.redact_stream import RedactionCounts, redact_event_lines, redact_text_lines
from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.redaction import redact_value
from sentinel.stream.decode import decode_value


def redact(
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="Events or text; - is standard input.")],
    text: Annotated[bool, typer.Option("--text", help="Each line is a text; each gives one line.")] = False,
    config: Config = None,
) -> None:
    """Replace personal data by placeholders that stay the same within an answer.

    In ids and domains they hold a keyed hash, so that two events stay two: the same in every run where
    sampling.salt is set, of this run alone where it is not. A line that is no event gives no output;
    standard error says which and why, and the exit code stays 0.

    Example: [bold]sentinel redact answers.jsonl > redacted.jsonl[/bold]
    """
    settings = load_settings(config)
    key = placeholder_key(settings)
    counts = RedactionCounts()
    with opened(source) as lines, RedactionPool(settings.redaction, settings.redaction_pool) as pool:
        pool.warm_up()
        if text:
            redacted = redact_text_lines(lines, pool, counts)
        else:
            redacted = redact_event_lines(
                lines,
                lambda line: decode_value(line, settings.limits).answer,
                pool,
                lambda value: redact_value(value, key, settings.redaction),
                counts,
            )
        for line in redacted:
            sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()  # the next program of a pipeline waits for it
    say_refused(counts.refusals)
