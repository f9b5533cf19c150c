"""Weights assisted by known totals: exact, unbiased by construction, careful, and off where data are thin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from sentinel.estimation.assistance import AssistedWeighting, Auxiliary, assist
from sentinel.estimation.nonresponse import adjust_for_nonresponse
from sentinel.estimation.params import AssistanceParams
from sentinel.estimation.ratios import explained_rate
from sentinel.estimation.sample import Sample
from sentinel.estimation.weighting import VARIANCES, design_weighting
from tests.statistical.stream_of_answers import Week


def a_sample(number: int = 200, bad: int = 40, probability: float = 0.1, **columns: object) -> Sample:
    failing = np.arange(number) < bad
    values: dict[str, object] = {
        "inclusion_probability": np.full(number, probability),
        "labelled": np.ones(number, dtype=bool),
        "answered": np.ones(number, dtype=bool),
        "verifiable_claims": np.full(number, 3.0),
        "unsupported_claims": failing.astype(float),
        "critical_unsupported": np.zeros(number),
    }
    return Sample(**(values | columns))  # type: ignore[arg-type]


def risk_of(sample: Sample, noise: float = 0.1, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(0.2 + 0.4 * sample.failing + noise * rng.standard_normal(len(sample)), 0.01, 0.9)


def half(number: int, seed: int = 2) -> np.ndarray:
    return (np.random.default_rng(seed).random(number) < 0.5).astype(float)


@pytest.mark.parametrize("variance", VARIANCES)
def test_the_totals_of_the_frame_are_met(variance):
    sample = a_sample()
    known = [Auxiliary("risk", risk_of(sample), 520.0, margin=False), Auxiliary("x", half(200), 1100.0)]
    found = assist(design_weighting(sample, variance), known, 2050.0)
    assert found.columns == ("risk", "x")
    assert found.weighting.weights.sum() == pytest.approx(2050)
    for one in known:
        assert np.sum(found.weighting.weights * one.values) == pytest.approx(one.total)


def test_one_auxiliary_is_the_difference_estimator_with_tuned_weight():
    """p̂ + λ (r̄_U − r̄_s) with λ the weighted slope, and the variance of its residuals."""
    sample = a_sample(inclusion_probability=np.linspace(0.05, 0.4, 200))
    weights, risk = sample.design_weights, risk_of(sample)
    size = 1700.0
    total = 0.95 * size * float(np.average(risk, weights=weights))
    found = assist(design_weighting(sample), [Auxiliary("risk", risk, total, margin=False)], size)
    mean, bad = np.average(risk, weights=weights), np.average(sample.failing, weights=weights)
    slope = np.sum(weights * (risk - mean) * (sample.failing - bad)) / np.sum(weights * (risk - mean) ** 2)
    rate = explained_rate(found.weighting, "case_rate")
    assert rate.estimate.estimate == pytest.approx(bad + slope * (total / size - mean))
    assert isinstance(found.weighting, AssistedWeighting)
    design = np.column_stack([np.ones(200), risk])
    hat = np.diag(design @ np.linalg.inv(design.T @ (design * weights[:, None])) @ design.T) * weights
    score = rate.ratio.score
    residual = (
        score
        - np.average(score, weights=weights)
        - (risk - mean) * (np.sum(weights * (risk - mean) * score) / np.sum(weights * (risk - mean) ** 2))
    )
    z = weights * found.weighting.adjustment * residual / (1 - hat)
    assert rate.variance == pytest.approx(np.sum((1 - sample.inclusion_probability) * z**2))


def test_deleted_residuals_are_those_of_a_fit_without_the_unit():
    sample = a_sample(60, 20, inclusion_probability=np.linspace(0.05, 0.4, 60))
    risk, size = risk_of(sample), 400.0
    total = float(np.sum(sample.design_weights * risk) * size / sample.design_weights.sum())
    found = assist(design_weighting(sample), [Auxiliary("risk", risk, total, margin=False)], size).weighting
    assert isinstance(found, AssistedWeighting)
    score = sample.failing - 0.3
    whole = (score - found.design @ found.slopes(score)) / (1 - found.leverage)
    for place in range(60):
        rest = np.arange(60) != place
        roots = np.sqrt(sample.design_weights[rest])
        fit = np.linalg.lstsq(found.design[rest] * roots[:, None], score[rest] * roots, rcond=None)[0]
        assert whole[place] == pytest.approx(score[place] - found.design[place] @ fit)


def test_the_better_the_prediction_the_narrower_the_interval():
    sample = a_sample()
    widths = []
    for noise in (0.02, 0.1, 0.3, 3.0):
        risk = risk_of(sample, noise)
        known = [Auxiliary("risk", risk, risk.mean() * 2000, margin=False)]
        rate = explained_rate(assist(design_weighting(sample), known, 2000.0).weighting, "case_rate").estimate
        widths.append(rate.upper - rate.lower)
    assert widths == sorted(widths)
    plain = explained_rate(design_weighting(sample), "case_rate").estimate
    assert widths[0] < 0.4 * (plain.upper - plain.lower)
    assert widths[-1] < 1.02 * (plain.upper - plain.lower)


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (a_sample(59, 20), "59 labelled answers, 60 are needed"),
        (a_sample(200, 9), "9 failing cases, 10 are needed"),
        (a_sample(200, 0), "0 failing cases, 10 are needed"),
        (a_sample(200, 50, probability=1.0), "every answer was drawn and labelled"),
    ],
)
def test_thin_data_are_left_to_the_plain_ratio(sample, reason):
    base = design_weighting(sample)
    found = assist(base, [Auxiliary("risk", risk_of(sample), 300.0, margin=False)], 2000.0)
    assert (found.weighting, found.columns, found.reason) == (base, (), reason)


def test_at_the_thresholds_it_is_assisted():
    sample = a_sample(60, 10)
    risk = risk_of(sample)
    assert assist(
        design_weighting(sample), [Auxiliary("risk", risk, risk.mean() * 600, margin=False)], 600.0
    ).columns == ("risk",)


@pytest.mark.parametrize("inside", [0, 1, 29, 171, 200])
def test_a_margin_needs_thirty_units_on_both_sides(inside):
    sample = a_sample()
    column = (np.arange(200) % 200 < inside).astype(float)
    known = [Auxiliary("risk", risk_of(sample), 520.0, margin=False), Auxiliary("x", column, 1000.0)]
    assert assist(design_weighting(sample), known, 2050.0).columns == ("risk",)


def test_columns_that_say_the_same_count_once():
    sample = a_sample()
    risk, app = risk_of(sample), half(200)
    known = [
        Auxiliary("risk", risk, 520.0, margin=False),
        Auxiliary("risk again", 2 * risk, 1040.0, margin=False),
        Auxiliary("app = a", app, 1050.0),
        Auxiliary("app = b", 1 - app, 1000.0),
        Auxiliary("constant", np.ones(200), 2050.0, margin=False),
    ]
    assert assist(design_weighting(sample), known, 2050.0).columns == ("risk", "app = a")


def test_there_is_one_column_for_thirty_labels():
    sample = a_sample()
    known = (Auxiliary(f"x{n}", half(200, n), 1000.0) for n in range(40))
    assert len(assist(design_weighting(sample), known, 2000.0).columns) == 5
    assert next(known).name == "x5", "no more auxiliaries are asked for than there is room"


def test_margins_out_of_the_usual_range_are_dropped_before_the_prediction():
    sample = a_sample()
    known = [Auxiliary("risk", risk_of(sample), 560.0, margin=False), Auxiliary("x", half(200), 1900.0)]
    found = assist(design_weighting(sample), known, 2000.0)
    assert found.columns == ("risk",)
    far = assist(design_weighting(sample), [Auxiliary("risk", risk_of(sample), 1900.0, margin=False)], 2000.0)
    assert (far.columns, far.reason) == ((), "weights would leave their usual range")


def test_a_unit_that_would_decide_its_own_fit_keeps_the_plain_ratio():
    probability = np.full(200, 0.5)
    probability[0] = 1e-4
    sample = a_sample(inclusion_probability=probability)
    risk = risk_of(sample)
    size = float(sample.design_weights.sum())
    known = [Auxiliary("risk", risk, float(np.sum(sample.design_weights * risk)), margin=False)]
    assert assist(design_weighting(sample), known, size).columns == ()


def test_the_choice_of_columns_does_not_look_at_the_labels():
    sample = a_sample()
    other = a_sample(unsupported_claims=np.roll(sample.unsupported_claims, 77))
    known = [Auxiliary("risk", risk_of(sample), 520.0, margin=False), Auxiliary("x", half(200), 1050.0)]
    first, second = (assist(design_weighting(one), known, 2000.0) for one in (sample, other))
    assert first.columns == second.columns
    assert np.array_equal(first.weighting.weights, second.weighting.weights)


def test_on_top_of_missing_labels_both_phases_count():
    labelled = np.random.default_rng(5).random(200) < 0.7
    sample = a_sample(labelled=labelled)
    response = adjust_for_nonresponse(sample, np.where(np.arange(200) < 100, "a", "b"))
    risk = risk_of(a_sample())[labelled]
    known = [Auxiliary("risk", risk, risk.mean() * 2000, margin=False)]
    found = assist(response, known, 2000.0)
    assert found.columns == ("risk",)
    assert found.weighting.weights.sum() == pytest.approx(2000)
    full_risk = risk_of(a_sample())
    full = assist(
        design_weighting(a_sample()),
        [Auxiliary("risk", full_risk, full_risk.mean() * 2000, margin=False)],
        2000.0,
    )
    variances = [explained_rate(one.weighting, "case_rate").variance for one in (found, full)]
    assert variances[0] > variances[1]


def test_slices_add_up_to_the_whole():
    sample = a_sample(domains={"app": np.where(half(200) > 0, "a", "b")})
    risk = risk_of(sample)
    found = assist(design_weighting(sample), [Auxiliary("risk", risk, 520.0, margin=False)], 2000.0).weighting
    whole = explained_rate(found, "case_rate").estimate.estimate
    parts = []
    for value in ("a", "b"):
        inside = sample.domain("app") == value
        rate = explained_rate(found, "case_rate", within=inside).estimate.estimate
        parts.append(rate * found.weights[inside].sum())
    assert sum(parts) / found.weights.sum() == pytest.approx(whole)


def test_many_useless_columns_cost_no_coverage():
    """Twelve columns of noise for two hundred labels: leave-one-out residuals keep the interval honest."""
    week = Week(seed=3, bad_share=0.15)
    rng, hits, columns, draws = np.random.default_rng(4), 0, 0, 400
    noise = rng.random((12, week.answers)) < 0.5
    for _ in range(draws):
        drawn = rng.random(week.answers) < week.probability
        sample = Sample(
            inclusion_probability=week.probability[drawn],
            labelled=np.ones(drawn.sum(), dtype=bool),
            answered=week.answered[drawn],
            verifiable_claims=week.verifiable[drawn],
            unsupported_claims=week.unsupported[drawn],
            critical_unsupported=np.zeros(drawn.sum()),
        )
        known = [
            Auxiliary(f"x{n}", column[drawn].astype(float), column.sum()) for n, column in enumerate(noise)
        ]
        found = assist(design_weighting(sample), known, week.answers, AssistanceParams(units_per_column=15))
        columns += len(found.columns)
        rate = explained_rate(found.weighting, "case_rate").estimate
        hits += rate.lower <= week.case_rate <= rate.upper
    assert columns / draws > 7
    assert hits >= binom.ppf(1e-3, draws, 0.94)
