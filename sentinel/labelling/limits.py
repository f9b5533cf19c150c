"""How large one label may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabelLimits:
    """Bounds of one label line: bytes before anything is parsed, then counts and code points.

    `guideline_version`, `subtype` and root causes are names (`name_characters`); claim texts
    and the comment are texts (`text_characters`).
    """

    line_bytes: int = 1_048_576
    claims: int = 1_000
    citations: int = 1_000
    root_causes: int = 20
    event_id_characters: int = 256
    annotator_characters: int = 100
    name_characters: int = 128
    text_characters: int = 20_000
