"""What a model names in a text, whatever the model is."""

from __future__ import annotations

from typing import NamedTuple


class Entity(NamedTuple):
    """A named thing: `[start, end)` in code points of its text, the model's label, how many words it has."""

    start: int
    end: int
    label: str
    words: int
