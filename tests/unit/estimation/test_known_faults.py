"""Faults that other tools of survey estimation have been reported with: none of their kind here.

A slice of one unit with an interval of no width (samplics-org/svy #96); a stratum of one unit that
divides by zero or shrinks the error (samplics #33, #49; svy PR 32).
"""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from sentinel.cli.main import app
from sentinel.estimation.calibration import Margin, calibrate
from sentinel.estimation.nonresponse import adjust_for_nonresponse
from sentinel.estimation.ratios import RATE_NAMES, explained_rate
from sentinel.estimation.sample import Sample
from sentinel.estimation.weighting import VARIANCES, design_weighting

HEADER = (
    "event_id", "pi", "labelled", "answered", "verifiable_claims", "unsupported_claims",
    "critical_unsupported", "slice", "stratum",
)  # fmt: skip


def estimate(rows, *options, population=None, tmp_path=None):
    """Return what `sentinel estimate --json` says of rows (π, verifiable, unsupported, slice, stratum)."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADER)
    for number, (probability, verifiable, unsupported, name, stratum) in enumerate(rows):
        writer.writerow([f"e{number}", probability, 1, 1, verifiable, unsupported, 0, name, stratum])
    arguments = ["estimate", "-", "--json", *options]
    if population is not None:
        path = tmp_path / "population.json"
        path.write_text(json.dumps(population))
        arguments += ["--population", str(path)]
    run = CliRunner().invoke(app, arguments, input=text.getvalue())
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


REST = [(0.2, 4, int(n % 6 == 0), "green", "a") for n in range(60)]


@pytest.mark.parametrize("probability", [0.2, 0.01, 1.0])
@pytest.mark.parametrize(("verifiable", "unsupported"), [(4, 0), (4, 4), (4, 1), (1, 0), (1, 1), (0, 0)])
@pytest.mark.parametrize("method", ["auto", "logit", "beta", "wilson", "normal"])
def test_a_slice_of_one_unit_is_wide_and_marked(probability, verifiable, unsupported, method):
    rows = [*REST, (probability, verifiable, unsupported, "blue", "a")]
    found = estimate(rows, "--domains", "slice", "--ci", method)["domains"]["slice=blue"]
    case, claim = found["case_rate"], found["claim_rate"]
    assert case["status"] == "too_small"
    assert case["lower"] < case["upper"]
    assert case["upper"] - case["lower"] > 0.4
    assert claim["status"] == ("no_data" if verifiable == 0 else "too_small")
    if verifiable:
        assert claim["lower"] < claim["upper"]
    assert case["n_labelled"] == 1


@pytest.mark.parametrize("units", [2, 3, 5])
@pytest.mark.parametrize("unsupported", [0, 1])
def test_a_slice_of_a_few_like_units_is_wide_and_marked(units, unsupported):
    rows = [*REST, *[(0.2, 1, unsupported, "blue", "a")] * units]
    case = estimate(rows, "--domains", "slice")["domains"]["slice=blue"]["case_rate"]
    assert case["status"] == "too_small"
    assert case["upper"] - case["lower"] > 0.3


#: Sizes of strata and labelled units in them, at least one with a single unit.
STRATA = {
    "nine hundred, ninety, ten": ((900, 30), (90, 9), (10, 1)),
    "a large stratum of one": ((900, 30), (90, 9), (400, 1)),
    "two of one": ((900, 30), (90, 1), (10, 1)),
    "one of two": ((900, 30), (10, 1)),
    "one of two, the smaller sampled well": ((100, 30), (900, 1)),
    "many": ((500, 20), (400, 15), (300, 12), (20, 1)),
    "a census elsewhere": ((30, 30), (90, 9), (10, 1)),
    "two and one": ((900, 2), (100, 1)),
    "one certain unit": ((900, 30), (1, 1)),
    "hardly any": ((9000, 12), (900, 3), (10, 1)),
}


def rows_of(strata, lonely_fails):
    rows = []
    for place, (size, units) in enumerate(strata):
        for number in range(units):
            bad = lonely_fails if units == 1 else number % 4 == 0
            rows.append((units / size, 3, int(bad), "x", f"s{place}"))
    return rows


@pytest.mark.parametrize("name", STRATA)
@pytest.mark.parametrize("lonely_fails", [True, False])
@pytest.mark.parametrize("method", ["poststratify", "linear", "raking"])
@pytest.mark.parametrize("variance", VARIANCES)
def test_a_stratum_of_one_unit_never_makes_an_interval_narrower(
    name, lonely_fails, method, variance, tmp_path
):
    strata = STRATA[name]
    rows = rows_of(strata, lonely_fails)
    counts = {f"s{place}": size for place, (size, _) in enumerate(strata)}
    population = {"N": sum(counts.values()), "stratum": counts}
    options = ("--calibrate", "stratum", "--method", method, "--variance", variance)
    found = estimate(rows, *options, population=population, tmp_path=tmp_path)
    assert any("one labelled unit" in note for note in found["notes"])
    home = min((p for p, (_, n) in enumerate(strata) if n > 1), key=lambda place: strata[place][1])
    merged = {p for p, (_, n) in enumerate(strata) if n == 1} | {home}
    joined = [(*row[:4], f"s{home}" if int(row[4][1:]) in merged else row[4]) for row in rows]
    sums = {f"s{p}": size for p, (size, _) in enumerate(strata) if p not in merged}
    sums[f"s{home}"] = sum(strata[place][0] for place in merged)
    population = {"N": sum(sums.values()), "stratum": sums}
    collapsed = estimate(joined, *options, population=population, tmp_path=tmp_path)
    for rate in RATE_NAMES[:2]:
        assert found[rate]["se"] is not None
        assert found[rate]["lower"] < found[rate]["upper"]
        if name != "a large stratum of one" and "smaller" not in name:
            # Where the lone unit does not carry the estimate both estimates are alike: so are the errors.
            width, wide = (one[rate]["upper"] - one[rate]["lower"] for one in (found, collapsed))
            assert width >= 0.9 * wide


@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("lonely", [1, 2, 3])
def test_the_error_behind_an_interval_is_at_least_that_of_the_joined_cells(variance, lonely):
    rng = np.random.default_rng(lonely)
    strata = np.array(["a"] * 40 + ["b"] * 20 + [f"c{n}" for n in range(lonely)])
    number = strata.size
    sample = Sample(
        inclusion_probability=rng.uniform(0.05, 0.6, number),
        labelled=np.ones(number, dtype=bool),
        answered=np.ones(number, dtype=bool),
        verifiable_claims=np.full(number, 3.0),
        unsupported_claims=(rng.random(number) < 0.3).astype(float),
        critical_unsupported=np.zeros(number),
    )
    counts = {"a": 300.0, "b": 100.0, **{f"c{n}": 5.0 for n in range(lonely)}}
    base = design_weighting(sample, variance)
    whole = calibrate(base, [Margin("stratum", strata, counts)], sum(counts.values()), "linear")
    score = explained_rate(whole, "case_rate").ratio.score
    joined = np.where(np.char.startswith(strata, "c"), "b", strata)
    design = np.column_stack([joined == name for name in ("a", "b")]).astype(float)
    roots = np.sqrt(sample.design_weights)
    fit = np.linalg.lstsq(design * roots[:, None], score * roots, rcond=None)[0]
    residual = whole.weights * (score - design @ fit)
    if variance == "poisson":
        expected = np.sum((1 - sample.inclusion_probability) * residual**2)
    else:
        expected = number / (number - 1) * np.sum((residual - residual.mean()) ** 2)
    assert whole.cautious_variance(score) == pytest.approx(max(expected, whole.variance(score)))
    assert whole.cautious_variance(score) >= whole.variance(score)


@pytest.mark.parametrize("drawn", [2, 5, 20])
@pytest.mark.parametrize("lonely_fails", [True, False])
def test_a_weighting_class_of_one_label_never_makes_an_interval_narrower(drawn, lonely_fails):
    """One label stands for its whole class: its class alone shows no error, joined with another it does."""
    classes = np.array(["a"] * 60 + ["b"] * drawn)
    labelled = np.r_[np.ones(60, dtype=bool), np.arange(drawn) == 0]
    bad = np.r_[np.arange(60) % 4 == 0, np.full(drawn, lonely_fails)].astype(float)
    sample = Sample(
        inclusion_probability=np.full(60 + drawn, 0.2),
        labelled=labelled,
        answered=np.ones(60 + drawn, dtype=bool),
        verifiable_claims=np.ones(60 + drawn),
        unsupported_claims=bad,
        critical_unsupported=np.zeros(60 + drawn),
    )
    alone = adjust_for_nonresponse(sample, classes)
    score = explained_rate(alone, "case_rate").ratio.score
    joined = adjust_for_nonresponse(sample, np.full(60 + drawn, "a"))
    assert alone.cautious_variance(score) >= alone.variance(score)
    assert alone.cautious_variance(score) >= joined.variance(score)
