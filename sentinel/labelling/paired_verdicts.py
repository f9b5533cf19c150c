"""What two people said of the same things: whole answers, claims, severities, families, by pair of people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from sentinel.labelling.agreement import verdict
from sentinel.labelling.reliability import Coefficient, cohen_kappa, krippendorff_alpha
from sentinel.labelling.taxonomy import FAILURE_FAMILIES
from sentinel.records import UNSUPPORTED_LABELS, Annotation, ClaimAnnotation

_FAMILY_OF = {
    name.lower().replace("_", " "): family for family, names in FAILURE_FAMILIES.items() for name in names
}
_LABELS = ("supported", "contradicted", "not_in_evidence", "unverifiable", "nonfactual")
_SEVERITIES = ("low", "medium", "high", "critical")


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """Agreement of annotators, blind to each other; keys are labels, families, severities, pairs.

    `answers` is over whole answers (abstained, unsupported, supported), `claims` over claims with the same
    words. `by_label` asks of each label whether both gave it, `by_severity` and `by_family` of unsupported
    claims. `pairs` are Cohen's kappa on whole answers, all else Krippendorff's alpha.
    """

    answers: Coefficient
    claims: Coefficient
    by_label: Mapping[str, Coefficient] = field(default_factory=dict)
    by_severity: Mapping[str, Coefficient] = field(default_factory=dict)
    by_family: Mapping[str, Coefficient] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], Coefficient] = field(default_factory=dict)
    pair_claims: Mapping[tuple[str, str], Coefficient] = field(default_factory=dict)


def agreement_table(answers: Iterable[Sequence[Annotation]]) -> AgreementTable:
    """Return the agreement over answers, each given with the standing opinions of its annotators.

    Adjudicators are left out: they saw the others' work.
    """
    blind = [[one for one in opinions if one.role == "annotator"] for opinions in answers]
    blind = [opinions for opinions in blind if len(opinions) > 1]
    claims = [claim for opinions in blind for claim in _same_claims(opinions)]
    labels = [[one.label for one in claim] for claim in claims]
    unsupported = [[one for one in claim if one.label in UNSUPPORTED_LABELS] for claim in claims]
    unsupported = [claim for claim in unsupported if len(claim) > 1]
    families = [[family_of(one) for one in claim] for claim in unsupported]
    return AgreementTable(
        krippendorff_alpha([[verdict(one) for one in opinions] for opinions in blind]),
        krippendorff_alpha(labels),
        {label: _one_against_rest(labels, label) for label in _LABELS},
        {
            severity: _one_against_rest([[one.severity for one in claim] for claim in unsupported], severity)
            for severity in _SEVERITIES
        },
        {
            family: _one_against_rest(families, family)
            for family in sorted({one for claim in families for one in claim})
        },
        {pair: cohen_kappa(said) for pair, said in sorted(_by_pair(blind).items())},
        {pair: cohen_kappa(said) for pair, said in sorted(_claims_by_pair(blind).items())},
    )


def family_of(claim: ClaimAnnotation) -> str:
    """Return the failure family of a claim's subtype, the subtype itself where it is of none."""
    name = (claim.subtype or "").lower().replace("_", " ").replace("-", " ")
    return _FAMILY_OF.get(name, name or "none given")


def _one_against_rest(verdicts: Sequence[Sequence[str | None]], value: str) -> Coefficient:
    return krippendorff_alpha([[one == value for one in said] for said in verdicts])


def _words(claim: ClaimAnnotation) -> str:
    return " ".join(claim.text.casefold().split())


def _same_claims(opinions: Sequence[Annotation]) -> list[list[ClaimAnnotation]]:
    """Return the claims that two or more of the opinions hold in the same words, with each one's verdict."""
    found: defaultdict[tuple[str, int], list[ClaimAnnotation]] = defaultdict(list)
    for opinion in opinions:
        times: defaultdict[str, int] = defaultdict(int)
        for claim in opinion.claims:
            words = _words(claim)
            found[words, times[words]].append(claim)
            times[words] += 1
    return [claims for claims in found.values() if len(claims) > 1]


def _by_pair(blind: Sequence[Sequence[Annotation]]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    said: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for opinions in blind:
        for one, other in combinations(sorted(opinions, key=lambda o: o.annotator), 2):
            said[one.annotator, other.annotator].append((verdict(one), verdict(other)))
    return dict(said)


def _claims_by_pair(blind: Sequence[Sequence[Annotation]]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    said: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for opinions in blind:
        for one, other in combinations(sorted(opinions, key=lambda o: o.annotator), 2):
            pairs = _same_claims([one, other])
            said[one.annotator, other.annotator] += [(a.label, b.label) for a, b in pairs]
    return dict(said)
