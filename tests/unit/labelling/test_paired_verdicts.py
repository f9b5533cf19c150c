"""Agreement by label, severity, family and pair; drift of one against the others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sentinel.labelling.drift import reviewer_drift
from sentinel.labelling.paired_verdicts import agreement_table, family_of
from sentinel.records import Annotation, ClaimAnnotation

START = datetime(2026, 11, 2, tzinfo=UTC)
WEEKS = [START + timedelta(weeks=n) for n in range(4)]


def said(
    who: str, *claims: tuple[str, str], role: str = "annotator", subtype: str | None = None
) -> Annotation:
    found = tuple(
        ClaimAnnotation(text, label, "high" if label == "contradicted" else None, subtype)  # type: ignore[arg-type]
        for text, label in claims
    )
    return Annotation("e", who, role, True, "none", found)  # type: ignore[arg-type]


def test_claims_are_paired_by_their_words_and_adjudicators_left_out() -> None:
    one = said(
        "ann", ("The fee is 5.", "supported"), ("It is  free.", "contradicted"), ("Only ann.", "supported")
    )
    other = said("ben", ("the fee is 5.", "contradicted"), ("It is free.", "contradicted"))
    judge = said("dora", ("It is free.", "supported"), role="adjudicator")
    table = agreement_table([[one, other, judge], [one]])
    assert (table.answers.units, table.answers.pairs, table.answers.agreeing) == (1, 1, 1)
    assert (table.claims.units, table.claims.agreeing) == (2, 1)
    assert list(table.pairs) == [("ann", "ben")]
    assert (table.pair_claims["ann", "ben"].pairs, table.pair_claims["ann", "ben"].agreeing) == (2, 1)
    assert table.by_label["supported"].agreeing == 1
    assert table.by_label["unverifiable"].agreeing == 2
    assert (table.by_severity["high"].pairs, table.by_severity["high"].agreeing) == (1, 1)


@pytest.mark.parametrize(
    ("subtype", "family"),
    [
        ("STALE_EVIDENCE", "A"), ("stale evidence", "A"), ("Invented-Policy", "D"),
        ("wrong number", "wrong number"),
        (None, "none given"), ("", "none given"), ("my own", "my own"),
    ],
)  # fmt: skip
def test_a_kind_of_failure_has_its_family(subtype: str | None, family: str) -> None:
    assert family_of(ClaimAnnotation("x", "contradicted", None, subtype)) == family


def opinions(week: int, day: int, strict: bool) -> list[tuple[datetime, Annotation]]:
    at = WEEKS[week] + timedelta(days=day)
    mine = "contradicted" if strict else "supported"
    return [
        (at, said("ann", ("a", mine), ("b", "supported"))),
        (at, said("ben", ("a", "supported"), ("b", "supported"))),
    ]


def test_somebody_who_grows_stricter_is_told_and_the_other_is_its_mirror() -> None:
    steady = [opinions(week, day, strict=day == 0) for week in range(3) for day in range(6)]
    strict = [opinions(3, day, strict=day > 0) for day in range(6)]
    ann, ben = reviewer_drift(steady + strict, WEEKS)
    assert (ann.annotator, ann.moved, ben.moved) == ("ann", True, True)
    assert [one.answers for one in ann.stretches] == [6, 6, 6, 6]
    assert ann.stretches[3].strictness == pytest.approx(5 / 12)
    assert ben.stretches[3].strictness == pytest.approx(-5 / 12)
    calm, _ = reviewer_drift([*steady, *(opinions(3, day, strict=day == 0) for day in range(6))], WEEKS)
    assert not calm.moved


def test_few_answers_or_no_spread_give_no_interval() -> None:
    (ann, _) = reviewer_drift([opinions(0, day, strict=True) for day in range(7)], WEEKS)
    assert (ann.stretches[0].lower, ann.moved) == (None, False)
    (ann, _) = reviewer_drift([opinions(0, day, strict=day == 0) for day in range(4)], WEEKS)
    assert ann.stretches[0].lower is None
    assert reviewer_drift([opinions(0, 0, strict=True)[:1]], WEEKS) == ()
