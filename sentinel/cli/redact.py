"""`sentinel redact`: events or lines of text in, the same without personal data out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sentinel.errors import ConfigurationError
from sentinel.pipeline.redact_stream import (
    DecodeLine,
    RedactionCounts,
    redact_event_lines,
    redact_text_lines,
)
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.redaction import RedactionParams


def redact(
    source: str, params: RedactionParams, pool_params: RedactionPoolParams, decode: DecodeLine | None
) -> RedactionCounts:
    """Print the redacted lines of `source` (a path, or `-`) and, on stderr, how many were refused.

    `decode` None is text mode: each line is a text and gives exactly one line.

    Raises:
        ConfigurationError: if the source cannot be read or the model is not installed.
    """
    counts = RedactionCounts()
    with _opened(source) as lines, RedactionPool(params, pool_params) as pool:
        pool.warm_up()
        if decode is None:
            redacted = redact_text_lines(lines, pool, counts)
        else:
            redacted = redact_event_lines(lines, decode, pool, counts)
        for line in redacted:
            sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()
    if counts.refused:
        reasons = ", ".join(f"{reason}: {count}" for reason, count in sorted(counts.refused.items()))
        sys.stderr.write(f"{sum(counts.refused.values())} of {counts.lines} lines refused ({reasons})\n")
    return counts


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    if source == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(source).open("rb")  # noqa: SIM115 - closed below, outside of this try
    except OSError as error:
        message = f"cannot read {source}: {error.strerror}"
        raise ConfigurationError(message) from error
    with stream:
        yield stream
