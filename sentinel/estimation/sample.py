"""A probability sample of answers with its labels: columns of equal length, one entry per drawn unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentinel.errors import StopError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
TextArray = NDArray[np.str_]

#: Below this the square of a design weight would leave the range of floating point.
_LEAST_PROBABILITY = 1e-100
#: More claims than this in one answer is a mistake in the table.
MOST_CLAIMS = 1_000_000
_COUNTS = ("verifiable_claims", "unsupported_claims", "critical_unsupported")


def probability_usable(probability: FloatArray) -> BoolArray:
    """Return which inclusion probabilities can be used: 0 < π ≤ 1 (NaN cannot)."""
    return np.asarray((probability >= _LEAST_PROBABILITY) & (probability <= 1.0), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Drawn units and what reviewers found in them; every column has shape (n,).

    Attributes:
        inclusion_probability: π with which each unit was drawn, 0 < π ≤ 1.
        labelled: whether the unit has a label that counts.
        answered: whether the answer is not an abstention. For an unlabelled unit: whether it may be an
            answer (true where unknown).
        verifiable_claims, unsupported_claims, critical_unsupported: counts of claims. Entries of
            unlabelled units are ignored; an abstention is outside both denominators, so that its claims
            count as none.
        cluster: conversation of each unit, for the ultimate-cluster variance; None: each unit its own.
        stratum: risk band of each unit, where known.
        domains: columns that name a slice, by field name.
        census: whether every unit of the traffic is in the sample and labelled. None derives it: all
            π = 1 and all labelled. A slice of a sample is a census only if the whole sample is one,
            since the slice's units with π < 1 may just not have been drawn.

    Raises:
        StopError: columns differ in length, π is outside (0, 1], a count is negative, not whole or
            larger than the count that holds it.
    """

    inclusion_probability: FloatArray
    labelled: BoolArray
    answered: BoolArray
    verifiable_claims: FloatArray
    unsupported_claims: FloatArray
    critical_unsupported: FloatArray
    cluster: TextArray | None = None
    stratum: TextArray | None = None
    domains: Mapping[str, TextArray] = field(default_factory=dict)
    census: bool | None = None

    def __post_init__(self) -> None:
        self._freeze("inclusion_probability", self.inclusion_probability, np.float64)
        self._freeze("labelled", self.labelled, np.bool_)
        self._freeze("answered", self.answered, np.bool_)
        for name in _COUNTS:
            counts = np.asarray(getattr(self, name), dtype=np.float64)
            if counts.shape != self.labelled.shape:
                msg = f"sample: {name} has another length than inclusion_probability"
                raise StopError(msg)
            self._freeze(name, np.where(self.labelled & self.answered, counts, 0.0), np.float64)
        for name in ("cluster", "stratum"):
            if getattr(self, name) is not None:
                self._freeze(name, getattr(self, name), np.str_)
        columns = {key: np.asarray(values, dtype=np.str_) for key, values in self.domains.items()}
        object.__setattr__(self, "domains", columns)
        self._check()
        if self.census is None:
            exact = bool(np.all(self.inclusion_probability == 1.0) and np.all(self.labelled))
            object.__setattr__(self, "census", exact and len(self) > 0)

    def _freeze(self, name: str, values: ArrayLike, dtype: type[np.generic]) -> None:
        column: NDArray[Any] = np.array(values, dtype=dtype)
        column.flags.writeable = False
        object.__setattr__(self, name, column)

    def _check(self) -> None:
        named: dict[str, NDArray[Any] | None] = {
            "labelled": self.labelled,
            "answered": self.answered,
            **self.domains,
        }
        named.update(cluster=self.cluster, stratum=self.stratum)
        for name, column in named.items():
            if column is not None and column.shape != self.inclusion_probability.shape:
                msg = f"sample: {name} has another length than inclusion_probability"
                raise StopError(msg)
        probabilities = self.inclusion_probability
        if probabilities.ndim != 1 or not np.all(probability_usable(probabilities)):
            raise StopError("sample: inclusion_probability must lie in (0, 1]; a unit with 0 cannot be drawn")
        for name in _COUNTS:
            counts = getattr(self, name)
            if not np.all((counts >= 0) & (counts == np.floor(counts)) & (counts <= MOST_CLAIMS)):
                msg = f"sample: {name} of a labelled unit must be a whole number, 0 or more"
                raise StopError(msg)
        if np.any(self.unsupported_claims > self.verifiable_claims):
            raise StopError("sample: a unit has more unsupported_claims than verifiable_claims")
        if np.any(self.critical_unsupported > self.unsupported_claims):
            raise StopError("sample: a unit has more critical_unsupported than unsupported_claims")

    def __len__(self) -> int:
        return int(self.inclusion_probability.shape[0])

    @property
    def design_weights(self) -> FloatArray:
        """Return 1 / π: how many answers of the traffic each unit stands for."""
        return np.asarray(1.0 / self.inclusion_probability, dtype=np.float64)

    @property
    def failing(self) -> FloatArray:
        """Return 1 for each answered case with at least one unsupported claim, else 0."""
        return np.asarray(self.answered & (self.unsupported_claims > 0), dtype=np.float64)

    def domain(self, name: str) -> TextArray:
        """Return the column `name`: a domain, `stratum` or `cluster`.

        Raises:
            KeyError: there is no such column.
        """
        fixed = {"stratum": self.stratum, "cluster": self.cluster}
        column = self.domains[name] if name in self.domains else fixed[name]
        if column is None:
            raise KeyError(name)
        return column

    def subset(self, rows: BoolArray) -> Sample:
        """Return the units where `rows` (shape (n,)) is true, still a census only if this one is."""
        rows = np.asarray(rows, dtype=np.bool_)
        return replace(
            self,
            inclusion_probability=self.inclusion_probability[rows],
            labelled=self.labelled[rows],
            answered=self.answered[rows],
            verifiable_claims=self.verifiable_claims[rows],
            unsupported_claims=self.unsupported_claims[rows],
            critical_unsupported=self.critical_unsupported[rows],
            cluster=None if self.cluster is None else self.cluster[rows],
            stratum=None if self.stratum is None else self.stratum[rows],
            domains={key: column[rows] for key, column in self.domains.items()},
        )
