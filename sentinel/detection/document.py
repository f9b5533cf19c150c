"""A detector as JSON, number for number: one that is written and read goes on as if it had never stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentinel.detection.baseline import hourly_baseline
from sentinel.detection.charts import chart_weights
from sentinel.detection.detector import Comparison, Detector
from sentinel.detection.params import ShiftParams
from sentinel.detection.watch import Watch

Array = NDArray[Any]
Document = dict[str, Any]


def to_documents(detector: Detector, names: Sequence[str]) -> tuple[Document, Document]:
    """Return the profile, which changes by the hour, and the rest of a detector's state."""
    profile = {"series": list(names), "cells": detector.profile.cells.tolist()}
    state = {
        "series": list(names),
        "hour": detector.hour,
        "profile": _listed(_profile_arrays(detector)),
        "watch": _listed(_watch_arrays(detector.watch)),
        "comparisons": {
            version: {"until": comparison.until, "watch": _listed(_watch_arrays(comparison.watch))}
            for version, comparison in detector.comparisons.items()
        },
    }
    return profile, state


def from_documents(
    profile: Mapping[str, Any],
    state: Mapping[str, Any],
    names: Sequence[str],
    is_rate: NDArray[np.bool_],
    alarm_at: float,
    params: ShiftParams,
) -> Detector:
    """Return the detector that was written; a series it did not know begins from nothing.

    Parts whose shape depends on settings that have changed since begin anew as well.
    """
    detector = Detector.empty(is_rate, alarm_at, params)
    detector.hour = int(state["hour"])
    places = _places(profile["series"], names)
    _fill({"cells": (detector.profile.cells, 1)}, profile, places)
    places = _places(state["series"], names)
    _fill(_profile_arrays(detector), state["profile"], places)
    _fill(_watch_arrays(detector.watch), state["watch"], places)
    for version, stored in state["comparisons"].items():
        watch = Watch.empty(len(names), len(params.odds_ratios))
        _fill(_watch_arrays(watch), stored["watch"], places)
        detector.comparisons[version] = Comparison(watch, int(stored["until"]))
    if detector.hour >= 0:
        detector.baseline = hourly_baseline(detector.profile, is_rate, detector.hour)
        detector.weights = chart_weights(detector.baseline, is_rate, params)
    return detector


def _profile_arrays(detector: Detector) -> dict[str, tuple[Array, int]]:
    """Arrays by name, with the axis that counts series; -1 where none does."""
    profile = detector.profile
    arrays: dict[str, tuple[Array, int]] = {
        "hours_seen": (profile.hours_seen, 0),
        "open_hour": (profile.open_hour, 1),
        "pending": (profile.pending, 2),
        "pending_hours": (profile.pending_hours, -1),
        "residual_weight": (profile.residual_weight, 0),
        "residual_square": (profile.residual_square, 0),
        "residual_noise": (profile.residual_noise, 0),
    }
    for label, scatter in (("minute", profile.minute_scatter), ("block", profile.block_scatter)):
        for name in ("count", "total", "squares_over_count", "blocks", "numerator", "denominator", "degrees"):
            arrays[f"{label}_{name}"] = (getattr(scatter, name), 0)
    return arrays


def _watch_arrays(watch: Watch) -> dict[str, tuple[Array, int]]:
    charts = watch.charts
    arrays: dict[str, tuple[Array, int]] = {
        "evidence": (charts.evidence, 0),
        "cusum": (charts.cusum, 0),
        "since": (charts.since, 0),
        "chart_sums": (charts.sums, 1),
        "sums": (watch.sums, 1),
    }
    for name in ("direction", "begun", "onset", "back", "shift", "end_of_total", "end_of_count"):
        arrays[name] = (getattr(watch, name), 0)
    return arrays


def _listed(arrays: Mapping[str, tuple[Array, int]]) -> Document:
    return {name: array.tolist() for name, (array, _) in arrays.items()}


def _places(stored: Sequence[str], names: Sequence[str]) -> list[tuple[int, int]]:
    """Where a stored series stands now: pairs of the place it had and the place it has."""
    now = {name: place for place, name in enumerate(names)}
    return [(place, now[name]) for place, name in enumerate(stored) if name in now]


def _fill(
    arrays: Mapping[str, tuple[Array, int]], stored: Mapping[str, Any], places: list[tuple[int, int]]
) -> None:
    if not places:
        return
    before, after = (list(part) for part in zip(*places, strict=True))
    for name, (array, axis) in arrays.items():
        values = np.array(stored[name], dtype=array.dtype)
        if axis < 0:
            if values.shape == array.shape:
                array[...] = values
            continue
        same = values.ndim == array.ndim and all(
            values.shape[other] == array.shape[other] for other in range(array.ndim) if other != axis
        )
        if same:
            np.moveaxis(array, axis, 0)[after] = np.moveaxis(values, axis, 0)[before]
