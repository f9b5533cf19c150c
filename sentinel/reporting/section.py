"""One table of the report, as text cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]
STATUS_WORDS = {
    "ok": "ok",
    "no_data": "no data",
    "too_small": "too small",
    "zero_observed": "none observed",
    "off": "off",
}


@dataclass(frozen=True, slots=True)
class Section:
    """One table with its title, a line of explanation, and rows of text cells; the first cell names "
    "the row."""

    key: str
    title: str
    explanation: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
