"""The strings of an answer as leaves of its JSON tree: collected, redacted, put back in place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from sentinel.characters import clean_text
from sentinel.redaction.cards import is_card
from sentinel.redaction.folding import Folded, fold


class Kind(Enum):
    """What a string is, and so how it is looked at."""

    TEXT = "text"  # prose: the whole detector
    LABEL = "label"  # a short word of the app: patterns only
    IDENTIFIER = "identifier"  # a document id: only what is exact enough, so that references hold
    NUMBER = "number"  # a JSON number


@dataclass(eq=False, slots=True)
class Leaf:
    """One string (or number) of the tree; `entity` is what its key says it holds, if it does."""

    text: str = field(repr=False)
    kind: Kind
    entity: str | None = None
    original: Any = field(default=None, repr=False)
    redacted: str | None = field(default=None, repr=False)
    copy: Folded = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the plain copy in which values are looked for."""
        self.copy = fold(self.text)

    @property
    def plain(self) -> str:
        """Return the plain copy's text."""
        return self.copy.text


@dataclass(frozen=True, slots=True)
class Embedded:
    """A string that holds JSON."""

    tree: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Mapping:
    """A JSON object whose keys are leaves too."""

    items: tuple[tuple[Leaf, Any], ...] = field(repr=False)


_DEEPEST = 40
_KEYS = (
    ("US_SSN", re.compile(r"ssn|social_?security|tax_?id")),
    ("PHONE_NUMBER", re.compile(r"phone|mobile|cell(?!s)|fax\b|msisdn|telephone")),
    ("CREDIT_CARD", re.compile(r"card_?(?:number|no|num)|\bpan\b|credit_?card")),
    (
        "PERSON",
        re.compile(
            r"^(?:first|last|full|given|family|middle|sur|maiden|customer|client|patient|contact|person|employee|user|account_holder"
            r"|card_?holder|holder|recipient|sender|author|owner|manager|agent|guest|passenger|member|student|teacher|doctor)_?names?$"
            r"|^(?:surname|forename|patient|recipient|cardholder|account_holder|passenger)s?$"
        ),
    ),
)
#: Keys that say of what kind the value beside them is, and those under which it stands.
_KIND_KEYS = frozenset(
    {"type", "kind", "label", "name", "field", "key", "system", "attribute", "column", "title", "property"}
)
_VALUE_KEYS = frozenset(
    {"value", "values", "val", "v", "number", "num", "no", "content", "text", "data", "answer", "raw"}
)
_DIGITS = re.compile(r"[0-9]")


def key_entity(key: str) -> str | None:
    """Return the entity type that values under the key hold by its name, if any."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-\s.]+", "_", key).lower()
    return next((entity for entity, pattern in _KEYS if pattern.search(plain)), None)


def grow(value: Any, entity: str | None = None, depth: int = 0) -> Any:
    """Return the tree of any JSON value, with its strings, keys and numbers as leaves.

    A string that itself holds a JSON object or list is walked inside.
    """
    if isinstance(value, dict):
        told = _told_by_sibling(value)
        return Mapping(
            tuple(
                (_key(k), grow(v, key_entity(str(k)) or _of_value(str(k), told) or entity, depth + 1))
                for k, v in value.items()
            )
        )
    if isinstance(value, list | tuple):
        return [grow(item, entity, depth + 1) for item in value]
    if isinstance(value, str):
        value = clean_text(value)  # what JSON inside of a string spells out may hold NUL again
        inner = _parse(value) if depth < _DEEPEST else None
        return Leaf(value, Kind.TEXT, entity) if inner is None else Embedded(grow(inner, entity, depth + 1))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value, entity)
    return value


def _told_by_sibling(value: dict[Any, Any]) -> str | None:
    """Return the entity type that a pair such as `{"type": "phone", "value": …}` names, if it is one."""
    for key, name in value.items():
        if isinstance(name, str) and len(name) <= 40 and str(key).lower() in _KIND_KEYS:
            entity = key_entity(name)
            if entity is not None:
                return entity
    return None


def _of_value(key: str, told: str | None) -> str | None:
    return told if told is not None and key.lower() in _VALUE_KEYS else None


def _key(key: Any) -> Leaf:
    text = clean_text(str(key))
    return Leaf(text, Kind.TEXT if " " in text.strip() else Kind.LABEL)


def _number(value: float, entity: str | None) -> Any:
    """Return the number, or a leaf of its digits; of a fraction only the whole part can be a value."""
    if isinstance(value, float) and not abs(value) < 1e20:
        return value
    digits = str(abs(int(value)))
    if len(digits) < 7:
        return value
    known = entity if entity in {"US_SSN", "PHONE_NUMBER", "CREDIT_CARD"} else None
    if is_card(digits):
        known = "CREDIT_CARD"
    if known is None and value != int(value):
        return value
    return Leaf(digits, Kind.NUMBER, known, original=value)


def _parse(text: str) -> Any:
    """Return the object or list that the string holds as JSON, or None."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str):
        return value if _parse(value) is not None else None
    return value if isinstance(value, dict | list) else None


def collect(tree: Any) -> Iterator[Leaf]:
    """Yield the leaves of the tree in reading order."""
    if isinstance(tree, Leaf):
        yield tree
    elif isinstance(tree, Embedded):
        yield from collect(tree.tree)
    elif isinstance(tree, Mapping):
        for key, value in tree.items:
            yield key
            yield from collect(value)
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from collect(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from collect(value)


def render(tree: Any) -> Any:
    """Return the JSON value of the tree with what was put in place of its leaves."""
    if isinstance(tree, Leaf):
        if tree.redacted is not None:
            return tree.redacted
        return tree.original if tree.kind is Kind.NUMBER else tree.text
    if isinstance(tree, Embedded):
        return json.dumps(render(tree.tree), ensure_ascii=False)
    if isinstance(tree, Mapping):
        return _object(tree)
    if isinstance(tree, dict):
        return {key: render(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [render(value) for value in tree]
    return tree


def _object(tree: Mapping) -> dict[str, Any]:
    rendered: dict[str, Any] = {}
    for key, value in tree.items:
        name = base = render(key)
        count = 1
        while name in rendered:
            count += 1
            name = f"{base} ({count})"
        rendered[name] = render(value)
    return rendered


def digits_of(text: str) -> int:
    """Return how many ASCII digits the text has."""
    return len(_DIGITS.findall(text))
