"""Which of many slices differ from the rest, with the chance of any false alarm held at one level."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sentinel.records import Estimate

Name = TypeVar("Name")


def stand_out(
    names: Sequence[Name], change: Callable[[Name, float], Estimate], level: float
) -> Mapping[Name, int]:
    """Return the names whose difference is not 0, with its sign: +1 above, −1 below.

    Holm's sequentially rejective procedure (1979, *A simple sequentially rejective multiple test
    procedure*) with intervals for tests: of m names those whose interval at level 1 − (1 − level)/m
    leaves out 0 stand out; then the same with the rest, until nothing is new. The chance that any name
    stands out that does not differ is at most 1 − `level`, however many there are.

    Args:
        names: what is tested.
        change: the difference of a name from the rest at a confidence level.
        level: 1 − the chance of a false alarm over all names together.
    """
    left, found = list(names), dict[Name, int]()
    while left:
        strict = 1.0 - (1.0 - level) / len(left)
        new = {name: sign for name in left if (sign := _sign(change(name, strict)))}
        if not new:
            break
        found |= new
        left = [name for name in left if name not in new]
    return found


def _sign(change: Estimate) -> int:
    if change.lower is None or change.upper is None:
        return 0
    return 1 if change.lower > 0.0 else -1 if change.upper < 0.0 else 0
