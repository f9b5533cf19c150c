"""A service for as long as a block lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from tests.services.missing import MissingServiceError, skip_or_fail


class Service(Protocol):
    """What can be started, and ended with all it has written."""

    def start(self) -> None:
        """Start and wait until it serves."""

    def close(self) -> None:
        """Stop it and remove its data."""


_S = TypeVar("_S", bound=Service)


@contextmanager
def running(make: Callable[[], _S]) -> Iterator[_S]:
    """Yield the service that `make` returns, started; skip or fail where the machine lacks it."""
    try:
        server = make()
    except MissingServiceError as error:
        skip_or_fail(str(error))
    try:
        server.start()
        yield server
    finally:
        server.close()
