"""An annotation as the JSON object of a label file: what `parse_label_line` reads."""

from __future__ import annotations

from typing import Any

from sentinel.records import Annotation


def label_document(annotation: Annotation) -> dict[str, Any]:
    """Return the label in the keys and order of the contract; what is unknown is null."""
    return {
        "event_id": annotation.event_id,
        "annotator": annotation.annotator,
        "role": annotation.role,
        "answered": annotation.answered,
        "abstention": annotation.abstention,
        "claims": [
            {"text": claim.text, "label": claim.label, "severity": claim.severity, "subtype": claim.subtype}
            for claim in annotation.claims
        ],
        "evidence_retrieved": annotation.evidence_retrieved,
        "root_causes": list(annotation.root_causes),
        "citations": [{"id": identifier, "entails": entails} for identifier, entails in annotation.citations],
        "complete": annotation.complete,
        "comment": annotation.comment,
        "guideline_version": annotation.guideline_version,
    }
