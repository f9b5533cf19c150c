"""Known counts of the traffic, as a mapping read from JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentinel.errors import ConfigurationError
from sentinel.estimation.calibration import Margin
from sentinel.estimation.sample import Sample, TextArray

Population = Mapping[str, Any]


def known_number(population: Population, key: str) -> float:
    """Return the finite number under `key`.

    Raises:
        ConfigurationError: it is absent or not a finite number, 0 or more.
    """
    value = population.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        msg = f"the population needs a number {key}, 0 or more"
        raise ConfigurationError(msg)
    return float(value)


def known_counts(population: Population, key: str) -> dict[str, float]:
    """Return the counts by value under `key`.

    Raises:
        ConfigurationError: they are absent, or one is not a finite number.
    """
    counts = population.get(key)
    if not isinstance(counts, Mapping) or not counts:
        msg = f"the population has no counts {key}"
        raise ConfigurationError(msg)
    return {str(value): known_number(counts, value) for value in counts}


def margins(population: Population, columns: Sequence[str], labelled: Sample) -> list[Margin]:
    """Return one margin for each of `columns` of the labelled units.

    Raises:
        ConfigurationError: the population does not count a column.
    """
    return [Margin(name, labelled.domain(name), known_counts(population, name)) for name in columns]


def crossed_margin(population: Population, columns: Sequence[str], labelled: Sample) -> Margin:
    """Return the margin of the crossed `columns`: counts `a_by_b` of values `x|y`.

    Raises:
        ConfigurationError: the population does not count the crossing.
    """
    name = "_by_".join(columns)
    cells: TextArray = labelled.domain(columns[0])
    for column in columns[1:]:
        cells = np.char.add(np.char.add(cells, "|"), labelled.domain(column))
    return Margin(name, cells, known_counts(population, name))
