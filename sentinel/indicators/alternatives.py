"""Many patterns searched for at once: only those that a text can match at all are tried.

A regular expression of fifty alternatives tries each at every place. But hardly any can match a given text,
because each needs certain words; finding those words is a hundred times cheaper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

try:
    from re import _constants as opcodes  # type: ignore[attr-defined]
    from re import _parser  # type: ignore[attr-defined]
except ImportError:  # a Python that keeps its parser elsewhere: slower, with the same results
    _parser = None

#: More spellings than these are no quicker to look for than the pattern itself.
_MOST_NEEDLES = 20
_SHORTEST_NEEDLE = 2
#: Longer ones tell no more; each further spelling costs about as much as a letter gains.
_TELLING_LENGTH = 7
#: Letters that match others when case is ignored although `str.lower` keeps them apart (Python's
#: `re._casefix`), or whose lower case is longer.
_ODD_CASE = re.compile(
    "[\u00b5\u0130\u0131\u017f\u0345\u0390\u03b0\u03c2\u03d0-\u03d6\u03f0-\u03f5\u1c80-\u1c8a\u1e9b\u1e9e\u1fbe"
    "\u1fd3\u1fe3\u212a\ua64a\ua64b\ufb05\ufb06]"
)


class Alternatives:
    """Patterns of one meaning, any case; behaves as their union does when it is searched for."""

    def __init__(self, patterns: Iterable[str]) -> None:
        texts = list(patterns)
        groups: dict[tuple[str, ...], list[re.Pattern[str]]] = {}
        for text in texts:
            groups.setdefault(needles(text), []).append(re.compile(text, re.IGNORECASE))
        self._groups = list(groups.items())
        self._any = re.compile("|".join(f"(?:{text})" for text in texts), re.IGNORECASE)

    def found_in(self, text: str) -> bool:
        """Return whether any pattern matches somewhere."""
        return self.first(text) is not None

    def first(self, text: str) -> int | None:
        """Return where the leftmost match of any pattern begins, or None."""
        if not text.isascii() and _ODD_CASE.search(text):
            match = self._any.search(text)
            return None if match is None else match.start()
        lowered = text.lower()
        first: int | None = None
        for wanted, patterns in self._groups:
            for needle in wanted:
                if needle in lowered:
                    break
            else:
                if wanted:
                    continue
            for pattern in patterns:
                match = pattern.search(text)
                if match is not None and (first is None or match.start() < first):
                    first = match.start()
        return first


def needles(pattern: str) -> tuple[str, ...]:
    """Return texts in lower case of which every match holds at least one; empty where none is known."""
    if _parser is None:
        return ()
    best = _of_sequence(_parser.parse(pattern, re.IGNORECASE))
    return tuple(sorted(best)) if best is not None else ()


def _of_sequence(items: Sequence[tuple[Any, Any]]) -> frozenset[str] | None:
    """Return the most telling needles of parts that must all match, in a row."""
    found: list[frozenset[str]] = []
    run: frozenset[str] = frozenset({""})
    for operation, argument in [*items, (None, None)]:
        letters = _spelled(operation, argument)
        longer = frozenset(a + b for a in run for b in letters) if letters is not None else None
        if longer is not None and len(longer) <= _MOST_NEEDLES:
            run = longer
            continue
        found.append(run)
        run = letters if letters is not None and len(letters) <= _MOST_NEEDLES else frozenset({""})
        inner = None if letters is not None else _of_part(operation, argument)
        if inner is not None:
            found.append(inner)
    telling = [needles for needles in found if min(map(len, needles)) >= _SHORTEST_NEEDLE]
    return max(telling, key=_merit, default=None)


def _merit(needles: frozenset[str]) -> tuple[float, list[str]]:
    """Return how well needles tell texts apart for what they cost, and what breaks a tie."""
    return min(_TELLING_LENGTH, *map(len, needles)) - len(needles) / 3, sorted(needles)


def _spelled(operation: Any, argument: Any) -> frozenset[str] | None:
    """Return the texts that a part matches, where they are few and all of them are known."""
    if operation is opcodes.LITERAL:
        return frozenset({chr(argument).lower()})
    if operation is opcodes.SUBPATTERN:
        return _spelled_sequence(argument[3])
    if operation is opcodes.BRANCH:
        branches = [_spelled_sequence(branch) for branch in argument[1]]
        known = [texts for texts in branches if texts is not None]
        return frozenset().union(*known) if len(known) == len(branches) else None
    if operation is opcodes.MAX_REPEAT and argument[1] == 1:
        inner = _spelled_sequence(argument[2])
        if inner is not None:
            return inner | {""} if argument[0] == 0 else inner
    return None


def _spelled_sequence(items: Sequence[tuple[Any, Any]]) -> frozenset[str] | None:
    texts: frozenset[str] = frozenset({""})
    for operation, argument in items:
        letters = _spelled(operation, argument)
        if letters is None or len(texts) * len(letters) > _MOST_NEEDLES:
            return None
        texts = frozenset(a + b for a in texts for b in letters)
    return texts


def _of_part(operation: Any, argument: Any) -> frozenset[str] | None:
    """Return needles of a part that must match but is not spelled out."""
    if operation is opcodes.SUBPATTERN:
        return _of_sequence(argument[3])
    if operation is opcodes.BRANCH:
        branches = [_of_sequence(branch) for branch in argument[1]]
        known = [needles for needles in branches if needles is not None]
        together = frozenset().union(*known)
        return together if len(known) == len(branches) and len(together) <= _MOST_NEEDLES else None
    if operation in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT) and argument[0] > 0:
        return _of_sequence(argument[2])
    return None
