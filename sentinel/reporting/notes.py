"""What a reader must know to read the numbers right, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.params import ReportParams
from sentinel.reporting.weighted import labelled
from sentinel.reporting.wording import change_interval, count, days, decimal, percent, plural, points

#: Below this share of drawn answers with a label a report calls its rates preliminary.
_GOOD_COVERAGE = 0.9
#: The least alpha from which tentative conclusions may be drawn (Krippendorff 2004, *Content Analysis*).
_GOOD_ALPHA = 0.667


def notes(
    document: dict[str, Any], inputs: PeriodInputs, params: ReportParams, *, ended: bool, unlisted: int
) -> list[str]:
    """Return the notes, what concerns the rates most first."""
    return [
        *_on_the_period(document, ended),
        *_on_the_rates(document),
        *_on_missing_labels(document),
        *_on_the_traffic(document),
        *_on_labels(document, inputs),
        *_on_reviewers(document),
        *_on_slices(document, params, unlisted),
        *_on_the_comparison(document),
        *_on_the_method(document),
    ]


def _on_the_period(document: dict[str, Any], ended: bool) -> Iterator[str]:
    if not ended:
        yield "The period has not ended: answers and labels are still to come."
    if not document["population"]["events"]:
        yield "No answer was recorded in this period: either there was no traffic, or the agent did not run."


def _on_the_rates(document: dict[str, Any]) -> Iterator[str]:
    names = {"case": "case rate", "claim": "claim rate", "critical_claim": "critical claim rate"}
    if document["rates"]["case"]["status"] == "no_data":
        yield "No data is not 0 %: this period must not be shown as good."
    for key, name in names.items():
        rate = document["rates"][key]
        if rate["status"] == "too_small":
            yield f"The {name} is too thin to act on: {rate['reason']}. It is shown with its wide interval."
    case = document["rates"]["case"]
    if case["status"] == "zero_observed":
        yield (
            f"No failing case was observed. The upper bound of {percent(case['upper'])} assumes that "
            "failures are "
            "no likelier where the predicted risk is low."
        )
        if case["guaranteed_upper"] is not None:
            yield (
                "Without that assumption, from the least probability any answer was drawn with, the "
                "case rate is at "
                f"most {percent(case['guaranteed_upper'])}."
            )


def _on_missing_labels(document: dict[str, Any]) -> Iterator[str]:
    coverage, case = document["coverage"], document["rates"]["case"]
    missing = coverage["drawn"] - coverage["labelled"]
    if missing and coverage["labelled"]:
        kinds = [
            f"{count(coverage[kind])} {kind}" for kind in ("pending", "lost", "purged") if coverage[kind]
        ]
        yield (
            f"{plural(missing, 'drawn answer')} without a label ({', '.join(kinds)}). Labelled answers "
            f"stand for them within {plural(len(document['nonresponse']['classes']), 'class', 'classes')} of "
            "reason and predicted risk: the rates assume that in a class unlabelled answers fail as often "
            "as labelled ones."
        )
        yield (
            f"If every answer without a label were good, or every one bad, the case rate would be "
            f"{percent(case['worst_case_lower'])} or {percent(case['worst_case_upper'])}, before "
            "sampling error."
        )
        if (coverage["labelled_share"] or 0.0) < _GOOD_COVERAGE:
            yield (
                f"Only {percent(coverage['labelled_share'])} of the drawn answers are labelled: the "
                "rates are "
                "preliminary, because hard answers may be labelled later than easy ones."
            )
    if coverage["provisional"]:
        one = coverage["provisional"] == 1
        disputed = f"; on {count(coverage['disputed'])} the opinions differ" if coverage["disputed"] else ""
        yield (
            f"{count(coverage['provisional'])} of {plural(coverage['labelled'], 'label')} "
            f"{'rests' if one else 'rest'} on a first opinion and {'counts' if one else 'count'} "
            f"provisionally{disputed}. A second opinion or an adjudication makes a new revision."
        )


def _on_the_traffic(document: dict[str, Any]) -> Iterator[str]:
    population = document["population"]
    if population["not_covered"]:
        reasons = ", ".join(f"{reason} {count(n)}" for reason, n in population["not_covered_reasons"].items())
        yield (
            f"{plural(population['not_covered'], 'record')} could not be considered and are in no "
            f"rate: {reasons}."
        )
    check = population["weight_check"]
    if check["status"] == "off":
        z = "" if check["z"] is None else f" (z = {decimal(check['z'])})"
        yield (
            f"The weights of the drawn answers add up to {count(check['estimated'])}, the traffic counted is "
            f"{count(check['counted'])}{z}: this is more than chance. Find out why before using the rates."
        )
    misses = population["duplicate_misses"]
    if misses["observed"]:
        yield (
            f"{plural(misses['observed'], 'drawn answer')} arrived again after the duplicate window: "
            "an estimated "
            f"{count(misses['estimate'])} answers are counted once too often, and the number of answers "
            f"includes them ({percent(misses['share'])} of it)."
        )


def _on_labels(document: dict[str, Any], inputs: PeriodInputs) -> Iterator[str]:
    contradictory = document["abstention"].get("abstaining_with_unsupported_claims")
    if contradictory:
        yield (
            f"{plural(contradictory, 'label')} say the answer abstains and yet list unsupported "
            "claims. They are "
            "outside the rates as abstentions; if something was asserted they should read answered, "
            "abstention failed."
        )
    yield from on_labels_outside_the_sample(document)
    pairs = labelled(inputs.units)
    unnamed = sum(label.guideline_version is None for _, label in pairs)
    if unnamed:
        names = "names" if unnamed == 1 else "name"
        yield f"{count(unnamed)} of {plural(len(pairs), 'label')} {names} no guideline version."
    if len(document["versions"]["rubric"]) > 1:
        yield "Labels of several guideline versions are mixed; a change of rubric can move a rate by itself."


def _on_reviewers(document: dict[str, Any]) -> Iterator[str]:
    agreement = document["agreement"]
    alpha = agreement["krippendorff_alpha"]
    if document["coverage"]["labelled"] and not agreement["pairs"]:
        yield "No answer has two opinions: how far reviewers agree is not known."
    elif alpha is not None and alpha < _GOOD_ALPHA:
        yield (
            f"Reviewers agree on {percent(agreement['share'])} of {plural(agreement['pairs'], 'pair')} of "
            f"opinions (Krippendorff's alpha {decimal(alpha, 2)}, below {_GOOD_ALPHA:g}): a rate can be no "
            "better than its labels."
        )


def on_labels_outside_the_sample(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the one note that is of the whole store and not of the period."""
    if document["coverage"]["non_probability"]:
        yield (
            f"Labels of {plural(document['coverage']['non_probability'], 'answer')} that were never "
            "drawn are in the "
            "store (of any period). They were picked, not drawn, and enter no rate."
        )


def _on_slices(document: dict[str, Any], params: ReportParams, unlisted: int) -> Iterator[str]:
    slices = document["slices"]
    suppressed = sum(one["suppressed"] for one in slices)
    if suppressed:
        yield (
            f"Fewer than {count(params.minimum_labelled_per_slice)} labelled answered cases in "
            f"{count(suppressed)} of {plural(len(slices), 'slice')}: there the counts are shown, no rate."
        )
    if unlisted > 0:
        yield f"{plural(unlisted, 'smaller slice')} are left out of the list."
    compared = [one["against_rest"] for one in slices if one["against_rest"]]
    if compared:
        yield (
            f"{_standing_out(slices)} of {plural(len(compared), 'slice')} compared with all other traffic, "
            "with their number allowed for. Each slice's interval holds by itself: of many slices some will "
            "look unusual by chance alone."
        )


def _standing_out(slices: list[dict[str, Any]]) -> str:
    named = [
        f"{one['domain']} = {one['value']} ({one['against_rest']['stands_out']})"
        for one in slices
        if one["against_rest"] and one["against_rest"]["stands_out"]
    ]
    return f"Standing out: {', '.join(named)}, out" if named else "None stands out"


def _on_the_comparison(document: dict[str, Any]) -> Iterator[str]:
    change = document["comparison"]["case_difference"]
    period = document["comparison"]["previous_period"]
    before = days(period["from"], period["to"])
    if change["estimate"] is None:
        yield f"No comparison with {before}: {change['reason'] or 'a rate is missing'}."
    else:
        chance = change["lower"] <= 0.0 <= change["upper"]
        yield (
            f"Against {before} the case rate moved by {points(change['estimate'])} percentage points "
            "(interval "
            f"{change_interval(change)}), {'which includes no change' if chance else 'more than chance'}."
        )


def _on_the_method(document: dict[str, Any]) -> Iterator[str]:
    if document["coverage"]["labelled"]:
        yield (
            "Answers were drawn with different probabilities, riskier ones more often. Rates weight "
            "each label by "
            "1 ÷ its probability; the raw counts beside them are of the sample and are no rate of "
            "the traffic."
        )
    contract = {
        "context_only": "the evidence that was available at answer time (context only)",
        "reference_truth": "reference truth",
    }[document["evidence_contract"]]
    yield f"Claims were judged against {contract}."
    yield document["estimator"]["sentence"]
    yield "No judge took part: every label was taken as a person's."
