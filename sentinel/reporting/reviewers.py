"""How far the people who label agree, how they differ, how long they take, how their trials go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sentinel.labelling.agreement import Agreement, agreement, verdict
from sentinel.labelling.drift import reviewer_drift
from sentinel.labelling.paired_verdicts import agreement_table
from sentinel.labelling.reliability import Coefficient
from sentinel.labelling.time_on_task import times_on_task
from sentinel.reporting.inputs import PeriodInputs, ReviewerTrial


def reviewer_agreement(inputs: PeriodInputs, before: PeriodInputs) -> dict[str, Any]:
    """Return the agreement of annotators on whole answers: abstained, supported or unsupported.

    Opinions as they stand after corrections; an adjudicator, who saw them, is not counted. `no_data`
    where no answer has two opinions. Beside it that on claims in the same words, by label, severity and
    kind of failure (Krippendorff's alpha), and by pair of annotators (Cohen's kappa), with 95 % intervals;
    how much stricter each is than the others on the same answers, also in the period `before`; time on task;
    how trials on calibration batches went.
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
        "strictness": _strictness(inputs, before),
        "time_on_task": [asdict(one) for one in times_on_task(inputs.task_seconds)],
        "calibration": [_trial(one) for one in inputs.trials],
    }


def _strictness(inputs: PeriodInputs, before: PeriodInputs) -> list[dict[str, Any]]:
    """Return the drift of those who shared answers in this period, against the period before."""
    starts = [before.period.start, inputs.period.start]
    shared = [
        [(unit.event_time, opinion) for opinion in unit.opinions]
        for unit in (*before.units, *inputs.units)
        if len(unit.opinions) > 1
    ]
    found = []
    for one in reviewer_drift(shared, starts):
        *earlier, now = one.stretches
        if now.start == inputs.period.start:
            found.append(
                {
                    "annotator": one.annotator,
                    "answers": now.answers,
                    "difference": now.strictness,
                    "lower": now.lower,
                    "upper": now.upper,
                    "before": earlier[0].strictness if earlier else None,
                    "moved": one.moved,
                }
            )
    return found


def _trial(one: ReviewerTrial) -> dict[str, Any]:
    """Return a trial; its agreement with the known labels is null until the batch is done.

    Whoever goes on with it could else read the known labels from one report to the next.
    """
    found = one.trial
    is_done = found.is_done and found.items > 0
    return {
        "annotator": one.annotator,
        "batch": found.batch,
        "answers": found.items,
        "answered": found.answered,
        "done": is_done,
        "equal": found.equal if is_done else None,
        "share": found.equal / found.items if is_done else None,
        "claims": _coefficient(found.claims) if is_done and found.claims is not None else None,
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
