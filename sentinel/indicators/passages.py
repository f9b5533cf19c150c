"""What is known of a piece of evidence, and a bounded memory of it.

Traffic of a retrieval app repeats passages: what a passage holds is worked out once and remembered by its
text. The memory is an optimisation only; it never changes a result.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from functools import cached_property
from typing import Protocol

from sentinel.indicators.numerals import evidence_readings
from sentinel.indicators.readings import Reading
from sentinel.indicators.words import folded, stems_among, stems_of

#: What an entry costs besides its sets: the objects' own headers and the places in the memory.
_ENTRY_BYTES = 600
#: A word or a stem besides its letters; a number.
_WORD_BYTES = 40
_READING_BYTES = 32


class Evidence(Protocol):
    """Words, their stems and number readings of one piece of evidence."""

    @property
    def is_remembered(self) -> bool:
        """Return whether all of it is worked out."""
        ...

    @property
    def words(self) -> frozenset[bytes]:
        """Return its distinct words, folded."""
        ...

    def lacks(self, stems: set[bytes]) -> set[bytes]:
        """Return those of the stems that none of its words has."""
        ...

    @property
    def readings(self) -> frozenset[Reading]:
        """Return every reading of every number in it."""
        ...


class EvidenceFacts:
    """What a piece of evidence holds; about `size_bytes` of memory, its stems with it."""

    __slots__ = ("_is_asked_again", "_stems", "readings", "size_bytes", "words")
    is_remembered = True

    def __init__(self, words: frozenset[bytes], readings: frozenset[Reading], size_bytes: int) -> None:
        self.words = words
        self.readings = readings
        self.size_bytes = size_bytes
        self._stems: frozenset[bytes] | None = None
        self._is_asked_again = False

    def __repr__(self) -> str:
        return "<EvidenceFacts hidden>"

    def lacks(self, stems: set[bytes]) -> set[bytes]:
        """Return those of the stems that none of its words has.

        A passage that comes once has no use for the stems of all its words: they are cut at the second time.
        """
        if self._stems is None and self._is_asked_again:
            self._stems = frozenset(stems_of(self.words))
        self._is_asked_again = True
        return stems - (stems_among(stems, self.words) if self._stems is None else self._stems)


class PassingEvidence:
    """A piece of evidence that is seen once (a question): only what is asked for is worked out."""

    is_remembered = False

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "<PassingEvidence hidden>"

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Return its distinct words, folded."""
        return frozenset(folded(self._text).split())

    def lacks(self, stems: set[bytes]) -> set[bytes]:
        """Return those of the stems that none of its words has."""
        return stems - stems_among(stems, self.words)

    @cached_property
    def readings(self) -> frozenset[Reading]:
        """Return every reading of every number in it."""
        return evidence_readings(self._text, self.words)


def evidence_facts(text: str) -> EvidenceFacts:
    """Work out what a piece of evidence holds; time linear in its length."""
    written = folded(text)
    words = frozenset(written.split())
    readings = evidence_readings(text, words)
    # Of stems there are as many as words at most.
    size = (
        _ENTRY_BYTES
        + sys.getsizeof(text)
        + 2 * (sys.getsizeof(words) + len(written) + _WORD_BYTES * len(words))
        + sys.getsizeof(readings)
        + _READING_BYTES * len(readings)
    )
    return EvidenceFacts(words, readings, size)


class PassageMemo:
    """Facts of the passages seen last, by their text.

    Holds about `max_bytes` at most; the least recently used go first, and a passage that is larger alone
    is not remembered. The text itself is the key, so that no two passages can be taken for each other; a
    look-up is a hash with Python's own secret and one comparison. One memo belongs to one thread. It holds
    raw text and hides it in its `repr`.
    """

    def __init__(self, max_bytes: int = 64_000_000) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._facts: OrderedDict[str, EvidenceFacts] = OrderedDict()

    def __len__(self) -> int:
        return len(self._facts)

    def __repr__(self) -> str:
        return f"<PassageMemo of {len(self._facts)} passages>"

    @property
    def size_bytes(self) -> int:
        """Return about how much memory it takes."""
        return self._bytes

    def facts(self, text: str) -> EvidenceFacts:
        """Return what the passage holds, from memory where it is known."""
        known = self._facts.get(text)
        if known is not None:
            self._facts.move_to_end(text)
            return known
        facts = evidence_facts(text)
        if facts.size_bytes > self._max_bytes:
            return facts
        self._facts[text] = facts
        self._bytes += facts.size_bytes
        while self._bytes > self._max_bytes:
            self._bytes -= self._facts.popitem(last=False)[1].size_bytes
        return facts
