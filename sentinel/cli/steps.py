"""Progress of long work on standard error: bars where a person watches, one line a step elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Steps(Protocol):
    """Announces steps; each is a call that says how much of the total is done by now."""

    def __call__(self, name: str, total: int) -> Callable[[int], None]:
        """Begin a step of `total` parts."""
        ...


@contextmanager
def steps() -> Iterator[Steps]:
    """Yield what shows the steps of a command."""
    if not sys.stderr.isatty():
        yield _as_line
        return
    columns = (TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:

        def begin(name: str, total: int) -> Callable[[int], None]:
            task = progress.add_task(name, total=total)
            return lambda done: progress.update(task, completed=done)

        yield begin


def _as_line(name: str, total: int) -> Callable[[int], None]:
    typer.echo(f"{name} ({total:,})", err=True)
    return lambda _done: None
