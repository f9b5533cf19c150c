"""What the event says of its passages: access that was denied, documents that others have replaced."""

from __future__ import annotations

from sentinel.indicators.words import lowered
from sentinel.records import CitationIndicators, Passage, SourceIndicators

#: What is said of nearly all answers.
NOT_TOLD = SourceIndicators()


def source_indicators(
    retrieved: tuple[Passage, ...] | None, citations: CitationIndicators, denied: tuple[str, ...]
) -> SourceIndicators:
    """Count denied passages and cited ones that are superseded; None where no passage says anything of it.

    `denied` are the values of `access`, in lower case, that mean *not allowed*.
    """
    passages = retrieved or ()
    accesses = [passage.access for passage in passages if passage.access is not None]
    replaced = [passage for passage in passages if passage.superseded is not None]
    cited = frozenset(citations.valid)
    return SourceIndicators(
        denied=sum(lowered(access.strip()) in denied for access in accesses) if accesses else None,
        superseded_cited=(
            len({passage.id for passage in replaced if passage.superseded and passage.id in cited})
            if replaced
            else None
        ),
    )
