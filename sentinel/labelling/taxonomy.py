"""Known names of failures, claim subtypes and root causes: fixed words that hold nobody's data.

Labels may use other names; those are treated as text when they are redacted.
"""

from __future__ import annotations

#: Failure families: what a regression case or a claim's subtype may name, by family letter.
FAILURE_FAMILIES: dict[str, tuple[str, ...]] = {
    "A": (
        "UNSUPPORTED_ADDITION", "CITATION_MISMATCH", "SOURCE_COLLAPSE", "INFERENCE_OVERREACH",
        "TRANSFORMATION_ERROR", "FALSE_RESOLUTION", "STALE_EVIDENCE",
    ),
    "B": (
        "VERSION_GENERALIZATION", "MISSING_SOURCE_FILL", "CONFABULATION", "PREMISE_ADOPTION",
        "ENTITY_CONFLATION",
    ),
    "C": (
        "TEMPORAL_ASSUMPTION", "METRIC_CONFLATION", "INVENTED_PERSON", "INVENTED_ORGANIZATION",
        "INVENTED_FEATURE",
    ),
    "D": (
        "INVENTED_POLICY", "INVENTED_LEGAL_REQUIREMENT", "INVENTED_FINANCIAL_FACT", "UNSUPPORTED_CAUSALITY",
        "FALSE_PRECISION",
    ),
    "E": (
        "SYNTHETIC_RANKING", "FABRICATED_CITATION", "CITATION_METADATA_ERROR", "NON_ENTAILING_CITATION",
        "SNIPPET_AS_EVIDENCE",
    ),
    "F": (
        "PROVENANCE_INFLATION", "INVENTED_QUOTATION", "ALTERED_QUOTATION", "CONTEXT_OMISSION",
        "CORRECTION_IGNORED",
    ),
    "G": (
        "IRRELEVANT_RETRIEVAL_ADOPTION", "PARTIAL_CONTEXT_ASSERTION", "RETRIEVAL_MAJORITY_VOTE",
        "INDIRECT_INJECTION_COMPLIANCE", "ACCESS_GAP_GUESS",
    ),
    "H": (
        "OCR_CORRUPTION", "TABLE_MAPPING_ERROR", "UNIT_TRANSFORMATION_ERROR", "TEMPORAL_TRANSFORMATION_ERROR",
        "ENTITY_RESOLUTION_ERROR",
    ),
    "I": (
        "CONFIDENT_GAP_FILL", "FALSE_CERTAINTY", "VAGUE_DISCLAIMER", "UNSAFE_NON_ABSTENTION",
        "UNNECESSARY_ASSUMPTION", "OVER_ABSTENTION", "ASSUMPTION_AS_FACT",
    ),
    "J": (
        "FALSE_CONSENSUS", "FALSE_BALANCE", "DECORATIVE_CITATION", "MISINFORMATION_REINFORCEMENT",
        "HIGH_IMPACT_UNSUPPORTED_CLAIM", "PARAPHRASE_INSTABILITY",
    ),
}  # fmt: skip
CLAIM_SUBTYPES = (
    "fabricated entity", "fabricated citation", "incorrect attribute", "wrong number", "wrong relationship",
    "temporal mismatch", "overgeneralization",
)  # fmt: skip
ROOT_CAUSES = (
    "GENERATION", "RETRIEVAL", "PARSING", "CITATION", "TRANSFORMATION", "EVALUATOR", "SOURCE_STATE",
)  # fmt: skip

_KNOWN = frozenset(
    name.lower().replace("_", " ")
    for names in (ROOT_CAUSES, CLAIM_SUBTYPES, *FAILURE_FAMILIES.values())
    for name in names
)


def is_known_name(name: str) -> bool:
    """Return whether a subtype or root cause is one of the fixed words, in either spelling."""
    return name.lower().replace("_", " ").replace("-", " ") in _KNOWN
