"""The risk model learns: what labels teach it, what they may not, and what hostile ones cannot do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from sentinel.sampling.fitting import FloatArray, fit_logistic
from sentinel.sampling.learning import (
    FOLDS,
    Lessons,
    compare,
    fit_model,
    predictions,
    quantiles,
    score,
    unseen_predictions,
)
from sentinel.sampling.risk import DEFAULT_RISK_MODEL, RiskModel, model_of, risk_of
from sentinel.sampling.risk_inputs import FEATURES, RiskInputs, features

#: An app with other habits than the sources the default was fitted to: its names are often not in the
#: evidence and harmless, its missing citations are telling.
OTHER_HABITS = replace(
    DEFAULT_RISK_MODEL,
    intercept=-2.6,
    ungrounded_names=-0.8,
    unknown_words=0.1,
    missing_citation=2.2,
    ungrounded_numbers=0.2,
)


def an_app(rng: np.random.Generator, answers: int) -> FloatArray:
    """Features of made-up answers, over everything the model looks at."""
    rows = []
    for _ in range(answers):
        content = int(rng.integers(0, 80))
        overlap = float(rng.beta(6, 2))
        empty = bool(rng.random() < 0.05)
        rows.append(
            features(
                RiskInputs(
                    words=int(rng.integers(1, 400)),
                    evidence_known=bool(rng.random() < 0.9),
                    evidence_words=0 if empty else int(rng.integers(1, 400)),
                    content_words=content,
                    overlap=overlap,
                    lowest_overlap=overlap * float(rng.random()),
                    ungrounded_numbers=int(rng.poisson(0.3)),
                    ungrounded_names=int(rng.poisson(0.8)),
                    missing_citation=bool(rng.random() < 0.3),
                    invalid_citations=int(rng.random() < 0.05),
                    empty_retrieval=empty,
                    abstention=str(rng.choice(["none", "full", "partial"], p=[0.9, 0.05, 0.05])),
                )
            )
        )
    return np.array(rows)


APP = an_app(np.random.default_rng(20261130), 4000)


def drawn(
    rng: np.random.Generator, truth: FloatArray, expected: float, model: RiskModel = DEFAULT_RISK_MODEL
) -> Lessons:
    """Labels of a Poisson sample drawn from APP by a model; `truth` is each answer's chance to be bad."""
    risks = predictions(model, APP)
    sizes = np.sqrt((risks * 0.6 + 0.04 + risks * (1 - risks)) / 2)
    rate = expected / len(APP)
    pi = np.minimum(1.0, rate * (0.3 + 0.7 * sizes / sizes.mean()))
    taken = rng.random(len(APP)) < pi
    count = int(taken.sum())
    return Lessons(
        features=APP[taken],
        bad=(rng.random(count) < truth[taken]).astype(float),
        answered=np.ones(count),
        design_weights=1 / pi[taken],
        folds=rng.integers(0, FOLDS, count),
    )


def realised_variance(model: RiskModel, truth: FloatArray) -> float:
    """The mean predicted variance over the whole app, its true chances known: exact but for the outcome."""
    everything = Lessons(APP, truth, np.ones(len(APP)), np.ones(len(APP)), np.zeros(len(APP), dtype=np.int64))
    risks = predictions(model, APP)
    shares = np.sqrt((risks * 0.6 + 0.04 + risks * (1 - risks)) / 2)
    shares = 0.3 + 0.7 * shares / shares.mean()
    rate = truth.mean()
    noise = truth * (1 - truth)
    centred = risks - risks.mean()
    error = truth - rate
    slope = np.sum(error * centred / shares) / np.sum(centred**2 / shares)
    plain = np.sum((error**2 + noise) / shares)
    calibrated = np.sum(((error - slope * centred) ** 2 + noise) / shares)
    assert len(everything) == len(APP)
    return float((plain + calibrated) / 2 / np.sum(error**2 + noise))


def learn(lessons: Lessons) -> bool:
    """Whether a first refit would be adopted."""
    unseen = unseen_predictions(lessons)
    default = predictions(DEFAULT_RISK_MODEL, lessons.features)
    return compare(lessons, unseen, default, 0.2, 0.3).better


def test_an_app_with_other_habits_is_learned_and_its_rate_estimated_more_sharply() -> None:
    truth = predictions(OTHER_HABITS, APP)
    before, best = (realised_variance(model, truth) for model in (DEFAULT_RISK_MODEL, OTHER_HABITS))
    assert best < before - 0.05
    adopted, after = 0, []
    for seed in range(12):
        lessons = drawn(np.random.default_rng(seed), truth, 400)
        if learn(lessons):
            adopted += 1
            after.append(realised_variance(fit_model(lessons), truth))
    print(
        f"400 labels: adopted {adopted} of 12; variance {before:.3f} -> {np.mean(after):.3f}, best {best:.3f}"
    )
    assert adopted >= 11
    assert max(after) < before
    assert np.mean(after) < best + 0.5 * (before - best)


def test_labels_that_agree_with_the_default_seldom_replace_it_and_then_do_no_harm() -> None:
    truth = predictions(DEFAULT_RISK_MODEL, APP)
    before = realised_variance(DEFAULT_RISK_MODEL, truth)
    losses = []
    for seed in range(25):
        lessons = drawn(np.random.default_rng(1000 + seed), truth, 200)
        if learn(lessons):
            losses.append(realised_variance(fit_model(lessons), truth) / before)
    print(f"200 labels of the default's own: adopted {len(losses)} of 25; variance × {losses}")
    assert len(losses) <= 6
    assert all(loss < 1.05 for loss in losses)


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_labels_that_follow_nothing_teach_the_draw_to_be_uniform(rate: float) -> None:
    truth = np.full(len(APP), rate)
    before = realised_variance(DEFAULT_RISK_MODEL, truth)
    after = []
    for seed in range(8):
        lessons = drawn(np.random.default_rng(2000 + seed), truth, 200)
        if learn(lessons):
            after.append(realised_variance(fit_model(lessons), truth))
    print(
        f"labels without a pattern, rate {rate}: adopted {len(after)} of 8; variance {before:.3f} -> {after}"
    )
    assert all(one < before + 0.01 for one in after)


@pytest.mark.parametrize("pattern", ["other habits", "default", "none"])
def test_thirty_labels_move_the_model_little(pattern: str) -> None:
    truth = {
        "other habits": predictions(OTHER_HABITS, APP),
        "default": predictions(DEFAULT_RISK_MODEL, APP),
        "none": np.full(len(APP), 0.3),
    }[pattern]
    before = realised_variance(DEFAULT_RISK_MODEL, truth)
    worst = 0.0
    adopted = 0
    for seed in range(12):
        lessons = drawn(np.random.default_rng(3000 + seed), truth, 30)
        if len(lessons) and learn(lessons):
            adopted += 1
            worst = max(worst, realised_variance(fit_model(lessons), truth) / before)
    print(f"30 labels, {pattern}: adopted {adopted} of 12, worst variance × {worst:.3f}")
    assert worst < 1.08


def lessons_of(bad: list[float], weights: list[float] | None = None) -> Lessons:
    count = len(bad)
    return Lessons(
        APP[:count],
        np.array(bad, dtype=float),
        np.ones(count),
        np.array(weights or [25.0] * count, dtype=float),
        np.arange(count) % FOLDS,
    )


HOSTILE = {
    "all bad": lessons_of([1.0] * 300),
    "all good": lessons_of([0.0] * 300),
    "none": lessons_of([]),
    "one": lessons_of([1.0]),
    "one huge weight": lessons_of([1.0] + [0.0] * 200, [1e12] + [1.0] * 200),
    "one huge weight on a good one": lessons_of([0.0] + [1.0] * 200, [1e300] + [1.0] * 200),
    "tiny weights": lessons_of([1.0, 0.0] * 100, [1.0] * 200),
    "separable": lessons_of([float(row[2] > 0.3) for row in APP[:500]]),
    "the other way round": lessons_of([float(row[4] < 1.0) for row in APP[:500]]),
    "one fold only": replace(lessons_of([1.0, 0.0] * 100), folds=np.zeros(200, dtype=np.int64)),
    "abstentions only": replace(lessons_of([0.0] * 100), answered=np.zeros(100)),
    "the same answer again": replace(lessons_of([1.0, 0.0] * 50), features=np.tile(APP[0], (100, 1))),
}


@pytest.mark.parametrize("lessons", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_labels_give_finite_coefficients_and_scores(lessons: Lessons) -> None:
    model = fit_model(lessons)
    assert all(math.isfinite(value) and abs(value) < 50 for value in model.coefficients())
    if not len(lessons):
        assert model == DEFAULT_RISK_MODEL
        return
    risks = unseen_predictions(lessons)
    assert np.all((risks >= 0.02) & (risks <= 0.9))
    found = score(lessons, risks, 0.2, 0.3)
    assert all(
        math.isfinite(value) and value >= 0.0 for value in (found.log_loss, found.plain, found.calibrated)
    )
    default = predictions(DEFAULT_RISK_MODEL, lessons.features)
    assert isinstance(compare(lessons, risks, default, 0.2, 0.3).better, bool)


def test_with_one_huge_weight_next_to_nothing_is_learned() -> None:
    learned = np.array(fit_model(HOSTILE["one huge weight"]).coefficients())
    assert np.max(np.abs(learned - DEFAULT_RISK_MODEL.coefficients())) < 4.0
    slopes = np.abs(learned - DEFAULT_RISK_MODEL.coefficients())[1:]
    assert np.max(slopes) < 0.7


def test_the_order_of_labels_does_not_matter() -> None:
    lessons = drawn(np.random.default_rng(5), predictions(OTHER_HABITS, APP), 300)
    turned = lessons.subset(np.ones(len(lessons), dtype=bool))
    order = np.random.default_rng(6).permutation(len(lessons))
    shuffled = Lessons(
        turned.features[order], turned.bad[order], turned.answered[order], turned.design_weights[order],
        turned.folds[order],
    )  # fmt: skip
    first, second = (np.array(fit_model(one).coefficients()) for one in (lessons, shuffled))
    assert np.max(np.abs(first - second)) < 0.01


def test_arrays_and_the_draw_predict_alike() -> None:
    rng = np.random.default_rng(11)
    inputs = [
        RiskInputs(
            words=int(rng.integers(500)),
            evidence_known=bool(rng.random() < 0.8),
            evidence_words=int(rng.integers(300)),
            content_words=int(rng.integers(99)),
            overlap=float(rng.random()),
            lowest_overlap=float(rng.random()),
            ungrounded_numbers=int(rng.integers(4)),
            ungrounded_names=int(rng.integers(4)),
            missing_citation=bool(rng.random() < 0.5),
            invalid_citations=int(rng.integers(4)),
            empty_retrieval=bool(rng.random() < 0.2),
            abstention="none",
        )
        for _ in range(200)
    ]
    table = np.array([features(one) for one in inputs])
    for model in (DEFAULT_RISK_MODEL, OTHER_HABITS, model_of(dict.fromkeys(("intercept", *FEATURES), 0.0))):
        one_by_one = [risk_of(one, model) for one in inputs]
        assert predictions(model, table) == pytest.approx(one_by_one, abs=1e-6)


def test_the_score_of_a_uniform_draw_is_one() -> None:
    lessons = lessons_of([1.0, 0.0, 0.0, 0.0] * 50)
    found = score(lessons, np.full(200, 0.25), 0.2, 0.3)
    assert found.plain == pytest.approx(1.0)
    assert found.calibrated == pytest.approx(1.0)
    assert found.log_loss == pytest.approx(-(0.25 * math.log(0.25) + 0.75 * math.log(0.75)))


def test_the_fit_solves_its_equations() -> None:
    rng = np.random.default_rng(3)
    table = np.column_stack([np.ones(200), rng.normal(size=(200, 3))])
    outcomes = (rng.random(200) < 0.4).astype(float)
    weights, prior, precision = (
        rng.random(200),
        np.array([0.0, 1.0, -1.0, 0.5]),
        np.array([0.1, 1.0, 2.0, 3.0]),
    )
    found = fit_logistic(table, outcomes, weights, prior, precision)
    gradient = table.T @ (weights * (expit(table @ found) - outcomes)) + precision * (found - prior)
    assert np.max(np.abs(gradient)) < 1e-4
    bounded = fit_logistic(table, outcomes, weights, prior, precision, np.array([-np.inf, 0.0, 0.0, 0.0]))
    assert np.min(bounded[1:]) >= 0.0


def test_quantiles_are_weighted_and_in_order() -> None:
    found = quantiles([0.1, 0.5, 0.9], [8.0, 1.0, 1.0])
    assert len(found) == 41
    assert list(found) == sorted(found)
    assert found.count(0.1) == 33
    assert found.count(0.9) == 4
