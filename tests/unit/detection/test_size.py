"""Sizes with intervals, and the slice a shift comes from."""

import pytest

from sentinel.detection.size import Part, culprit, shift_size


@pytest.mark.parametrize(
    ("count", "total", "expected", "dispersion"),
    [(1000, 100, 50, 1.0), (1000, 100, 50, 1.3), (60, 0, 3, 1.0), (60, 60, 57, 1.0), (5, 3, 0.25, 2.0)],
)
def test_a_rate_has_an_interval_around_it(
    count: float, total: float, expected: float, dispersion: float
) -> None:
    size = shift_size(Part(count, total), expected, "rate", 0.1, dispersion)
    assert 0 <= size.lower <= size.observed <= size.upper <= 1
    assert size.upper > size.lower
    assert size.observed == total / count
    assert size.usual == pytest.approx(expected / count)


def test_more_scatter_is_a_wider_interval() -> None:
    plain, scattered = (shift_size(Part(1000, 100), 50, "rate", 0.1, d) for d in (1.0, 2.0))
    assert scattered.upper - scattered.lower > plain.upper - plain.lower


def test_a_mean_has_a_normal_interval() -> None:
    size = shift_size(Part(100, 480), 460, "mean", 0.49, 1.0)
    assert (size.lower, size.upper) == pytest.approx((4.8 - 1.96 * 0.07, 4.8 + 1.96 * 0.07), abs=1e-3)


def slices(**parts: tuple[float, float]) -> dict[tuple[str, str], Part]:
    """`workflow__refunds=(count, total)`."""
    return {(name.split("__")[0], name.split("__")[1]): Part(*part) for name, part in parts.items()}


BEFORE = slices(
    workflow__refunds=(3000, 150),
    workflow__billing=(7000, 350),
    locale__de=(5000, 250),
    locale__en=(5000, 250),
    tenant__a=(10_000, 500),
)


def test_the_slice_that_changed_is_named() -> None:
    after = slices(
        workflow__refunds=(300, 65), workflow__billing=(700, 35), locale__de=(500, 50), locale__en=(500, 50),
        tenant__a=(1000, 100),
    )  # fmt: skip
    found = culprit(BEFORE, after, Part(10_000, 500), Part(1000, 100), "rate", 0.05)
    assert found is not None
    assert (found.domain, found.value, found.answers) == ("workflow", "refunds", 300)
    assert found.share == pytest.approx(1.0, abs=0.05)
    assert found.before == pytest.approx(0.05, rel=0.01)


def test_a_change_of_everything_names_no_slice() -> None:
    after = slices(
        workflow__refunds=(300, 30), workflow__billing=(700, 70), locale__de=(500, 50), locale__en=(500, 50),
        tenant__a=(1000, 100),
    )  # fmt: skip
    assert culprit(BEFORE, after, Part(10_000, 500), Part(1000, 100), "rate", 0.05) is None


def test_a_slice_that_is_new_is_judged_by_the_usual_of_its_app() -> None:
    after = slices(model__old=(800, 40), model__new=(200, 60))
    before = slices(model__old=(10_000, 500))
    found = culprit(before, after, Part(10_000, 500), Part(1000, 100), "rate", 0.05)
    assert found is not None
    assert found.value == "new"


def test_a_fall_is_found_in_its_slice() -> None:
    after = slices(workflow__refunds=(1500, 0), workflow__billing=(3500, 175))
    found = culprit(BEFORE, after, Part(10_000, 500), Part(5000, 175), "rate", 0.05)
    assert found is not None
    assert found.value == "refunds"


def test_means_have_slices_too() -> None:
    before = slices(locale__de=(1000, 4600), locale__en=(1000, 4600))
    after = slices(locale__de=(100, 460), locale__en=(100, 520))
    found = culprit(before, after, Part(2000, 9200), Part(200, 980), "mean", 0.49)
    assert found is not None
    assert found.value == "en"


def test_no_slices_no_culprit() -> None:
    assert culprit({}, {}, Part(0, 0), Part(0, 0), "rate", 0.05) is None
