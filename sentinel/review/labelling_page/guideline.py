"""The labelling guideline: plain lines that an admin writes, shown beside the answer, versioned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from sqlalchemy import Connection

from sentinel.review.refusals import RefusedError
from sentinel.store.guidelines import all_guidelines, find_guideline, newest_guideline

BUILT_IN_VERSION = "built-in-1"
Kind = Literal["text", "yes", "no"]
_MARKS: dict[str, Kind] = {"+": "yes", "-": "no"}


@dataclass(frozen=True, slots=True)
class GuidelineLine:
    """A line of a section: a rule, a positive example (`yes`) or a negative one (`no`)."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class GuidelineSection:
    """A heading with its lines."""

    title: str
    lines: tuple[GuidelineLine, ...]


@dataclass(frozen=True, slots=True)
class Guideline:
    """One version, as it is shown."""

    version: str
    sections: tuple[GuidelineSection, ...]


def parse_guideline(version: str, text: str) -> Guideline:
    """Return a text as guideline: `# heading`, `+ positive` and `- negative example`, else a rule."""
    sections: list[tuple[str, list[GuidelineLine]]] = []
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("#"):
            sections.append((line.lstrip("# "), []))
        elif line:
            if not sections:
                sections.append(("Rules", []))
            mark = _MARKS.get(line[:1]) if line[1:2].isspace() else None
            sections[-1][1].append(GuidelineLine(mark or "text", line[1:].strip() if mark else line))
    return Guideline(version, tuple(GuidelineSection(title, tuple(lines)) for title, lines in sections))


def built_in_text() -> str:
    """Return the text of the guideline that a new store begins with."""
    return (files("sentinel.review") / "guideline.txt").read_text(encoding="utf-8")


def guideline_document(text: str) -> dict[str, Any]:
    """Return a guideline's text as the store keeps it."""
    return {"text": text}


def current_version(conn: Connection) -> str:
    """Return the version in force."""
    newest = newest_guideline(conn)
    return newest.version if newest else BUILT_IN_VERSION


def current_guideline(conn: Connection) -> Guideline:
    """Return the guideline in force."""
    newest = newest_guideline(conn)
    if newest is None:
        return parse_guideline(BUILT_IN_VERSION, built_in_text())
    return _parsed(newest.version, newest.document)


def guideline_of(conn: Connection, version: str) -> Guideline | None:
    """Return one version; None where it is not there."""
    if version == BUILT_IN_VERSION:
        return parse_guideline(version, built_in_text())
    found = find_guideline(conn, version)
    return None if found is None else _parsed(found.version, found.document)


def guideline_seen(conn: Connection, version: str = "") -> tuple[Guideline, list[str], str]:
    """Return a version (the one in force without a name), all names, newest first, and the newest text.

    Raises:
        RefusedError: `not_found`.
    """
    found = guideline_of(conn, version) if version else current_guideline(conn)
    if found is None:
        raise RefusedError("not_found", "There is no such version of the guideline.", 404)
    stored = all_guidelines(conn)
    text = str(stored[0].document.get("text", "")) if stored else built_in_text()
    return found, [*(one.version for one in stored), BUILT_IN_VERSION], text


def _parsed(version: str, document: Mapping[str, Any]) -> Guideline:
    return parse_guideline(version, str(document.get("text", "")))
