"""What is really true of each simulated answer: kept aside from the traffic, never part of an event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sentinel.records import UNSUPPORTED_LABELS, VERIFIABLE_LABELS, ClaimAnnotation

GUIDELINE_VERSION = "demo-1"
_ANNOTATOR = "simulated-reviewer"


@dataclass(frozen=True, slots=True)
class Truth:
    """The label a perfect reviewer gives one answer, and the slices the answer lies in."""

    event_id: str
    domains: Mapping[str, str]
    answered: bool
    abstention: Literal["none", "correct", "unnecessary", "failed"]
    claims: tuple[ClaimAnnotation, ...] = field(repr=False)
    evidence_retrieved: Literal["hit", "miss", "unknown"]

    @property
    def verifiable(self) -> int:
        """Return the claims in the denominator of the claim rate."""
        return sum(claim.label in VERIFIABLE_LABELS for claim in self.claims) if self.answered else 0

    @property
    def unsupported(self) -> int:
        """Return the claims in its numerator."""
        return sum(claim.label in UNSUPPORTED_LABELS for claim in self.claims) if self.answered else 0

    def label(self) -> dict[str, Any]:
        """Return the truth as a line of `sentinel labels import`."""
        return {
            "event_id": self.event_id,
            "annotator": _ANNOTATOR,
            "answered": self.answered,
            "abstention": self.abstention,
            "claims": [
                {"text": c.text, "label": c.label, "severity": c.severity, "subtype": c.subtype}
                for c in self.claims
            ],
            "evidence_retrieved": self.evidence_retrieved,
            "root_causes": ["GENERATION"] if self.unsupported else [],
            "guideline_version": GUIDELINE_VERSION,
        }


@dataclass(frozen=True, slots=True)
class TrueRates:
    """Rates over every answer there was; None where there is no denominator."""

    answers: int
    answered: int
    cases: int
    claims: int
    unsupported: int

    @property
    def case(self) -> float | None:
        """Return answers with an unsupported claim per answer that is no abstention."""
        return self.cases / self.answered if self.answered else None

    @property
    def claim(self) -> float | None:
        """Return unsupported claims per verifiable claim."""
        return self.unsupported / self.claims if self.claims else None


def true_rates(truths: Iterable[Truth]) -> TrueRates:
    """Return the rates of all the answers given."""
    answers = answered = cases = claims = unsupported = 0
    for truth in truths:
        answers += 1
        answered += truth.answered
        cases += truth.unsupported > 0
        claims += truth.verifiable
        unsupported += truth.unsupported
    return TrueRates(answers, answered, cases, claims, unsupported)
