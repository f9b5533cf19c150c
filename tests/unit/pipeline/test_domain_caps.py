"""A domain has as many cells as it may have, and the rest is counted as other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sentinel.pipeline.domain_caps import OTHER, DomainCaps, DomainParams

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
