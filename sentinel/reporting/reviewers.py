"""How far the people who label agree."""

from __future__ import annotations

from typing import Any

from sentinel.labelling.agreement import Agreement, agreement, verdict
from sentinel.reporting.inputs import PeriodInputs


def reviewer_agreement(inputs: PeriodInputs) -> dict[str, Any]:
    """Return the agreement of annotators on whole answers: abstained, supported or unsupported.

    Opinions as they stand after corrections; an adjudicator, who saw them, is not counted. `no_data`
    where no answer has two opinions.
    """
    found = agreement(
        [verdict(opinion) for opinion in unit.opinions if opinion.role == "annotator"]
        for unit in inputs.units
    )
    reviewers = {
        opinion.annotator for unit in inputs.units for opinion in unit.opinions if opinion.role == "annotator"
    }
    return {
        "status": "ok" if found.pairs else "no_data",
        "reviewers": len(reviewers),
        "answers_with_two_opinions": found.units,
        "pairs": found.pairs,
        "agreeing": found.agreeing if found.pairs else None,
        "share": found.share,
        "krippendorff_alpha": found.alpha,
        "reason": _reason(found),
    }


def _reason(found: Agreement) -> str | None:
    if not found.pairs:
        return "no answer has two opinions"
    return "all opinions are the same, so that chance agreement is total" if found.alpha is None else None
