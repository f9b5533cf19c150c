"""What is known of a piece of evidence, and a bounded memory of it.

Traffic of a retrieval app repeats passages: what a passage holds is worked out once and remembered by its
text. The memory is an optimisation only; it never changes a result.
"""

from __future__ import annotations

import sys
from collections import OrderedDict

from sentinel.indicators.numerals import EVIDENCE_NUMBER_WORDS, evidence_readings
from sentinel.indicators.readings import Reading
from sentinel.indicators.word_sets import Words
from sentinel.indicators.words import folded

#: What an entry costs besides its sets: the objects' own headers and the places in the memory.
_ENTRY_BYTES = 600
#: A number.
_READING_BYTES = 32


class Evidence:
    """Words and number readings of one piece of evidence; about `size_bytes` of memory.

    Of a piece that is seen once (a question), the numbers are read when they are asked for.
    """

    __slots__ = ("_readings", "_text", "size_bytes", "words")

    def __init__(
        self, text: str, words: Words, readings: frozenset[Reading] | None = None, size_bytes: int = 0
    ) -> None:
        self._text = text
        self._readings = readings
        self.words = words
        self.size_bytes = size_bytes

    def __repr__(self) -> str:
        return "<Evidence hidden>"

    @property
    def is_read(self) -> bool:
        """Return whether its numbers are read."""
        return self._readings is not None

    @property
    def readings(self) -> frozenset[Reading]:
        """Return every reading of every number in it."""
        if self._readings is None:
            self._readings = evidence_readings(self._text, self.words.among(EVIDENCE_NUMBER_WORDS))
        return self._readings


def passing_evidence(text: str) -> Evidence:
    """Return a piece of evidence that is not remembered."""
    return Evidence(text, Words(folded(text)))


def evidence_facts(text: str) -> Evidence:
    """Work out what a piece of evidence holds; time linear in its length."""
    words = Words(folded(text))
    readings = evidence_readings(text, words.among(EVIDENCE_NUMBER_WORDS))
    size = (
        _ENTRY_BYTES
        + sys.getsizeof(text)
        + sys.getsizeof(words)
        + sys.getsizeof(readings)
        + _READING_BYTES * len(readings)
    )
    return Evidence(text, words, readings, size)


class PassageMemo:
    """Facts of the passages seen last, by their text.

    Holds about `max_bytes` at most; the least recently used go first, and a passage that is larger alone
    is not remembered. While it is less than half full, use is not noted: what came first counts as oldest.
    The text itself is the key, so that no two passages can be taken for each other; a look-up is a hash with
    Python's own secret and one comparison. One memo belongs to one thread. It holds raw text and hides it in
    its `repr`.
    """

    def __init__(self, max_bytes: int = 48_000_000) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._facts: OrderedDict[str, Evidence] = OrderedDict()

    def __len__(self) -> int:
        return len(self._facts)

    def __repr__(self) -> str:
        return f"<PassageMemo of {len(self._facts)} passages>"

    @property
    def size_bytes(self) -> int:
        """Return about how much memory it takes."""
        return self._bytes

    def facts(self, text: str) -> Evidence:
        """Return what the passage holds, from memory where it is known."""
        known = self._facts.get(text)
        if known is not None:
            if self._bytes > self._max_bytes // 2:
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
