"""Lines of a file or of standard input."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import typer

from sentinel.errors import ConfigurationError


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


def say_refused(refused: Counter[str]) -> None:
    """Say on standard error how many lines were refused, and why."""
    if refused:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(refused.items()))
        typer.echo(f"{refused.total()} lines refused: {reasons}", err=True)
