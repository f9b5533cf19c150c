"""The draw: the same event always gets the same number, and nobody without the salt can tell it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.sampling.selection import Salt, identity_hash, random_number

SALT = Salt.of("a secret of this test")


@given(st.text(max_size=300))
def test_a_number_is_in_the_unit_interval_and_stays_the_same(event_id: str) -> None:
    clean = event_id.encode("utf-8", "replace").decode()
    number = random_number(clean, SALT)
    assert 0.0 <= number < 1.0
    assert number == random_number(clean, Salt.of("a secret of this test"))


def test_another_salt_gives_an_unrelated_number() -> None:
    other = Salt.of("another secret")
    pairs = [(random_number(f"e{i}", SALT), random_number(f"e{i}", other)) for i in range(4000)]
    mean_product = sum((a - 0.5) * (b - 0.5) for a, b in pairs) / len(pairs)
    assert abs(mean_product) < 4.5 * (1 / 12) / math.sqrt(len(pairs))


def test_numbers_are_uniform() -> None:
    n, cells = 40_000, 40
    counts = [0] * cells
    for i in range(n):
        counts[int(random_number(f"event-{i}", SALT) * cells)] += 1
    expected = n / cells
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    # χ² with 39 degrees of freedom: both tails at 1 in 100 000, for too even is suspicious too.
    assert 12.4 < statistic < 90.0


def test_identity_and_draw_do_not_tell_of_each_other() -> None:
    n = 4000
    products = [
        (random_number(f"e{i}", SALT) - 0.5) * (identity_hash(f"e{i}", SALT) / 2**64 - 0.5) for i in range(n)
    ]
    assert abs(sum(products) / n) < 4.5 * (1 / 12) / math.sqrt(n)


def test_a_salt_does_not_tell_itself() -> None:
    assert "secret" not in repr(SALT)
    assert SALT.key.hex() not in repr(SALT)
    assert SALT.id not in SALT.key.hex()


def test_an_empty_salt_is_refused() -> None:
    with pytest.raises(ValueError, match="SENTINEL_SAMPLING__SALT"):
        Salt.of("")
