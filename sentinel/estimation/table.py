"""A plain table of drawn units, as text cells, made into a `Sample`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sentinel.errors import ConfigurationError
from sentinel.estimation.sample import (
    MOST_CLAIMS,
    BoolArray,
    FloatArray,
    Sample,
    TextArray,
    probability_usable,
)

REQUIRED = (
    "pi",
    "labelled",
    "answered",
    "verifiable_claims",
    "unsupported_claims",
    "critical_unsupported",
)
_COUNTS = REQUIRED[3:]
_FLAGS = {"0": False, "1": True, "false": False, "true": True, "0.0": False, "1.0": True}


@dataclass(frozen=True, slots=True)
class Table:
    """Text cells under their header; row i stands in line i + 2 of the file.

    Raises:
        ConfigurationError: no rows, a missing or repeated column, a row of another length.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.header:
            raise ConfigurationError("the table is empty: give a CSV file with a header line")
        repeated = {name for name in self.header if self.header.count(name) > 1}
        if repeated:
            msg = f"the header names column {min(repeated)} more than once"
            raise ConfigurationError(msg)
        missing = [name for name in REQUIRED if name not in self.header]
        if missing:
            msg = f"missing column{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
            raise ConfigurationError(msg)
        if not self.rows:
            raise ConfigurationError("the table has a header and no rows: nothing was drawn")
        for line, row in enumerate(self.rows, start=2):
            if len(row) != len(self.header):
                msg = f"line {line} has {len(row)} cells where the header has {len(self.header)}"
                raise ConfigurationError(msg)

    def text(self, name: str) -> TextArray:
        """Return the cells of a column, shape (rows,).

        Raises:
            ConfigurationError: there is no such column.
        """
        if name not in self.header:
            known = ", ".join(self.header)
            msg = f"there is no column {name}; the table has {known}"
            raise ConfigurationError(msg)
        position = self.header.index(name)
        return np.asarray([row[position].strip() for row in self.rows], dtype=np.str_)

    def numbers(self, name: str) -> FloatArray:
        """Return a column of finite numbers, shape (rows,).

        Raises:
            ConfigurationError: there is no such column, or a cell is not a finite number.
        """
        return np.asarray(
            [_number(name, i, cell) for i, cell in enumerate(self.text(name))], dtype=np.float64
        )

    def flags(self, name: str, *, blank: bool | None = None) -> BoolArray:
        """Return a column of 0/1 (or true/false); an empty cell is `blank`, or an error if that is None.

        Raises:
            ConfigurationError: there is no such column, or a cell is neither 0 nor 1.
        """
        values = []
        for row, cell in enumerate(self.text(name)):
            flag = blank if cell == "" else _FLAGS.get(cell.lower())
            if flag is None:
                msg = f"line {row + 2}: {name} must be 0 or 1, not {_shown(cell)}"
                raise ConfigurationError(msg)
            values.append(flag)
        return np.asarray(values, dtype=np.bool_)


def _shown(cell: str) -> str:
    return "empty" if cell == "" else repr(cell[:20])


def _number(name: str, row: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in cell:
        msg = f"line {row + 2}: {name} must be a finite number, not {_shown(cell)}"
        raise ConfigurationError(msg)
    return value


def drawn_rows(table: Table) -> BoolArray:
    """Return which rows were drawn: `sampled` = 1; without such a column all.

    Rows that were not drawn may carry judge scores; their labels, if any, never enter a rate.
    """
    if "sampled" not in table.header:
        return np.ones(len(table.rows), dtype=np.bool_)
    return table.flags("sampled")


def _answered(table: Table, labelled: BoolArray) -> BoolArray:
    """Return the column `answered`; an unlabelled unit of which it is not known counts as an answer."""
    column = table.flags("answered", blank=True)
    unknown = labelled & (table.text("answered") == "")
    if np.any(unknown):
        msg = f"line {int(np.argmax(unknown)) + 2}: answered is empty for a labelled unit"
        raise ConfigurationError(msg)
    return column


def _counts(table: Table, name: str, needed: BoolArray) -> FloatArray:
    values = np.zeros(len(table.rows))
    for row, cell in enumerate(table.text(name)):
        if not needed[row]:
            continue
        values[row] = _number(name, row, cell)
        if not 0 <= values[row] <= MOST_CLAIMS or values[row] != math.floor(values[row]):
            msg = f"line {row + 2}: {name} must be a whole number, 0 or more"
            raise ConfigurationError(msg)
    return values


def _check_nested(smaller: FloatArray, larger: FloatArray, names: tuple[str, str]) -> None:
    over = smaller > larger
    if np.any(over):
        msg = f"line {int(np.argmax(over)) + 2}: more {names[0]} than {names[1]}"
        raise ConfigurationError(msg)


def _check_identity(table: Table, drawn: BoolArray) -> None:
    if "event_id" not in table.header:
        return
    seen: dict[str, int] = {}
    for row in np.flatnonzero(drawn):
        identity = table.rows[row][table.header.index("event_id")].strip()
        if identity and identity in seen:
            first = seen[identity] + 2
            msg = (
                f"line {row + 2} repeats the event_id of line {first}: an answer is drawn once "
                "(panels are to be estimated apart)"
            )
            raise ConfigurationError(msg)
        seen[identity] = int(row)


def sample_of(table: Table, *, cluster: str | None = None, domains: Sequence[str] = ()) -> Sample:
    """Return the drawn rows of `table` as a sample, with `domains` as its slices.

    Raises:
        ConfigurationError: a cell or column that cannot be used; names line, column and rule.
    """
    drawn = drawn_rows(table)
    probability = table.numbers("pi")
    wrong = ~probability_usable(probability)
    if np.any(wrong):
        line = int(np.argmax(wrong)) + 2
        msg = f"line {line}: pi must be above 0 and at most 1, not {probability[line - 2]:g}"
        raise ConfigurationError(msg)
    labelled = table.flags("labelled") & drawn
    answered = _answered(table, labelled)
    verifiable, unsupported, critical = (_counts(table, name, labelled & answered) for name in _COUNTS)
    _check_nested(unsupported, verifiable, ("unsupported_claims", "verifiable_claims"))
    _check_nested(critical, unsupported, ("critical_unsupported", "unsupported_claims"))
    _check_identity(table, drawn)
    everything = Sample(
        inclusion_probability=probability,
        labelled=labelled,
        answered=answered,
        verifiable_claims=verifiable,
        unsupported_claims=unsupported,
        critical_unsupported=critical,
        cluster=None if cluster is None else table.text(cluster),
        domains={name: table.text(name) for name in domains},
        census=bool(np.all(drawn & labelled) and np.all(probability == 1.0)),
    )
    return everything.subset(drawn)
