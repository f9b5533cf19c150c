"""What reviewers found besides the rates: abstention, completeness, severity, causes, citations.

Counts are of the labelled sample, raw; a `share` is design-weighted, so that it speaks of all answers.
Without any label the counts are null: nobody looked, which is not 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from sentinel.labelling.label_fields import EvidenceRetrieved
from sentinel.records import UNSUPPORTED_LABELS, Annotation, ClaimAnnotation, Severity
from sentinel.reporting.weighted import counts_and_shares, share, sorted_by_count

#: Each label with the weight of its answer.
Labelled = Sequence[tuple[float, Annotation]]
_ABSTENTIONS = ("correct", "unnecessary", "failed", "unclassified", "partial")
_GROUNDING = ("grounded", "ungrounded", "abstained")
_SEVERITIES = (*get_args(Severity), "unrated")


def _weight(labelled: Labelled) -> float:
    return sum(weight for weight, _ in labelled)


def _status(labelled: Labelled) -> str:
    return "ok" if labelled else "no_data"


def _abstention_of(label: Annotation) -> str | None:
    if label.abstention == "failed":
        return "failed"
    if not label.answered:
        return "unclassified" if label.abstention == "none" else label.abstention
    return None if label.abstention == "none" else "partial"


def abstention(labelled: Labelled) -> dict[str, Any]:
    """Return how many labelled answers abstained, by what the reviewer thought of it.

    `correct`, `unnecessary` and `unclassified` answers are outside both denominators; `failed` ones (they
    abstain and still assert something unsupported) and `partial` ones (they decline in part) are inside.
    """
    if not labelled:
        empty: dict[str, Any] = dict.fromkeys(_ABSTENTIONS)
        return {"status": "no_data", **empty, "outside_denominators": None, "shares": None}
    found = [(kind, weight) for weight, label in labelled if (kind := _abstention_of(label))]
    counted = counts_and_shares(found, _ABSTENTIONS, _weight(labelled))
    contradictory = sum(not label.answered and label.unsupported_claims > 0 for _, label in labelled)
    return {
        "status": "ok",
        **{kind: counted[kind]["count"] for kind in _ABSTENTIONS},
        "outside_denominators": sum(not label.answered for _, label in labelled),
        "abstaining_with_unsupported_claims": contradictory,
        "shares": {kind: counted[kind]["share"] for kind in _ABSTENTIONS},
    }


def completeness(labelled: Labelled) -> dict[str, Any]:
    """Return how many answers said all that was needed, where a reviewer judged that."""
    answered = [(weight, label) for weight, label in labelled if label.answered]
    judged = [(weight, label) for weight, label in answered if label.complete is not None]
    if not judged:
        return {
            "status": "no_data",
            "complete": None,
            "incomplete": None,
            "not_judged": len(answered),
            "share": None,
        }
    complete = [(weight, label) for weight, label in judged if label.complete]
    return {
        "status": "ok",
        "complete": len(complete),
        "incomplete": len(judged) - len(complete),
        "not_judged": len(answered) - len(judged),
        "share": share(_weight(complete), _weight(judged)),
    }


def _unsupported(labelled: Labelled) -> Iterator[tuple[ClaimAnnotation, float]]:
    """Yield the unsupported claims that count in the rates, with the weight of their answer."""
    for weight, label in labelled:
        if label.answered:
            for claim in label.claims:
                if claim.label in UNSUPPORTED_LABELS:
                    yield claim, weight


def severity(labelled: Labelled) -> dict[str, Any]:
    """Return the unsupported claims by severity: `{"low": {"count", "share"}, …}`."""
    if not labelled:
        return {"status": "no_data", **dict.fromkeys(_SEVERITIES)}
    claims = [(claim.severity or "unrated", weight) for claim, weight in _unsupported(labelled)]
    whole = sum(weight for _, weight in claims)
    return {"status": "ok", **counts_and_shares(claims, _SEVERITIES, whole)}


def subtypes(labelled: Labelled) -> dict[str, Any]:
    """Return the unsupported claims by the subtype they were given, most frequent first."""
    claims = [(claim.subtype, weight) for claim, weight in _unsupported(labelled)]
    whole = sum(weight for _, weight in claims)
    return sorted_by_count(
        counts_and_shares([(name, w) for name, w in claims if name is not None], (), whole)
    )


def claim_labels(labelled: Labelled) -> dict[str, Any]:
    """Return the claims of answered cases by label; the last two are in no denominator."""
    names = ("supported", "contradicted", "not_in_evidence", "unverifiable", "nonfactual")
    if not labelled:
        return {"status": "no_data", **dict.fromkeys(names)}
    claims = [(claim.label, weight) for weight, label in labelled if label.answered for claim in label.claims]
    whole = sum(weight for _, weight in claims)
    return {"status": "ok", **counts_and_shares(claims, names, whole)}


def attribution(labelled: Labelled) -> dict[str, Any]:
    """Return cases by *was the evidence retrieved* × *is the answer grounded*, and stated root causes.

    Evidence there and not used points to generation; not there and guessed, to retrieval and to evidence
    discipline; not there and abstained, to retrieval.
    """
    evidence = get_args(EvidenceRetrieved)
    cells = [(was, grounding) for was in evidence for grounding in _GROUNDING]
    if not labelled:
        empty = {was: dict.fromkeys(_GROUNDING) for was in evidence}
        return {"status": "no_data", "evidence_by_grounding": empty, "root_causes": {}}
    found = [((label.evidence_retrieved, _grounding(label)), weight) for weight, label in labelled]
    counted = counts_and_shares(found, cells, _weight(labelled))
    table = {was: {grounding: counted[was, grounding] for grounding in _GROUNDING} for was in evidence}
    causes = [(cause, weight) for weight, label in labelled for cause in dict.fromkeys(label.root_causes)]
    named = sorted_by_count(counts_and_shares(causes, (), _weight(labelled)))
    return {"status": "ok", "evidence_by_grounding": table, "root_causes": named}


def _grounding(label: Annotation) -> str:
    if not label.answered:
        return "abstained"
    return "ungrounded" if label.unsupported_claims else "grounded"


def citations(labelled: Labelled) -> dict[str, Any]:
    """Return how many judged citations entail what they are cited for."""
    judged = [(entails, weight) for weight, label in labelled for _, entails in label.citations]
    if not judged:
        return {"status": "no_data", "judged": None, "entailing": None, "share": None}
    return {
        "status": _status(labelled),
        "judged": len(judged),
        "entailing": sum(entails for entails, _ in judged),
        "share": share(sum(w for entails, w in judged if entails), sum(w for _, w in judged)),
    }
