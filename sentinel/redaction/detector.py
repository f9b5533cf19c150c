"""The port through which a detection model comes in, and a bounded memory of what it found."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from sentinel.redaction.params import RedactionParams
from sentinel.redaction.patterns import PATTERN_ENTITIES, find_patterns
from sentinel.redaction.spans import Span


class Detector(Protocol):
    """Finds personal data in texts."""

    @property
    def name(self) -> str:
        """Return what it is: rules, model and version."""
        ...

    def detect(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return, for each text in order, its disjoint spans in order; offsets are code points."""
        ...


def needs_model(params: RedactionParams) -> bool:
    """Return whether an entity is wanted that patterns alone do not find: only then is a model of use."""
    return not PATTERN_ENTITIES.issuperset(params.entities)


class PatternDetector:
    """A detector of the types that need no model."""

    def __init__(self, params: RedactionParams) -> None:
        self._params = params

    @property
    def name(self) -> str:
        """Return the name of the rules alone."""
        return "patterns"

    def detect(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the pattern spans of each text."""
        return [find_patterns(text, self._params) for text in texts]


class SpanCache:
    """Spans by keyed content hash, least recently used first out; the texts themselves are never kept.

    Memory is bounded by `entries` × `spans_per_entry` spans; a text with more spans is not remembered.
    """

    def __init__(self, entries: int, key: bytes, spans_per_entry: int = 256) -> None:
        if entries < 1 or len(key) < 16:
            raise ValueError("a span cache needs at least one entry and a key of 16 bytes or more")
        self._entries = entries
        self._key = key[:64]
        self._limit = spans_per_entry
        self._spans: OrderedDict[bytes, tuple[Span, ...]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._spans)

    def digest(self, text: str) -> bytes:
        """Return the keyed hash under which the spans of `text` stand."""
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=20).digest()

    def get(self, digest: bytes) -> list[Span] | None:
        """Return the remembered spans, or None."""
        spans = self._spans.get(digest)
        if spans is None:
            return None
        self._spans.move_to_end(digest)
        return list(spans)

    def put(self, digest: bytes, spans: Sequence[Span]) -> None:
        """Remember the spans and forget the oldest beyond the bound."""
        if len(spans) > self._limit:
            return
        self._spans[digest] = tuple(spans)
        self._spans.move_to_end(digest)
        while len(self._spans) > self._entries:
            self._spans.popitem(last=False)


class CachedDetector:
    """A detector that asks another only about texts it has not seen lately, each once per call."""

    def __init__(self, detector: Detector, cache: SpanCache) -> None:
        self._detector = detector
        self._cache = cache

    @property
    def name(self) -> str:
        """Return the name of the detector behind it: a cache changes no result."""
        return self._detector.name

    def detect(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the spans of each text, the same as without the cache."""
        digests = [self._cache.digest(text) for text in texts]
        found: dict[bytes, list[Span]] = {}
        unseen: dict[bytes, str] = {}
        for digest, text in zip(digests, texts, strict=True):
            known = self._cache.get(digest)
            if known is not None:
                found[digest] = known
            else:
                unseen[digest] = text
        if unseen:
            for digest, spans in zip(unseen, self._detector.detect(list(unseen.values())), strict=True):
                found[digest] = spans
                self._cache.put(digest, spans)
        return [list(found[digest]) for digest in digests]
