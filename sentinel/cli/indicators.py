"""`sentinel indicators`: the leading indicators of events, one line of JSON each."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Annotated

import typer

from sentinel.cli.inputs import opened, say_refused
from sentinel.cli.options import Config
from sentinel.config import load_settings
from sentinel.pipeline.inspect_events import indicator_lines


def indicators(
    source: Annotated[
        str, typer.Argument(metavar="FILE|-", help="JSONL answer events; - is standard input.")
    ],
    config: Config = None,
) -> None:
    """Print the indicators of each event as one line of JSON; writes nothing else.

    Example: [bold]sentinel indicators answers.jsonl | jq .citations[/bold]
    """
    settings = load_settings(config)
    refused: Counter[str] = Counter()
    with opened(source) as lines:
        for line in indicator_lines(lines, settings.limits, settings.indicators, refused):
            sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()
    say_refused(refused)
