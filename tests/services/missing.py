"""What to do on a machine that lacks a service."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


class MissingServiceError(Exception):
    """The service cannot be started here; the message says what is missing."""


def skip_or_fail(reason: str) -> NoReturn:
    """Skip on a developer's machine, fail where `CI` is set: there it has to be installed."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
