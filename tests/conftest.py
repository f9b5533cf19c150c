"""Shared fixtures; real services live in `tests/services`."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator

import pytest
import structlog

from sentinel.cli.extensions import check_extensions
from sentinel.errors import StopError

pytest_plugins = ["tests.services.fixtures"]


def pytest_configure() -> None:
    """Run nothing against compiled modules that are of other sources."""
    try:
        check_extensions()
    except StopError as error:
        pytest.exit(str(error), returncode=3)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files with slow tests first: begun last, one process would end long before the other."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    """Undo what a command run within the tests does to the logging of the whole process."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    was_configured = structlog.is_configured()
    yield
    if structlog.is_configured() and not was_configured:
        root.handlers[:] = handlers
        root.setLevel(level)
        sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
        structlog.reset_defaults()
