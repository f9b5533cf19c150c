"""Recording and alerting rules as data: what Prometheus, the chart and Grafana get is written from here.

An alert refers to a recorded series by its name. Prometheus reads the recorded series; the form for Grafana
has the recorded expression in its place, so that it needs no rule file beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One recorded series: `name` is `sentinel:<what>:<how><window>`."""

    name: str
    expr: str


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert; `lasting` is how long its expression holds before it fires. `why` becomes a comment."""

    name: str
    expr: str
    summary: str
    description: str
    lasting: str = ""
    severity: str = "warning"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that are evaluated together, one after the other."""

    name: str
    rules: Sequence[Alert | Record]

    @property
    def alerts(self) -> list[Alert]:
        """Return the alerts among them."""
        return [rule for rule in self.rules if isinstance(rule, Alert)]


_RECORDED = re.compile(r"sentinel:[a-z0-9_]+:[a-z0-9_]+")


def without_records(expr: str, records: Sequence[Record]) -> str:
    """Return `expr` with each recorded series replaced by what is recorded; KeyError for an unknown one."""
    recorded = {record.name: record.expr for record in records}

    def put(match: re.Match[str]) -> str:
        # What is recorded may read what was recorded before it.
        return f"({without_records(recorded[match.group()], records)})"

    return _RECORDED.sub(put, expr)
