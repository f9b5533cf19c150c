"""Slices with next to nothing in them: never a width of 0, never a rate out of no data."""

from __future__ import annotations

import numpy as np
import pytest

from sentinel.errors import StopError
from sentinel.estimation.intervals import INTERVALS
from sentinel.estimation.rates import case_rate, claim_rate, totals
from sentinel.estimation.weighting import VARIANCES
from tests.unit.estimation.samples import sample_of_rows

LARGE = [(0.2, 4, 0)] * 60
#: Slices of a sample that is no census, by name.
THIN = {
    "one supported case": sample_of_rows([(0.2, 4, 0)]),
    "one failing case": sample_of_rows([(0.2, 1, 1)]),
    "one case with some claims unsupported": sample_of_rows([(0.2, 5, 2)]),
    "one case of tiny probability": sample_of_rows([(1e-9, 5, 2)]),
    "one certain case of a larger sample": sample_of_rows([*LARGE, (1.0, 5, 2)]).subset(np.arange(61) == 60),
    "three certain cases of a larger sample": sample_of_rows([*LARGE, *[(1.0, 5, 2)] * 3]).subset(
        np.arange(63) >= 60
    ),
    "two cases alike": sample_of_rows([(0.2, 5, 2)] * 2),
    "forty cases alike": sample_of_rows([(0.2, 5, 2)] * 40),
    "three failing cases": sample_of_rows([(0.3, 2, 2)] * 3),
    "one label of three units": sample_of_rows([(0.2, 5, 2)] * 3, labelled=[True, False, False]),
    "all certain, one label missing": sample_of_rows([(1.0, 5, 2)] * 3, labelled=[True, True, False]),
    "a huge weight that fails": sample_of_rows([*LARGE, (1e-6, 4, 4)]),
    "a huge weight that does not": sample_of_rows([(0.5, 4, 4)] * 20 + [(1e-6, 4, 0)]),
}


@pytest.mark.parametrize("name", THIN)
@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("method", INTERVALS)
@pytest.mark.parametrize("rate", [claim_rate, case_rate])
def test_a_thin_slice_never_has_an_interval_without_width(name, variance, method, rate):
    found = rate(THIN[name], variance=variance, interval=method)
    assert found.lower < found.upper
    assert found.lower <= found.estimate <= found.upper
    assert found.lower >= 0.0
    assert found.upper <= 1.0


@pytest.mark.parametrize("name", [name for name in THIN if name != "forty cases alike"])
@pytest.mark.parametrize("rate", [claim_rate, case_rate])
def test_a_thin_slice_is_marked_too_small(name, rate):
    assert rate(THIN[name]).status == "too_small"


def test_one_supported_case_has_the_bound_of_one_trial():
    found = case_rate(THIN["one supported case"])
    assert (found.estimate, found.lower) == (0.0, 0.0)
    assert found.upper == pytest.approx(0.975)


def test_one_dominant_unit_widens_the_automatic_interval():
    found = case_rate(THIN["a huge weight that fails"])
    assert found.estimate > 0.99
    assert found.lower < 0.1


@pytest.mark.parametrize(
    "rows",
    [
        sample_of_rows([]),
        sample_of_rows([(0.2, 0, 0)], labelled=[False]),
        sample_of_rows([(0.2, 3, 1)], answered=[False]),
    ],
    ids=["no units", "no labels", "an abstention only"],
)
def test_nothing_in_the_denominator_is_null_with_a_status(rows):
    for found in (claim_rate(rows), case_rate(rows)):
        assert found.status == "no_data"
        assert (found.estimate, found.standard_error, found.lower, found.upper) == (None,) * 4
        assert (found.numerator, found.denominator) == (0, 0)


def test_an_answer_without_verifiable_claims_has_a_case_rate_only():
    rows = sample_of_rows([(0.2, 0, 0)] * 40)
    assert claim_rate(rows).status == "no_data"
    assert case_rate(rows).status == "zero_observed"


def test_totals_of_no_labels_are_null():
    found = totals(sample_of_rows([(0.2, 1, 1)], labelled=[False]))
    assert {(total.estimate, total.status) for total in found.values()} == {(None, "no_data")}


def test_a_total_of_one_cluster_has_no_with_replacement_error():
    assert totals(sample_of_rows([(0.2, 1, 1)]), variance="ultimate-cluster")["units"].standard_error is None


def test_a_census_has_no_sampling_error_for_its_own_stream():
    rows = sample_of_rows([(1.0, 4, 1)] * 3 + [(1.0, 4, 0)] * 2)
    found = case_rate(rows)
    assert (found.estimate, found.lower, found.upper) == (0.6, 0.6, 0.6)
    assert (found.standard_error, found.status, found.method) == (0.0, "ok", "census")
    assert {total.standard_error for total in totals(rows).values()} == {0.0}


def test_a_census_says_less_of_traffic_to_come():
    found = case_rate(sample_of_rows([(1.0, 4, 1)] * 3 + [(1.0, 4, 0)] * 2), variance="ultimate-cluster")
    assert found.lower < 0.6 < found.upper
    assert found.status == "too_small"


def test_a_census_without_a_failure_still_has_an_upper_bound():
    found = case_rate(sample_of_rows([(1.0, 4, 0)] * 50))
    assert (found.estimate, found.status) == (0.0, "zero_observed")
    assert found.upper == pytest.approx(1 - 0.025 ** (1 / 50))


@pytest.mark.parametrize("pi", [1.0, 0.999, 0.5, 0.02])
@pytest.mark.parametrize("units", [1, 2, 5, 29])
@pytest.mark.parametrize("claims", [1, 4])
def test_a_few_answers_that_all_failed_are_too_few_however_they_were_drawn(pi, units, claims):
    rows = sample_of_rows([(pi, claims, claims)] * units)
    for found in (case_rate(rows), claim_rate(rows)):
        assert (found.estimate, found.upper, found.status) == (1.0, 1.0, "too_small")
        assert found.lower < 0.9


def test_a_census_in_which_all_of_many_failed_is_no_small_one():
    found = case_rate(sample_of_rows([(1.0, 4, 1)] * 30))
    assert (found.estimate, found.status) == (1.0, "ok")


@pytest.mark.parametrize("pi", [0.999, 0.5, 0.02])
@pytest.mark.parametrize("units", [1, 2, 5, 29])
def test_too_small_comes_before_zero_observed(pi, units):
    assert case_rate(sample_of_rows([(pi, 4, 0)] * units)).status == "too_small"


def test_a_slice_of_a_census_is_one():
    rows = sample_of_rows([(1.0, 4, 1)] * 3 + [(1.0, 4, 0)] * 2)
    assert case_rate(rows.subset(np.arange(5) > 1)).method == "census"


def test_intervals_that_rest_on_the_variance_need_five_failures():
    rows = sample_of_rows([(0.5, 2, 1)] * 4 + [(0.5, 2, 0)] * 60)
    assert case_rate(rows, interval="logit").status == "too_small"
    assert case_rate(rows).status == "ok"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("inclusion_probability", [0.0]),
        ("inclusion_probability", [-0.1]),
        ("inclusion_probability", [1.01]),
        ("inclusion_probability", [float("nan")]),
        ("inclusion_probability", [5e-324]),
        ("unsupported_claims", [5]),
        ("verifiable_claims", [-1]),
        ("verifiable_claims", [2.5]),
        ("verifiable_claims", [float("inf")]),
        ("critical_unsupported", [1]),
        ("labelled", [True, True]),
        ("cluster", ["a", "b"]),
    ],
)
def test_a_column_that_cannot_be_is_refused(column, value):
    with pytest.raises(StopError, match="sample"):
        sample_of_rows([(0.5, 4, 0)], **{column: value})


WRONG_OPTIONS = [{"level": 0.0}, {"level": 1.0}, {"interval": "bootstrap"}, {"variance": "x"}]


@pytest.mark.parametrize("options", WRONG_OPTIONS)
@pytest.mark.parametrize("rows", [[], [(0.5, 4, 0)]], ids=["no data", "one case"])
def test_unknown_options_are_refused(options, rows):
    with pytest.raises(StopError, match=r"level|unknown"):
        case_rate(sample_of_rows(rows), **options)


def test_a_sample_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        sample_of_rows([(0.5, 4, 0)]).inclusion_probability[0] = 1.0
