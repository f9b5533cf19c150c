"""A domain has as many cells as it may have, and the rest is counted as other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sentinel.pipeline.domain_caps import MOST_NOVEL, NOVELTY, OTHER, DomainCaps, DomainParams

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def test_the_first_values_get_cells_and_the_rest_is_other() -> None:
    caps = DomainCaps(DomainParams(most_values=3), {})
    names = [caps.admit("tenant", f"t{i}", NOON) for i in range(5)]
    assert names == [("t0", True), ("t1", True), ("t2", True), (OTHER, False), (OTHER, False)]
    assert caps.admit("tenant", "t1", NOON) == ("t1", False)
    assert caps.admit("app", "t9", NOON) == ("t9", True), "each domain has a cap of its own"


def test_known_values_of_the_store_are_known_after_a_restart() -> None:
    caps = DomainCaps(DomainParams(most_values=1), {("tenant", "t0"): NOON})
    assert caps.admit("tenant", "t0", NOON) == ("t0", False)
    assert caps.admit("tenant", "t1", NOON) == (OTHER, False)


def test_old_values_make_room_for_new_ones() -> None:
    caps = DomainCaps(DomainParams(most_values=1, value_days=90.0), {("prompt_version", "v1"): NOON})
    later = NOON + timedelta(days=91)
    assert caps.admit("prompt_version", "v2", later) == ("v2", True)
    assert caps.admit("prompt_version", "v1", later) == ("v1", False), "what has a cell keeps it"


@pytest.mark.parametrize("field", ["model", "prompt_version", "document_class"])
@pytest.mark.parametrize("most_values", [1, 2, 50])
def test_a_value_is_new_once_whether_it_has_a_cell_or_not(field: str, most_values: int) -> None:
    caps = DomainCaps(DomainParams(most_values=most_values), {(field, "v0"): NOON})
    values = [f"v{number}" for number in range(9)]
    for value in values:
        caps.admit(field, value, NOON)
    assert [caps.notice(field, value, NOON) for value in values] == [False] + [True] * 8
    assert not any(caps.notice(field, value, NOON + timedelta(days=400)) for value in values)


@pytest.mark.parametrize("field", ["app", "tenant", "locale", "index_version", "attributes.tier"])
def test_other_fields_have_no_novelty(field: str) -> None:
    assert not DomainCaps(DomainParams(), {}).notice(field, "new", NOON)


def test_after_a_restart_what_was_looked_at_is_known_and_takes_no_cell() -> None:
    known = {("model", "m0"): NOON, (f"{NOVELTY}model", "m1"): NOON, (f"{NOVELTY}model", "m0"): NOON}
    caps = DomainCaps(DomainParams(most_values=2), known)
    assert [caps.notice("model", model, NOON) for model in ("m0", "m1", "m2")] == [False, False, True]
    assert caps.admit("model", "m3", NOON) == ("m3", True), "m1 had none and takes no place"
    assert caps.admit("model", "m1", NOON) == (OTHER, False)
    later = NOON + timedelta(days=91)
    assert caps.admit("model", "m1", later) == ("m1", True), "the others are old"
    assert not caps.notice("model", "m1", later), "but it is not new"


def test_a_flood_of_versions_ends() -> None:
    caps = DomainCaps(DomainParams(), {})
    noticed = [caps.notice("prompt_version", f"v{number}", NOON) for number in range(2 * MOST_NOVEL)]
    assert noticed == [True] * MOST_NOVEL + [False] * MOST_NOVEL
    assert caps.notice("model", "m1", NOON), "each field has a bound of its own"
    assert caps.notice("prompt_version", "v-later", NOON + timedelta(days=91))
