"""What is known of a piece of evidence, and a bounded memory of it.

Traffic of a retrieval app repeats passages: what a passage holds is worked out once and remembered by a
hash of its content. The memory is an optimisation only; it never changes a result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

from sentinel.indicators.numerals import evidence_readings
from sentinel.indicators.readings import Reading
from sentinel.indicators.words import folded, stems


@dataclass(frozen=True, slots=True)
class EvidenceFacts:
    """Words, stems and number readings of one piece of evidence."""

    words: frozenset[bytes] = field(repr=False)
    stems: frozenset[bytes] = field(repr=False)
    readings: frozenset[Reading] = field(repr=False)

    @property
    def weight(self) -> int:
        """Return how many entries it holds, for bounding a memory of such facts."""
        return len(self.words) + len(self.stems) + len(self.readings) + 8


def evidence_facts(text: str) -> EvidenceFacts:
    """Work out what a piece of evidence holds; time linear in its length."""
    words = frozenset(folded(text).split())
    return EvidenceFacts(words=words, stems=frozenset(stems(words)), readings=evidence_readings(text, words))


class PassageMemo:
    """Facts of the passages seen last, by content hash.

    Holds at most `max_passages` passages and `max_entries` words, stems and numbers over all of them;
    the least recently used go first. One memo belongs to one thread. It holds pieces of raw text and
    hides them in its `repr`.
    """

    def __init__(self, max_passages: int = 4096, max_entries: int = 2_000_000) -> None:
        self._max_passages = max_passages
        self._max_entries = max_entries
        self._entries = 0
        self._facts: dict[bytes, EvidenceFacts] = {}

    def __len__(self) -> int:
        return len(self._facts)

    def __repr__(self) -> str:
        return f"<PassageMemo of {len(self._facts)} passages>"

    def facts(self, text: str) -> EvidenceFacts:
        """Return what the passage holds, from memory where it is known."""
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        facts = self._facts.pop(key, None)
        if facts is None:
            facts = evidence_facts(text)
            self._entries += facts.weight
        self._facts[key] = facts
        while self._facts and (len(self._facts) > self._max_passages or self._entries > self._max_entries):
            oldest = next(iter(self._facts))
            self._entries -= self._facts.pop(oldest).weight
        return facts
