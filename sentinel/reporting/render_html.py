"""A report as one HTML file: no script, nothing fetched, every value escaped."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sentinel.reporting.charts import charts
from sentinel.reporting.section import STATUS_WORDS
from sentinel.reporting.tables import sections, shows_plain
from sentinel.reporting.wording import count, days, interval, level, of_counts, percent

_environment = Environment(
    loader=PackageLoader("sentinel.reporting"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
#: Tables too wide to stand beside another.
_WIDE = ("rates", "slices", "comparison", "trend", "alarms")


def html(document: Mapping[str, Any]) -> str:
    """Return the report as a page of its own; values of events stand in it as text alone."""
    period = document["period"]
    style = (files("sentinel.reporting") / "templates" / "report.css").read_text(encoding="utf-8")
    drawings = {chart.key: chart for chart in charts(document)}
    for chart in drawings.values():
        _check_inert(chart.svg)
    tables = sections(document)
    return _environment.get_template("report.html").render(
        document=document,
        days=days(period["from"], period["to"]),
        style=Markup(style),  # noqa: S704 - a file of this package
        charts=[(chart, Markup(chart.svg)) for chart in drawings.values()],  # noqa: S704 - checked above
        cards=_cards(document),
        wide=[section for section in tables if section.key in _WIDE],
        narrow=[section for section in tables if section.key not in _WIDE],
    )


def _cards(document: Mapping[str, Any]) -> list[dict[str, str]]:
    """The three rates as large numbers, each with its interval and counts."""
    titles = {"case": "Case rate", "claim": "Claim rate", "critical_claim": "Critical claim rate"}
    cards = []
    for key, title in titles.items():
        rate = dict(document["rates"][key])
        known = rate["estimate"] is not None
        cards.append(
            {
                "title": title,
                "value": percent(rate["estimate"]) if known else STATUS_WORDS[rate["status"]],
                "interval": f"{level(rate)} interval {interval(rate)}" if known else "no rate",
                "plain": _plain(document, rate),
                "counts": f"{of_counts(rate)} observed, {count(rate['n_labelled'])} labelled",
                "status": rate["status"],
                "status_words": STATUS_WORDS[rate["status"]],
            }
        )
    return cards


def _plain(document: Mapping[str, Any], rate: dict[str, Any]) -> str:
    """Return the plain ratio, where another one is published."""
    if rate["estimate"] is None or not shows_plain(document):
        return ""
    plain = dict(rate["plain"])
    return f"plain ratio {percent(plain['estimate'])}, {interval(plain)}"


def _check_inert(svg: str) -> None:
    """Refuse a drawing that could do anything but be looked at: labels in it come from events."""
    lowered = svg.lower()
    if any(word in lowered for word in ("<script", "<foreignobject", "<image", "<a ", "<iframe")):
        raise ValueError("a chart holds more than shapes and text")
