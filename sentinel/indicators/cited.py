"""Which retrieved passages an answer cites, from its stored, redacted form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sentinel.indicators.citations import citation_indicators, text_references
from sentinel.indicators.params import IndicatorParams
from sentinel.indicators.resolver import Resolver
from sentinel.indicators.sentences import without_code
from sentinel.indicators.signs import look_at
from sentinel.indicators.wording import Wording
from sentinel.records import Citation, Passage

#: A page must not wait for markers in an answer of a megabyte.
_LONGEST_SCANNED = 100_000


@dataclass(frozen=True, slots=True)
class CitedSources:
    """Cited passage ids, and references that lead to no passage; both in order of first appearance."""

    valid: tuple[str, ...]
    invalid: tuple[str, ...]


def cited_sources(
    answer: str,
    passage_ids: Sequence[str] | None,
    citation_ids: Sequence[str] = (),
    app: str | None = None,
    params: IndicatorParams | None = None,
) -> CitedSources:
    """Return what an answer cites; `passage_ids` None: it is not known what was retrieved."""
    retrieved = None if passage_ids is None else tuple(Passage(id=one) for one in passage_ids)
    structured = tuple(Citation(id=one) for one in citation_ids)
    resolver = Resolver(retrieved, structured, (params or IndicatorParams()).resolution(app))
    text = without_code(answer[:_LONGEST_SCANNED])
    signs, _ = look_at(text)
    references = text_references(text, resolver, Wording(text).telling, signs)
    found = citation_indicators(references, resolver, structured, claims_need_citation=False)
    return CitedSources(found.valid, found.invalid)
