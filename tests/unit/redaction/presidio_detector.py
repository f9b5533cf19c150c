"""The real detector, loaded once per test run."""

from __future__ import annotations

from functools import cache

from sentinel.redaction import RedactionParams
from sentinel.redaction.presidio import PresidioDetector

PARAMS = RedactionParams()


@cache
def detector() -> PresidioDetector:
    return PresidioDetector(PARAMS)


@cache
def seeing_all() -> PresidioDetector:
    """The same detector, whose model is shown every text as a whole."""
    return PresidioDetector(PARAMS, whole=True)
