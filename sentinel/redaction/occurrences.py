"""Finds known values in a text, whatever their number: by their words and digits, not one after another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_ATOM = re.compile(r"[^\W_]+")
_NAME_GAP = re.compile(r"[\s._+-]{1,3}\Z")
_DIGIT_RUN = re.compile(r"[0-9](?:[-\s.()/,|*_·:\u00a0\u2010-\u2015]{0,3}[0-9]){6,}")
_DIGITS = re.compile(r"[0-9]+")
_MOST_GROUPS = 24
#: So many values are looked for one by one before a text is taken apart.
_FEW = 16
_CODE_START = re.compile(r"[A-Za-z]{2}(?=[-\s]{0,2}[0-9][-\s]{0,2}[0-9])")
_CODE_STEP = re.compile(r"[-\s]{0,2}([0-9A-Za-z])")

Occurrence = tuple[int, int, str]


class _Shape(NamedTuple):
    """What must stand around and between the atoms of a value; None: what may join the words of a name."""

    lead: str
    gaps: tuple[str | None, ...]
    tail: str
    exact: frozenset[str]


class WordIndex:
    """Values found by their atoms (runs of letters and digits), in any case unless told otherwise."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[str, ...], dict[_Shape, str]] = {}
        self._lengths: dict[str, set[int]] = defaultdict(set)

    def add(self, value: str, placeholder: str, *, name: bool = False, exact: Sequence[str] = ()) -> None:
        """Remember a value; the words of a `name` may be joined by other signs; `exact`: only so spelt."""
        found = list(_ATOM.finditer(value))
        if not found:
            return
        atoms = tuple(match.group().casefold() for match in found)
        between = [value[a.end() : b.start()] for a, b in pairwise(found)]
        gaps = tuple(None if name and gap[-1:].isspace() else gap.casefold() for gap in between)
        lead, tail = value[: found[0].start()].casefold(), value[found[-1].end() :].casefold()
        shape = _Shape(lead, gaps, tail, frozenset(exact))
        self._shapes.setdefault(atoms, {}).setdefault(shape, placeholder)
        self._lengths[atoms[0]].add(len(atoms))

    def __bool__(self) -> bool:
        return bool(self._shapes)

    def find(self, text: str) -> Iterator[Occurrence]:
        """Yield where the values stand in `text`; of those that begin at one place, all."""
        if len(self._shapes) <= _FEW:
            whole = text.casefold()
            if not any(all(atom in whole for atom in atoms) for atoms in self._shapes):
                return
        atoms = list(_ATOM.finditer(text))
        folded = [match.group().casefold() for match in atoms]
        for index, first in enumerate(folded):
            for length in self._lengths.get(first, ()):
                shapes = self._shapes.get(tuple(folded[index : index + length]))
                for shape, placeholder in (shapes or {}).items():
                    place = _fits(text, atoms[index : index + length], shape)
                    if place is not None:
                        yield (*place, placeholder)


def _fits(text: str, atoms: Sequence[re.Match[str]], shape: _Shape) -> tuple[int, int] | None:
    start, end = atoms[0].start() - len(shape.lead), atoms[-1].end() + len(shape.tail)
    if start < 0 or end > len(text):
        return None
    if text[start : atoms[0].start()].casefold() != shape.lead:
        return None
    if text[atoms[-1].end() : end].casefold() != shape.tail:
        return None
    for one, other, gap in zip(atoms, atoms[1:], shape.gaps, strict=False):
        between = text[one.end() : other.start()]
        if not (_NAME_GAP.match(between) if gap is None else between.casefold() == gap):
            return None
    if shape.lead and start and _ATOM.match(text, start - 1):
        return None
    if shape.tail and _ATOM.match(text, end):
        return None
    return (start, end) if not shape.exact or text[start:end] in shape.exact else None


class DigitIndex:
    """Numbers found by their digits, in whatever groups; a group is never cut."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._longest = 0

    def add(self, digits: str, placeholder: str) -> None:
        """Remember a number."""
        self._known.setdefault(digits, placeholder)
        self._longest = max(self._longest, len(digits))

    def get(self, digits: str) -> str | None:
        """Return the placeholder of a number, if it is known."""
        return self._known.get(digits)

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, text: str) -> Iterator[Occurrence]:
        """Yield where the numbers stand in `text`."""
        for run in _DIGIT_RUN.finditer(text):
            groups = list(_DIGITS.finditer(text, run.start(), run.end()))
            for index, first in enumerate(groups):
                digits = ""
                for group in groups[index : index + _MOST_GROUPS]:
                    digits += group.group()
                    if len(digits) > self._longest:
                        break
                    placeholder = self._known.get(digits)
                    if placeholder is not None:
                        yield first.start(), group.end(), placeholder


class CodeIndex:
    """Bank account numbers found by their letters and digits, glued to others or not."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._lengths: dict[str, set[int]] = defaultdict(set)

    def add(self, code: str, placeholder: str) -> None:
        """Remember a code of capitals and digits."""
        if len(code) > 4:
            self._known.setdefault(code, placeholder)
            self._lengths[code[:2]].add(len(code))

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, text: str) -> Iterator[Occurrence]:
        """Yield where the codes stand in `text`."""
        for start in _CODE_START.finditer(text):
            lengths = self._lengths.get(start.group().upper())
            if not lengths:
                continue
            code, position = "", start.start()
            while len(code) < max(lengths) and (step := _CODE_STEP.match(text, position)):
                code += step.group(1).upper()
                position = step.end()
                if len(code) in lengths and code in self._known:
                    yield start.start(), position, self._known[code]
