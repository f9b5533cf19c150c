"""Figures worked out by hand, and published ones with their source."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, norm, t

from sentinel.estimation.calibration import Margin, calibrate
from sentinel.estimation.contrasts import difference_of, joint_variance, log_ratio_of
from sentinel.estimation.intervals import Evidence, clopper_pearson, interval, wilson
from sentinel.estimation.judging import judge_assisted_case_rate, tuned_weight
from sentinel.estimation.nonresponse import adjust_for_nonresponse, worst_case_bounds, worst_case_claim_bounds
from sentinel.estimation.rates import case_rate, claim_rate, critical_claim_rate, difference, totals
from sentinel.estimation.ratios import explained_rate
from sentinel.estimation.totals import weighted_totals
from sentinel.estimation.weighting import design_weighting
from tests.unit.estimation.samples import FOUR, sample_of_rows


def test_totals_of_four_units():
    found = totals(sample_of_rows(FOUR))
    assert found["units"].estimate == 9.0
    assert found["units"].standard_error == 4.0  # √(2 + 2 + 12 + 0)
    assert found["unsupported_claims"].estimate == 7.0
    assert found["unsupported_claims"].standard_error == pytest.approx(math.sqrt(2.0))
    assert found["hallucinated_cases"].estimate == 3.0
    assert found["critical_unsupported"].status == "zero_observed"


def test_rates_of_four_units():
    case = case_rate(sample_of_rows(FOUR))
    assert case.estimate == pytest.approx(1 / 3)
    assert case.standard_error == pytest.approx(math.sqrt(22 / 729))
    assert (case.numerator, case.denominator, case.n_labelled) == (2, 4, 4)
    assert case.effective_sample_size == pytest.approx(81 / 25)
    assert case.design_effect == pytest.approx(4 / (81 / 25))
    claim = claim_rate(sample_of_rows(FOUR))
    assert claim.estimate == pytest.approx(7 / 29)
    assert claim.standard_error == pytest.approx(math.sqrt(5686 / 707281))
    assert (claim.numerator, claim.denominator) == (6, 14)


def test_cluster_variance_of_four_units_in_three_conversations():
    rows = sample_of_rows(FOUR, cluster=["x", "x", "y", "z"])
    found = case_rate(rows, variance="ultimate-cluster")
    assert found.standard_error == pytest.approx(6 / 27)  # 3/2 · (4 + 16 + 4)/27²
    assert totals(rows, variance="ultimate-cluster")["units"].standard_error == pytest.approx(
        math.sqrt(1.5 * ((4 - 3) ** 2 + (4 - 3) ** 2 + (1 - 3) ** 2))
    )


def test_automatic_interval_caps_the_effective_size_while_failures_are_few():
    found = case_rate(sample_of_rows(FOUR))
    size = min((1 / 3) * (2 / 3) / (22 / 729), 4)
    assert found.method == "korn-graubard-capped"
    assert found.lower == pytest.approx(beta.ppf(0.025, size / 3, 2 * size / 3 + 1))
    assert found.upper == pytest.approx(beta.ppf(0.975, size / 3 + 1, 2 * size / 3))


def test_automatic_interval_switches_at_ten_failing_cases():
    rows = [(0.01, 3, 1)] * 9 + [(0.9, 3, 0)] * 90
    few = case_rate(sample_of_rows(rows))
    many = case_rate(sample_of_rows([(0.01, 3, 1), *rows]))
    assert (few.method, many.method) == ("korn-graubard-capped", "korn-graubard")


def test_clopper_pearson_of_ten_in_a_hundred():
    assert clopper_pearson(0.1, 100, 0.95) == pytest.approx((0.0490047, 0.1762226), abs=1e-7)


def test_zero_of_thirty_has_the_exact_upper_bound():
    found = case_rate(sample_of_rows([(0.1, 2, 0)] * 30))
    assert found.estimate == found.lower == 0.0
    assert found.upper == pytest.approx(1 - 0.025 ** (1 / 30))
    assert found.status == "zero_observed"


def test_wilson_of_ten_in_a_hundred():
    assert wilson(0.1, 100, 0.95) == pytest.approx((0.0552291, 0.1743657), abs=1e-6)


def test_logit_xlogit_and_normal_follow_their_formulas():
    rows = sample_of_rows([(0.25, 1, 1)] * 20 + [(0.25, 1, 0)] * 60)
    error = math.sqrt(0.75 * 0.25 * 0.75 / 80)
    half = t.ppf(0.975, 79) * error / (0.25 * 0.75)
    logit = case_rate(rows, interval="logit")
    assert logit.standard_error == pytest.approx(error)
    assert logit.lower == pytest.approx(1 / (1 + 3 * math.exp(half)))
    assert logit.upper == pytest.approx(1 / (1 + 3 * math.exp(-half)))
    xlogit = case_rate(rows, interval="xlogit")
    assert (xlogit.lower, xlogit.upper) == (logit.lower, logit.upper)
    wald = case_rate(rows, interval="normal")
    assert wald.upper - wald.estimate == pytest.approx(norm.ppf(0.975) * error)


def test_korn_graubard_uses_the_clusters_degrees_of_freedom():
    shape = {"rate": 0.2, "variance": 0.001, "units": 100, "cap": 1e9, "kish_size": 100.0}
    shape |= {"failing_cases": 20, "zero": False, "all_failing": False, "dominated": False, "exact": False}
    size = 160 * (t.ppf(0.025, 99) / t.ppf(0.025, 9)) ** 2
    bounds, _ = interval(Evidence(degrees_of_freedom=9, **shape), level=0.95, method="beta")
    assert bounds == pytest.approx(clopper_pearson(0.2, size, 0.95))


def test_difference_recovers_newcombes_published_interval():
    """Newcombe 1998, Statistics in Medicine 17:873, table II (a): 56/70 − 48/80, method 10."""
    later = sample_of_rows([(1e-9, 1, 1)] * 56 + [(1e-9, 1, 0)] * 14)
    earlier = sample_of_rows([(1e-9, 1, 1)] * 48 + [(1e-9, 1, 0)] * 32)
    found = difference(earlier, later, "case_rate", interval="wilson")
    assert found.estimate == pytest.approx(0.2)
    assert (found.lower, found.upper) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert found.standard_error == pytest.approx(math.sqrt(0.8 * 0.2 / 70 + 0.6 * 0.4 / 80))


def test_difference_of_two_zero_rates_is_not_certain():
    zero = sample_of_rows([(0.1, 2, 0)] * 40)
    found = difference(zero, zero, "claim_rate")
    assert found.estimate == 0.0
    assert found.lower < -0.05
    assert found.upper > 0.05
    assert found.status == "zero_observed"


def test_difference_with_an_empty_side_is_null():
    found = difference(sample_of_rows([]), sample_of_rows(FOUR), "case_rate")
    assert (found.estimate, found.standard_error, found.lower, found.status) == (None, None, None, "no_data")


def test_joint_variance_adds_under_poisson_and_sees_shared_conversations():
    rows = sample_of_rows([(0.5, 2, 1), (0.5, 2, 0)] * 20, cluster=[str(i // 2) for i in range(40)])
    first = np.arange(40) % 4 < 2
    sides = {}
    for variance in ("poisson", "ultimate-cluster"):
        weighting = design_weighting(rows, variance)
        one = explained_rate(weighting, "case_rate", within=first)
        two = explained_rate(weighting, "case_rate", within=~first)
        sides[variance] = (one, two, joint_variance(weighting, one, two))
    one, two, joint = sides["poisson"]
    assert joint == pytest.approx(one.variance + two.variance)
    assert difference_of(one, two, joint, 0.95).standard_error == pytest.approx(math.sqrt(joint))


def test_poststratification_meets_the_counts_and_uses_residuals():
    rows = sample_of_rows([(0.5, 1, 1), (0.5, 1, 0), (0.2, 1, 0), (0.2, 1, 0)])
    margin = Margin("stratum", np.asarray(["a", "a", "b", "b"]), {"a": 6.0, "b": 10.0})
    found = calibrate(design_weighting(rows), [margin], 16.0, "poststratify")
    assert found.weights == pytest.approx([3, 3, 5, 5])
    total = weighted_totals(found)
    assert total["unsupported_claims"].estimate == pytest.approx(3.0)
    assert total["unsupported_claims"].standard_error == pytest.approx(math.sqrt(0.5 * 2 * (3 * 0.5) ** 2))
    assert total["units"].standard_error == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("method", ["linear", "raking"])
def test_margins_are_met_in_both_directions(method):
    rng = np.random.default_rng(5)
    rows = sample_of_rows([(float(p), 1, 0) for p in rng.uniform(0.1, 0.9, 60)])
    one, two = rng.choice(["a", "b", "c"], 60), rng.choice(["x", "y"], 60)
    known = [Margin("one", one, {"a": 50, "b": 40, "c": 60}), Margin("two", two, {"x": 90, "y": 60})]
    weights = calibrate(design_weighting(rows), known, 150.0, method).weights
    for values, margin in ((one, known[0]), (two, known[1])):
        for value, count in margin.counts.items():
            assert weights[values == value].sum() == pytest.approx(count)


def test_two_phase_weights_variance_and_worst_case():
    """Class a: weights 2, 2, one labelled, φ = ½; class b: weights 4, 4, both labelled."""
    rows = sample_of_rows(
        [(0.5, 1, 1), (0.5, 0, 0), (0.25, 1, 0), (0.25, 1, 1)], labelled=[True, False, True, True]
    )
    found = adjust_for_nonresponse(rows, np.asarray(["a", "a", "b", "b"]))
    assert found.weights == pytest.approx([4, 4, 4])
    assert found.weighted_response_rate == pytest.approx(10 / 12)
    total = weighted_totals(found)["unsupported_claims"]
    assert total.estimate == pytest.approx(8.0)
    # z = (1, 1, 0, 1), both of class a at its mean of 1: Σ w² z² = 4 + 4 + 0 + 16; Σ (w/φ) y² = 4 + 4
    assert total.standard_error == pytest.approx(math.sqrt(24 - 8))
    assert worst_case_bounds(rows) == pytest.approx((6 / 12, 8 / 12))
    most = np.asarray([9.0, 3.0, 9.0, 9.0])  # only the unlabelled unit's 3 claims of weight 2 matter
    assert worst_case_claim_bounds(rows, most) == pytest.approx((6 / 16, 12 / 16))
    assert worst_case_claim_bounds(rows, most, critical=True) == pytest.approx((0.0, 6 / 16))


def test_a_class_without_labels_joins_another_one():
    rows = sample_of_rows([(0.5, 1, 1), (0.5, 1, 0), (0.5, 1, 0)], labelled=[True, True, False])
    found = adjust_for_nonresponse(rows, np.asarray(["a", "b", "c"]))
    assert found.weights.sum() == pytest.approx(6.0)
    assert found.notes == ("no label in class 'c': merged with 'a'",)


def test_judge_weight_and_estimate_by_hand():
    rows = sample_of_rows([(0.5, 1, 1), (0.5, 1, 1), (0.5, 1, 0), (0.5, 1, 0)])
    scores = np.asarray([0.9, 0.7, 0.3, 0.1])
    assert tuned_weight(rows, rows.failing, scores) == pytest.approx(0.6 / 0.4)
    whole = judge_assisted_case_rate(rows, scores, 0.4, weight=1.0)
    assert whole.estimate.estimate == pytest.approx(0.4 + (0.1 + 0.3 - 0.3 - 0.1) / 4)
    assert whole.estimate.standard_error == pytest.approx(math.sqrt(0.5 * (0.01 + 0.09 + 0.09 + 0.01) / 16))
    none = judge_assisted_case_rate(rows, scores, 0.4, weight=0.0)
    assert none.estimate.estimate == case_rate(rows).estimate


def test_a_judge_tuned_on_few_failures_is_marked():
    rows = sample_of_rows([(0.5, 1, 1)] * 5 + [(0.5, 1, 0)] * 60)
    found = judge_assisted_case_rate(rows, np.linspace(1, 0, 65), 0.5)
    assert found.estimate.status == "too_small"
    assert found.note == "judge weight tuned on only 5 failing cases"


def test_critical_claims_have_their_own_numerator():
    rows = sample_of_rows(FOUR, critical_unsupported=[1, 0, 0, 2])
    assert critical_claim_rate(rows).estimate == pytest.approx((2 + 2) / 29)


def test_lonely_stratum_keeps_its_variance():
    """Strata of 900, 90 and 10 answers with 30, 9 and 1 drawn: each unit brings its own variance."""
    rows = [(30 / 900, 1, 0)] * 30 + [(0.1, 1, 1)] * 9 + [(0.1, 1, 1)]
    whole = totals(sample_of_rows(rows))["unsupported_claims"].standard_error
    assert whole == pytest.approx(math.sqrt(10 * 90))
    assert whole > totals(sample_of_rows(rows[:-1]))["unsupported_claims"].standard_error


def test_log_ratio_by_hand_and_undefined_without_failures_on_a_side():
    rows = [(0.5, 2, 1), (0.25, 2, 0), (0.5, 2, 1), (0.5, 2, 1), (0.25, 2, 0), (0.2, 2, 0)]
    sample = sample_of_rows(rows, domains={"v": np.array(["a", "a", "a", "b", "b", "b"])})
    weighting = design_weighting(sample)
    one, two = (
        explained_rate(weighting, "case_rate", within=sample.domain("v") == value) for value in ("a", "b")
    )
    # Weights a: 2, 4, 2 (rate 4/8); b: 2, 4, 5 (rate 2/11).
    found = log_ratio_of(weighting, one, two, 0.95)
    assert found.estimate == pytest.approx(np.log((2 / 11) / (4 / 8)))
    relative = [one.variance / (4 / 8) ** 2, two.variance / (2 / 11) ** 2]
    assert found.standard_error == pytest.approx(np.sqrt(sum(relative)))
    assert found.upper - found.estimate == pytest.approx(1.959964 * found.standard_error, rel=1e-6)
    assert found.estimate - found.lower == pytest.approx(found.upper - found.estimate)
    no_failure = explained_rate(weighting, "case_rate", within=np.array([0, 1, 0, 0, 0, 0], dtype=bool))
    assert log_ratio_of(weighting, one, no_failure, 0.95).estimate is None
    empty = explained_rate(weighting, "case_rate", within=np.zeros(6, dtype=bool))
    nothing = log_ratio_of(weighting, empty, two, 0.95)
    assert (nothing.estimate, nothing.lower, nothing.status) == (None, None, "no_data")
