"""Lines of a file or of standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import typer

from sentinel.errors import ConfigurationError
from sentinel.pipeline.refused_lines import RefusedLines


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Yield the bytes of a path, or of standard input for `-`; raises ConfigurationError."""
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115 - closed below, after the reader is done
    except OSError as error:
        raise ConfigurationError(f"{name}: cannot be read ({error.strerror})") from None
    with stream:
        yield stream


def say_refused(refused: RefusedLines) -> None:
    """Say on standard error how many lines were refused, why, and which came first."""
    total = refused.counts.total()
    if total:
        typer.echo(f"{counted(total, 'line')} refused: {refused.by_reason()}", err=True)


def counted(number: int, thing: str) -> str:
    """Return a number with what it counts: `1 line`, `2 lines`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
