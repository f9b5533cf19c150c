"""`sentinel indicators`: the leading indicators of events, one line of JSON each."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sentinel.cli.inputs import opened, say_refused
from sentinel.cli.options import Config
from sentinel.config import load_settings
from sentinel.pipeline.inspect_events import indicator_lines
from sentinel.pipeline.refused_lines import RefusedLines


def indicators(
    source: Annotated[
        str, typer.Argument(metavar="FILE|-", help="JSONL answer events; - is standard input.")
    ],
    config: Config = None,
) -> None:
    """Print the indicators of each event as one line of JSON; writes nothing else.

    Lines that are no event give no output; standard error says which, and the exit code stays 0.

    Example: [bold]sentinel indicators answers.jsonl | jq .citations[/bold]
    """
    settings = load_settings(config)
    refused = RefusedLines()
    with opened(source) as lines:
        for line in indicator_lines(lines, settings.limits, settings.indicators, refused):
            sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()
    say_refused(refused)
