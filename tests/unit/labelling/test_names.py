"""Pseudonyms of annotators and the fixed words of the taxonomy."""

from __future__ import annotations

import pytest

from sentinel.labelling.annotators import annotator_pseudonym, is_pseudonym
from sentinel.labelling.taxonomy import FAILURE_FAMILIES, ROOT_CAUSES, is_known_name
from sentinel.redaction import redact_value


def test_one_person_has_one_pseudonym_and_two_have_two() -> None:
    key = b"k"
    assert annotator_pseudonym("Zoe@Corp.test", key) == annotator_pseudonym(" zoe@corp.test ", key)
    assert annotator_pseudonym("zoe@corp.test", key) != annotator_pseudonym("joe@corp.test", key)
    assert annotator_pseudonym("zoe@corp.test", key) != annotator_pseudonym("zoe@corp.test", b"other")


@pytest.mark.parametrize("number", range(50))
def test_a_pseudonym_stays_as_it_is(number: int) -> None:
    name = annotator_pseudonym(f"person {number}", b"k")
    assert is_pseudonym(name)
    assert redact_value(name) == name


def test_a_pseudonym_needs_a_key() -> None:
    with pytest.raises(ValueError, match="key"):
        annotator_pseudonym("zoe", b"")


def test_fixed_words_are_known_in_either_spelling() -> None:
    assert sum(len(codes) for codes in FAILURE_FAMILIES.values()) == 55
    assert all(is_known_name(cause) for cause in ROOT_CAUSES)
    assert is_known_name("Fabricated_Citation")
    assert is_known_name("wrong number")
    assert not is_known_name("Zoe Marsh")
