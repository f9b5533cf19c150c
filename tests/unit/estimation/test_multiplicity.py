"""Of many slices that do not differ hardly ever one stands out; one that does is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from sentinel.estimation.multiplicity import stand_out
from sentinel.records import Estimate

NOTHING = Estimate(None, None, None, None, 0.95, "none", 0, 0, 0, None, None, "no_data")


def changes(values):
    """Normal estimates with standard error 1, by name."""

    def change(name: int, level: float) -> Estimate:
        half = -ndtri((1 - level) / 2)
        value = values[name]
        return replace(NOTHING, estimate=value, lower=value - half, upper=value + half, level=level)

    return change


def test_one_name_is_tested_at_the_level_itself():
    assert stand_out([0], changes([1.97]), 0.95) == {0: 1}
    assert stand_out([0], changes([1.95]), 0.95) == {}


def test_the_sign_is_told():
    assert stand_out([0, 1, 2], changes([9.0, -9.0, 0.0]), 0.95) == {0: 1, 1: -1}


def test_it_is_holms_and_not_bonferronis_procedure():
    # 2.3 passes the limit of two tests (2.24) and not that of three (2.39): only after the first is it found.
    assert stand_out([0, 1, 2], changes([2.3, 5.0, 0.0]), 0.95) == {1: 1, 0: 1}
    assert stand_out([0, 1, 2], changes([2.3, 2.3, 0.0]), 0.95) == {}


def test_it_agrees_with_holm_by_p_values():
    rng = np.random.default_rng(1)
    from scipy.stats import norm

    for _ in range(300):
        values = rng.normal(0, 1.8, 8)
        p = 2 * norm.sf(np.abs(values))
        expected = set()
        for rank, name in enumerate(np.argsort(p)):
            if p[name] > 0.05 / (8 - rank):
                break
            expected.add(int(name))
        assert set(stand_out(range(8), changes(values), 0.95)) == expected


def test_what_has_no_data_never_stands_out():
    assert stand_out(["a"], lambda _name, _level: NOTHING, 0.95) == {}
    assert stand_out([], changes([]), 0.95) == {}


def test_a_false_alarm_over_twenty_slices_is_as_rare_as_promised():
    rng = np.random.default_rng(2)
    alarms = sum(bool(stand_out(range(20), changes(rng.normal(0, 1, 20)), 0.95)) for _ in range(1_000))
    assert alarms <= binom.ppf(0.999, 1_000, 0.05)
