"""What holds of every sample, whatever its weights and labels."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.estimation.document import Request, estimate_document
from sentinel.estimation.intervals import INTERVALS
from sentinel.estimation.rates import case_rate, claim_rate, critical_claim_rate, difference, totals
from sentinel.estimation.sample import Sample
from sentinel.estimation.table import Table
from sentinel.estimation.weighting import VARIANCES

RATES = (claim_rate, case_rate, critical_claim_rate)
options = st.fixed_dictionaries(
    {"interval": st.sampled_from(INTERVALS), "variance": st.sampled_from(VARIANCES)}
)


@st.composite
def unit(draw, probabilities):
    verifiable = draw(st.integers(0, 6))
    unsupported = draw(st.integers(0, verifiable))
    return (
        draw(probabilities),
        draw(st.booleans()) or draw(st.booleans()),
        draw(st.booleans()) or draw(st.booleans()),
        verifiable,
        unsupported,
        draw(st.integers(0, unsupported)),
        draw(st.sampled_from("abc")),
    )


def _close(one, two):
    if one is None or two is None:
        return one is two
    return math.isclose(one, two, rel_tol=1e-6, abs_tol=1e-9)


PROBABILITIES = st.one_of(st.just(1.0), st.floats(1e-6, 1.0), st.sampled_from([0.5, 0.1, 1e-3]))


def _sample(rows) -> Sample:
    columns = list(zip(*rows, strict=True)) or [()] * 7
    return Sample(*(np.asarray(column) for column in columns[:6]), cluster=np.asarray(columns[6], dtype=str))


samples = st.lists(unit(PROBABILITIES), max_size=25).map(_sample)
some_samples = st.lists(unit(PROBABILITIES), min_size=1, max_size=25).map(_sample)
censuses = st.lists(unit(st.just(1.0)), min_size=1, max_size=25).map(
    lambda rows: _sample([(row[0], True, *row[2:]) for row in rows])
)


@given(samples, options, st.sampled_from(RATES))
@settings(max_examples=300, deadline=None)
def test_rate_and_interval_are_ordered_shares(sample, chosen, rate):
    found = rate(sample, **chosen)
    if found.status == "no_data":
        assert (found.estimate, found.lower, found.upper) == (None, None, None)
        return
    assert 0.0 <= found.lower <= found.estimate <= found.upper <= 1.0
    assert found.standard_error is None or (
        found.standard_error >= 0.0 and math.isfinite(found.standard_error)
    )
    assert 1.0 - 1e-9 <= found.effective_sample_size <= found.n_labelled + 1e-9
    if not sample.census:
        assert found.lower < found.upper


@given(some_samples, options, st.sampled_from(RATES), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_the_order_of_rows_does_not_matter(sample, chosen, rate, random):
    order = list(range(len(sample)))
    random.shuffle(order)
    shuffled = replace(
        sample,
        **{
            name: getattr(sample, name)[order]
            for name in (
                "inclusion_probability", "labelled", "answered", "verifiable_claims",
                "unsupported_claims", "critical_unsupported", "cluster",
            )
        },
    )  # fmt: skip
    one, two = rate(sample, **chosen), rate(shuffled, **chosen)
    assert (one.status, one.numerator, one.denominator) == (two.status, two.numerator, two.denominator)
    for name in ("estimate", "standard_error", "lower", "upper"):
        assert _close(getattr(one, name), getattr(two, name))


@given(some_samples, st.sampled_from([0.5, 0.1, 0.003]), st.sampled_from(RATES))
@settings(max_examples=150, deadline=None)
def test_scaling_all_weights_leaves_the_rate_and_the_with_replacement_error(sample, factor, rate):
    scaled = replace(sample, inclusion_probability=sample.inclusion_probability * factor, census=False)
    one = rate(replace(sample, census=False), variance="ultimate-cluster")
    two = rate(scaled, variance="ultimate-cluster")
    assert one.status == two.status
    for name in ("estimate", "standard_error", "lower", "upper", "effective_sample_size", "design_effect"):
        assert _close(getattr(one, name), getattr(two, name))


@given(censuses)
@settings(max_examples=100, deadline=None)
def test_a_census_gives_the_plain_rate_without_error(sample):
    for rate in RATES:
        found = rate(sample)
        if found.status == "no_data":
            continue
        assert found.estimate == pytest.approx(found.numerator / found.denominator)
        assert found.standard_error == 0.0
    assert {total.standard_error for total in totals(sample).values()} == {0.0}


@given(some_samples, options, st.sampled_from(RATES))
@settings(max_examples=150, deadline=None)
def test_bounds_widen_with_the_level(sample, chosen, rate):
    steps = [rate(sample, level=level, **chosen) for level in (0.5, 0.8, 0.95, 0.99)]
    for narrow, wide in pairwise(steps):
        if narrow.status == "no_data":
            return
        assert wide.lower <= narrow.lower + 1e-12
        assert wide.upper >= narrow.upper - 1e-12


@given(some_samples, some_samples)
@settings(max_examples=100, deadline=None)
def test_a_difference_reversed_is_its_mirror(one, two):
    there, back = difference(one, two, "case_rate"), difference(two, one, "case_rate")
    if there.status == "no_data":
        assert there.estimate is None
        return
    assert there.estimate == pytest.approx(-back.estimate)
    assert there.lower == pytest.approx(-back.upper)
    assert there.lower <= there.estimate <= there.upper


HEADER = (
    "pi", "labelled", "answered", "verifiable_claims", "unsupported_claims", "critical_unsupported", "slice",
)  # fmt: skip


@given(
    st.lists(unit(PROBABILITIES), min_size=1, max_size=15),
    st.sampled_from(INTERVALS),
    st.sampled_from(VARIANCES),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_the_document_never_holds_a_number_that_is_not_finite(rows, interval, variance, nonresponse):
    cells = tuple(tuple(str(int(c)) if isinstance(c, bool) else str(c) for c in row) for row in rows)
    request = Request(
        variance=variance,
        cluster="slice",
        interval=interval,
        domains=("slice",),
        nonresponse="slice" if nonresponse and any(row[1] for row in rows) else None,
    )
    document = estimate_document(Table(HEADER, cells), request)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
