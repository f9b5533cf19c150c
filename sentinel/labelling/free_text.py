"""Which strings of a label or a draft are somebody's words; all others are fixed, and stay as they are.

Known names of subtypes and root causes are fixed too, though anything may stand in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sentinel.labelling.taxonomy import is_known_name
from sentinel.records import Annotation

_OF_DRAFT = ("comment",)
_OF_CLAIM = ("text",)
_NAMES_OF_CLAIM = ("subtype",)


def reworded(document: Any, change: Callable[[str], str]) -> Any:
    """Return a draft's document with its words changed; what is not of its form stays as it is."""
    if not isinstance(document, Mapping):
        return document
    new = dict(document)
    _change(new, _OF_DRAFT, change)
    if isinstance(claims := new.get("claims"), (list, tuple)):
        new["claims"] = [_claim(claim, change) for claim in claims]
    if isinstance(causes := new.get("root_causes"), (list, tuple)):
        new["root_causes"] = [_name(cause, change) for cause in causes]
    return new


def words_of(annotation: Annotation) -> Iterator[str]:
    """Yield the strings of a label that are its author's own words."""
    for claim in annotation.claims:
        yield claim.text
        if claim.subtype is not None and not is_known_name(claim.subtype):
            yield claim.subtype
    yield from (cause for cause in annotation.root_causes if not is_known_name(cause))
    if annotation.comment is not None:
        yield annotation.comment


def _claim(claim: Any, change: Callable[[str], str]) -> Any:
    if not isinstance(claim, Mapping):
        return claim
    new = dict(claim)
    _change(new, _OF_CLAIM, change)
    _change(new, _NAMES_OF_CLAIM, lambda name: _name(name, change))
    return new


def _change(part: dict[str, Any], keys: tuple[str, ...], change: Callable[[str], str]) -> None:
    for key in keys:
        if isinstance(text := part.get(key), str):
            part[key] = change(text)


def _name(name: Any, change: Callable[[str], str]) -> Any:
    return change(name) if isinstance(name, str) and not is_known_name(name) else name
