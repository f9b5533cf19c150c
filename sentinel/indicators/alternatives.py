"""Many patterns searched for at once: only those that a text can match at all are tried.

A regular expression of fifty alternatives tries each at every place. But hardly any can match a given text,
because each needs certain words; finding those words is a hundred times cheaper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from sentinel.indicators.needles import NeedleGroups

try:
    from re import _constants as opcodes  # type: ignore[attr-defined]
    from re import _parser  # type: ignore[attr-defined]
except ImportError:  # a Python that keeps its parser elsewhere: slower, with the same results
    _parser = None

#: More spellings than these are no quicker to look for than the pattern itself.
_MOST_SPELLINGS = 20
#: Nor are more than these where a choice of parts is looked for, of which each has its own.
_MOST_NEEDLES = 40
_SHORTEST_NEEDLE = 2
#: Longer ones tell no more; each further spelling costs about as much as a letter gains.
_TELLING_LENGTH = 7
#: So many sets of needles are looked for before a pattern is tried: a text holds `not` without `context`.
_MOST_SETS = 4
#: So many letters of a needle are looked for before the whole.
_CUT = range(4, 8)
#: Letters that match others when case is ignored although `str.lower` keeps them apart (Python's
#: `re._casefix`), or whose lower case is longer.
_ODD_CASE = re.compile(
    "[\u00b5\u0130\u0131\u017f\u0345\u0390\u03b0\u03c2\u03d0-\u03d6\u03f0-\u03f5\u1c80-\u1c8a\u1e9b\u1e9e\u1fbe"
    "\u1fd3\u1fe3\u212a\ua64a\ua64b\ufb05\ufb06]"
)

#: What a pattern is made of, as far as brackets go: an escape, a class of signs, or one sign.
_PIECES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)

Needles = tuple[str, ...]


class Alternatives:
    """Patterns of one meaning, any case; behaves as their union does when it is searched for."""

    def __init__(self, patterns: Iterable[str]) -> None:
        texts = list(patterns)
        # Patterns that begin with the same needles are left out together.
        tree: dict[Needles, dict[tuple[Needles, ...], list[re.Pattern[str]]]] = {}
        for text in texts:
            for branch in _branches(text):
                sets = needle_sets(branch)
                first, *more = _quickest_first(sets) if sets else [()]
                below = tree.setdefault(first, {}).setdefault(tuple(more), [])
                below.append(re.compile(branch, re.IGNORECASE))
        self._tree = [(first, list(below.items())) for first, below in tree.items()]
        self._first_needles = NeedleGroups(tuple(tree))
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
        found = self._first_needles.found_in(text) if text.isascii() else self._begun_in(lowered)
        first: int | None = None
        for number in found:
            for more, patterns in self._tree[number][1]:
                if more and not _holds_one_of_each(lowered, more):
                    continue
                for pattern in patterns:
                    match = pattern.search(text)
                    if match is not None and (first is None or match.start() < first):
                        first = match.start()
        return first

    def _begun_in(self, lowered: str) -> list[int]:
        """Return which branches of the tree hold a pattern that a text with other signs may match."""
        return [
            number
            for number, (wanted, _) in enumerate(self._tree)
            if not wanted or _holds_one_of_each(lowered, (wanted,))
        ]


def _holds_one_of_each(lowered: str, sets: tuple[Needles, ...]) -> bool:
    for needles in sets:
        for needle in needles:
            if needle in lowered:
                break
        else:
            return False
    return True


def _branches(pattern: str) -> list[str]:
    """Split a pattern at the bars outside of any bracket: each branch has needles of its own."""
    branches = [""]
    depth = 0
    for piece in _PIECES.findall(pattern):
        if piece == "|" and depth == 0:
            branches.append("")
            continue
        depth += (piece == "(") - (piece == ")")
        branches[-1] += piece
    return branches


def needles(pattern: str) -> Needles:
    """Return texts in lower case of which every match holds at least one; empty where none is known."""
    return (needle_sets(pattern) or ((),))[0]


def needle_sets(pattern: str) -> tuple[Needles, ...]:
    """Return sets of texts in lower case, the most telling first: every match holds one of each set."""
    if _parser is None:
        return ()
    found = {_shortest(needles) for needles in _in_sequence(_parser.parse(pattern, re.IGNORECASE))}
    best = sorted(found, key=_merit, reverse=True)[:_MOST_SETS]
    return tuple(tuple(sorted(needles)) for needles in best)


def _quickest_first(sets: tuple[Needles, ...]) -> list[Needles]:
    """Put before the sets what their needles begin or end with, where that is quicker to look for."""
    begun = {frozenset(needle[:length] for needle in needles) for needles in sets for length in _CUT}
    ended = {frozenset(needle[-length:] for needle in needles) for needles in sets for length in _CUT}
    quick = sorted(begun | ended | set(map(frozenset, sets)), key=_quickness, reverse=True)
    first = tuple(sorted(_shortest(quick[0])))
    return [first, *(needles for needles in sets if needles != first)]


def _quickness(needles: frozenset[str]) -> tuple[int, list[str]]:
    """Return about how seldom one of them is found against how many have to be looked for."""
    return min(_TELLING_LENGTH, *map(len, needles)) - 2 * len(_shortest(needles)), sorted(needles)


def _shortest(needles: frozenset[str]) -> frozenset[str]:
    """Leave out the needles that hold another one: `not clearly ` is there only where `not ` is."""
    return frozenset(n for n in needles if not any(other != n and other in n for other in needles))


def _of_sequence(items: Sequence[tuple[Any, Any]]) -> frozenset[str] | None:
    """Return the most telling needles of parts that must all match, in a row."""
    return max(_in_sequence(items), key=_merit, default=None)


def _in_sequence(items: Sequence[tuple[Any, Any]]) -> list[frozenset[str]]:
    """Return the sets of needles of parts that must all match, in a row: a match holds one of each."""
    found: list[frozenset[str]] = []
    run: frozenset[str] = frozenset({""})
    for operation, argument in [*items, (None, None)]:
        letters = _spelled(operation, argument)
        longer = frozenset(a + b for a in run for b in letters) if letters is not None else None
        if longer is not None and len(longer) <= _MOST_SPELLINGS:
            run = longer
            continue
        found.append(run)
        run = letters if letters is not None and len(letters) <= _MOST_SPELLINGS else frozenset({""})
        if letters is None:
            found.extend(_of_part(operation, argument))
    return [needles for needles in found if min(map(len, needles)) >= _SHORTEST_NEEDLE]


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
        if letters is None or len(texts) * len(letters) > _MOST_SPELLINGS:
            return None
        texts = frozenset(a + b for a in texts for b in letters)
    return texts


def _of_part(operation: Any, argument: Any) -> list[frozenset[str]]:
    """Return the sets of needles of a part that must match but is not spelled out."""
    if operation is opcodes.SUBPATTERN:
        return _in_sequence(argument[3])
    if operation is opcodes.BRANCH:
        branches = [_of_sequence(branch) for branch in argument[1]]
        known = [needles for needles in branches if needles is not None]
        together = frozenset().union(*known)
        return [together] if len(known) == len(branches) and len(together) <= _MOST_NEEDLES else []
    if operation in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT) and argument[0] > 0:
        return _in_sequence(argument[2])
    return []
