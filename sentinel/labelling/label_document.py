"""An annotation as the JSON object of a label file: what `parse_label_line` reads."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sentinel.records import Annotation


def label_document(annotation: Annotation) -> dict[str, Any]:
    """Return the label in the keys and order of the contract; what is unknown is null."""
    citations = [{"id": identifier, "entails": entails} for identifier, entails in annotation.citations]
    return asdict(annotation) | {"citations": citations}
