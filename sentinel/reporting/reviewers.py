"""How far the people who label agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sentinel.labelling.agreement import Agreement, agreement, verdict
from sentinel.labelling.paired_verdicts import agreement_table
from sentinel.labelling.reliability import Coefficient
from sentinel.reporting.inputs import PeriodInputs


def reviewer_agreement(inputs: PeriodInputs) -> dict[str, Any]:
    """Return the agreement of annotators on whole answers: abstained, supported or unsupported.

    Opinions as they stand after corrections; an adjudicator, who saw them, is not counted. `no_data`
    where no answer has two opinions. Beside it that on claims in the same words, by label, severity and
    kind of failure (Krippendorff's alpha), and by pair of annotators (Cohen's kappa), with 95 % intervals.
    """
    found = agreement(
        [verdict(opinion) for opinion in unit.opinions if opinion.role == "annotator"]
        for unit in inputs.units
    )
    reviewers = {
        opinion.annotator for unit in inputs.units for opinion in unit.opinions if opinion.role == "annotator"
    }
    table = agreement_table(unit.opinions for unit in inputs.units if len(unit.opinions) > 1)
    return {
        "status": "ok" if found.pairs else "no_data",
        "reviewers": len(reviewers),
        "answers_with_two_opinions": found.units,
        "pairs": found.pairs,
        "agreeing": found.agreeing if found.pairs else None,
        "share": found.share,
        "krippendorff_alpha": found.alpha,
        "krippendorff_alpha_lower": table.answers.lower,
        "krippendorff_alpha_upper": table.answers.upper,
        "reason": _reason(found),
        "claims": _coefficient(table.claims),
        "by_label": _coefficients(table.by_label),
        "by_severity": _coefficients(table.by_severity),
        "by_kind_of_failure": _coefficients(table.by_family),
        "by_pair": [
            {
                "annotators": list(pair),
                "answers": _coefficient(kappa),
                "claims": _coefficient(table.pair_claims[pair]),
            }
            for pair, kappa in table.pairs.items()
        ],
    }


def _coefficients(found: Mapping[str, Coefficient]) -> dict[str, dict[str, Any]]:
    return {name: _coefficient(one) for name, one in found.items() if one.pairs}


def _coefficient(found: Coefficient) -> dict[str, Any]:
    return {
        "coefficient": found.value,
        "lower": found.lower,
        "upper": found.upper,
        "pairs": found.pairs,
        "agreeing": found.agreeing,
    }


def _reason(found: Agreement) -> str | None:
    if not found.pairs:
        return "no answer has two opinions"
    return "all opinions are the same, so that chance agreement is total" if found.alpha is None else None
