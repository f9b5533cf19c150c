"""A report as Markdown: headings, tables, notes; values from events cannot break out of their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sentinel.reporting.section import Section
from sentinel.reporting.tables import sections
from sentinel.reporting.wording import days

_SPECIAL = re.compile(r"([\\`*_\[\]#|~])")
_SPACE = re.compile(r"[ \t\r\n\v\f]+")


def markdown(document: Mapping[str, Any]) -> str:
    """Return the report as Markdown with pipe tables."""
    return "\n".join(_lines(document)).rstrip() + "\n"


def escaped(text: str) -> str:
    """Return text that stands for itself in Markdown and in the HTML made from it, on one line."""
    flat = _SPACE.sub(" ", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", flat)


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    period = document["period"]
    yield f"# Audited hallucination rate, {days(period['from'], period['to'])}"
    yield ""
    yield f"**{escaped(document['headline'])}**"
    yield ""
    as_of = document["as_of"][:16].replace("T", " ")
    yield f"Revision {document['revision']}, as of {as_of} UTC; days in {escaped(period['timezone'])}."
    yield ""
    if document["changes"]:
        yield from _changes(document["changes"])
    yield "## Read this first"
    yield ""
    yield from (f"- {escaped(note)}" for note in document["notes"])
    yield ""
    for section in sections(document):
        yield from _table(section)


def _changes(changes: Mapping[str, Any]) -> Iterator[str]:
    yield f"## What changed since revision {changes['since_revision']}"
    yield ""
    moved = changes["moved"] or [f"details in: {', '.join(changes['parts'])}"]
    yield from (f"- {escaped(one)}" for one in moved)
    yield ""


def _table(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    yield ""
    yield escaped(section.explanation)
    yield ""
    if not section.rows:
        yield "None."
        yield ""
        return
    yield "| " + " | ".join(escaped(cell) for cell in section.header) + " |"
    yield "|" + "|".join([" --- ", *(" ---: " for _ in section.header[1:])]) + "|"
    for row in section.rows:
        yield "| " + " | ".join(escaped(cell) for cell in row) + " |"
    yield ""
