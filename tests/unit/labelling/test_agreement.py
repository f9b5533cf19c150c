"""Agreement of reviewers, against published examples and by hand."""

from __future__ import annotations

import pytest

from sentinel.labelling.agreement import agreement, verdict
from sentinel.records import Annotation, ClaimAnnotation


def test_krippendorffs_published_example_of_nominal_data():
    """Krippendorff 2011, example C: four observers, twelve units, missing data, nominal α = 0.743."""
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = [[row[place] for row in rows if row[place] is not None] for place in range(12)]
    found = agreement(units)
    assert found.alpha == pytest.approx(0.743, abs=5e-4)
    assert found.units == 11


def test_krippendorffs_published_example_of_two_observers():
    """Krippendorff 2011, example A: two observers, ten units, binary, α = 0.095."""
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    found = agreement(zip(first, second, strict=True))
    assert found.alpha == pytest.approx(0.095, abs=5e-4)
    assert (found.pairs, found.agreeing, found.share) == (10, 6, 0.6)


def test_full_agreement_on_different_verdicts_is_one():
    assert agreement([("a", "a"), ("b", "b"), ("a", "a")]).alpha == 1.0


def test_the_same_verdict_everywhere_has_no_alpha():
    found = agreement([("a", "a"), ("a", "a")])
    assert (found.alpha, found.share) == (None, 1.0)


@pytest.mark.parametrize("units", [[], [("a",)], [(), ("b",), ("a",)]])
def test_without_pairs_nothing_is_known(units):
    found = agreement(units)
    assert (found.units, found.pairs, found.alpha, found.share) == (0, 0, None, None)


def test_answers_judged_once_change_nothing():
    pairs = [("a", "b"), ("a", "a"), ("b", "b")]
    assert agreement([*pairs, ("a",), ("b",)]) == agreement(pairs)


def test_systematic_disagreement_is_below_chance():
    assert agreement([("a", "b"), ("b", "a"), ("a", "b")]).alpha < 0


@pytest.mark.parametrize(
    ("answered", "labels", "expected"),
    [
        (False, [], "abstained"),
        (False, ["contradicted"], "abstained"),
        (True, [], "supported"),
        (True, ["supported", "unverifiable"], "supported"),
        (True, ["supported", "not_in_evidence"], "unsupported"),
        (True, ["contradicted"], "unsupported"),
    ],
)
def test_the_verdict_on_a_whole_answer(answered, labels, expected):
    claims = tuple(ClaimAnnotation("c", label) for label in labels)
    assert verdict(Annotation("e", "ann-1", "annotator", answered, "none", claims)) == expected
