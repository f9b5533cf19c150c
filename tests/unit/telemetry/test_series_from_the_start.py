"""A fresh process exports each counter with each value its labels are known to take, at 0.

`rate()` and `increase()` see nothing of the first increment of a series that was not there before it.
"""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sentinel.redaction.params import DEFAULT_ENTITIES
from sentinel.stream.cleaning import CleanedReason
from sentinel.telemetry import catalogue
from sentinel.telemetry.catalogue import CATALOGUE
from sentinel.telemetry.declarations import CounterSpec
from sentinel.telemetry.metrics import Metrics, MetricsParams

SENTINEL = Path(__file__).resolve().parents[3] / "sentinel"
Key = tuple[str, tuple[tuple[str, str], ...]]


def exported(metrics: Metrics) -> dict[Key, float]:
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def known_series(spec: CounterSpec) -> set[Key]:
    values = product(*(label.known for label in spec.labels))
    return {(spec.name, tuple(sorted(zip(spec.label_names, one, strict=True)))) for one in values}


COUNTERS = [spec for spec in CATALOGUE if isinstance(spec, CounterSpec)]


@pytest.mark.parametrize("spec", COUNTERS, ids=lambda spec: spec.name)
def test_a_fresh_process_has_every_series_that_is_known(spec: CounterSpec) -> None:
    shown = {key: value for key, value in exported(Metrics()).items() if key[0] == spec.name}
    assert shown == dict.fromkeys(known_series(spec), 0.0)


@pytest.mark.parametrize("limit", [0, 1, 50])
@pytest.mark.parametrize("reason", catalogue.PARKED_REASONS)
def test_the_first_burst_is_an_increase(reason: str, limit: int) -> None:
    metrics = Metrics(params=MetricsParams(label_values=limit))
    before = exported(metrics)
    for _ in range(20):
        metrics.increment(catalogue.STREAM_DEAD_LETTERS, reason=reason)
        metrics.increment(catalogue.STREAM_NOT_COVERED, reason=reason)
    after = exported(metrics)
    assert after.keys() == before.keys()
    grown = {key: after[key] - before[key] for key in after if after[key] != before[key]}
    assert set(grown.values()) == {20.0}
    assert {labels for _, labels in grown} == {(("reason", reason),)}


def test_known_values_take_no_place_under_the_cap() -> None:
    metrics = Metrics(params=MetricsParams(label_values=1))
    metrics.increment(catalogue.STREAM_DEAD_LETTERS, reason="a new one")
    metrics.increment(catalogue.STREAM_DEAD_LETTERS, reason="too_deep")
    shown = exported(metrics)
    assert shown["sentinel_stream_dead_letters_total", (("reason", "a new one"),)] == 1
    assert shown["sentinel_stream_dead_letters_total", (("reason", "too_deep"),)] == 1


def raised_reasons() -> set[str]:
    """The reasons of all dead letters that a record can become, read from the code."""
    found = set()
    rooms = [SENTINEL / room for room in ("stream", "pipeline", "redaction")]
    for path in [*(path for room in rooms for path in room.rglob("*.py")), SENTINEL / "store/units.py"]:
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(getattr(node, "func", None), "id", "")
            if isinstance(node, ast.Call) and name in {"DeadLetterError", "MissingAnswerError"} and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
    return found


def test_every_reason_the_code_parks_for_is_known() -> None:
    raised = raised_reasons()
    assert len(raised) > 10
    assert sorted(raised - set(catalogue.PARKED_REASONS)) == []


def test_the_words_of_cleaning_and_of_redaction_are_those_that_are_counted() -> None:
    assert set(catalogue.CLEANED_REASONS) == set(get_args(CleanedReason)) - {"unknown_field"}
    assert set(catalogue.ENTITY_NAMES) == set(DEFAULT_ENTITIES)
