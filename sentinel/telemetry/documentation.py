"""The page that lists every metric: `python -m sentinel.telemetry.documentation > docs/metrics.md`."""

from __future__ import annotations

import sys

from sentinel.telemetry.catalogue import CATALOGUE
from sentinel.telemetry.declarations import LabelSpec, MetricSpec

_INTRODUCTION = """# Metrics

Generated from `sentinel/telemetry/catalogue.py` by `python -m sentinel.telemetry.documentation`; a test
fails when this page is stale.

A gauge is exported only while its value is known: a missing series is *unknown*, never 0. Counters count
what was committed, so a redelivered record counts once. Values of an *open* label come from events or
configuration: the first ones keep their name, up to a configurable cap, all later ones are `other`.

| metric | kind | unit | labels | meaning |
|---|---|---|---|---|
"""


def metrics_page() -> str:
    """Return the page as Markdown, in the order of the catalogue."""
    return _INTRODUCTION + "".join(_row(spec) for spec in CATALOGUE)


def _row(spec: MetricSpec) -> str:
    labels = "; ".join(_label(label) for label in spec.labels) or "–"
    return f"| `{spec.name}` | {spec.kind} | {spec.unit} | {labels} | {spec.help} |\n"


def _label(label: LabelSpec) -> str:
    known = ", ".join(f"`{value}`" for value in label.known)
    if label.is_open:
        return f"`{label.name}`: open" + (f", among them {known}" if known else "")
    return f"`{label.name}`: {known}"


if __name__ == "__main__":
    sys.stdout.write(metrics_page())
