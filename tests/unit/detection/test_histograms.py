"""Buckets: every value has one, scores lie inside theirs, and a quarter more moves on."""

import itertools

import pytest

from sentinel.detection import histograms as h


def test_edges_rise_and_scores_are_one_a_bucket() -> None:
    for edges, scores in ((h.WORD_EDGES, h.word_scores()), (h.DISTANCE_EDGES, h.distance_scores())):
        assert all(low < high for low, high in itertools.pairwise(edges))
        assert len(scores) == len(edges) + 1
        assert all(low < high for low, high in itertools.pairwise(scores))


@pytest.mark.parametrize("words", [*range(40), 100, 317, 1000, 4000, 100_000])
def test_a_length_has_a_score_near_its_logarithm(words: int) -> None:
    import math

    score = h.word_scores()[h.word_bucket(words)]
    if words <= h.WORD_EDGES[-1]:
        assert score == pytest.approx(math.log1p(words), abs=0.13)
    else:
        assert score == h.word_scores()[-1]


@pytest.mark.parametrize("words", [8, 20, 33, 80, 81, 99, 127, 128, 160, 500, 1000, 2000])
def test_a_quarter_more_words_is_another_bucket_or_its_edge(words: int) -> None:
    assert h.word_bucket(round(words * 1.27)) > h.word_bucket(words)


@pytest.mark.parametrize("distance", [0.0, 0.01, 0.33, 0.7, 1.0, 1.3, 2.0, 17.0, 900.0, 1e12])
def test_a_distance_of_any_unit_has_a_bucket(distance: float) -> None:
    bucket = h.distance_bucket(distance)
    assert 0 <= bucket < len(h.distance_scores())
    if distance <= h.DISTANCE_EDGES[-1]:
        assert distance <= h.DISTANCE_EDGES[bucket]
