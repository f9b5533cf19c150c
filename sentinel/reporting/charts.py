"""The report's charts as inline SVG: no fonts from elsewhere, the same bytes for the same document.

Colours are CSS variables of the page, so that a chart follows its light or dark scheme.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sentinel.reporting.wording import count, days, interval, of_counts, percent, short_day, words

Document = Mapping[str, Any]
#: Colour in the drawing → variable of the page. Distinct, so that each can be found again.
_INK, _SOFT, _LINE, _ACCENT, _SECOND = "#101112", "#606162", "#c0c1c2", "#205080", "#a05010"
_VARIABLES = {_INK: "--ink", _SOFT: "--soft", _LINE: "--line", _ACCENT: "--accent", _SECOND: "--second"}
_WIDTH_INCHES = 4.3
_MOST_SLICES = 24
_LABEL_CHARACTERS = 30
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sentinel-report",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9.0,
    # The page shines through: it knows whether it is light or dark.
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": _INK,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "xtick.color": _SOFT,
    "ytick.color": _INK,
    "ytick.left": False,
    "grid.color": _LINE,
    "grid.linewidth": 0.6,
}


@dataclass(frozen=True, slots=True)
class Chart:
    """One drawing: `svg` is safe to stand in a page; `description` says in words what it shows."""

    key: str
    title: str
    description: str
    svg: str


def charts(document: Document) -> tuple[Chart, ...]:
    """Return the charts that the document has data for."""
    drawn = (
        _rates(document),
        _trend(document),
        _traffic(document),
        _indicators(document),
        _slices(document),
    )
    return tuple(chart for chart in drawn if chart is not None)


def _rates(document: Document) -> Chart | None:
    names = {"case": "Case rate", "claim": "Claim rate", "critical_claim": "Critical claims"}
    rows = [(name, document["rates"][key]) for key, name in names.items()]
    if all(rate["estimate"] is None for _, rate in rows):
        return None
    told = "; ".join(f"{name}: {_told(rate)}" for name, rate in rows)
    return _intervals("rates", "Rates with their intervals", told, rows, None)


def _trend(document: Document) -> Chart | None:
    points = document["trend"]
    known = [(place, one["case"]) for place, one in enumerate(points) if one["case"]["estimate"] is not None]
    if len(points) < 2 or not known:
        return None
    description = "Case rate with its interval, by period. " + "; ".join(
        f"{days(point['from'], point['to'])}: {_told(point['case'])}" for point in points
    )
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(_WIDTH_INCHES, 2.6), layout="constrained")
        axes = figure.subplots()
        # A period without data breaks the line: nothing is known of it.
        line = [math.nan if one["case"]["estimate"] is None else one["case"]["estimate"] for one in points]
        axes.plot(range(len(points)), line, color=_LINE, linewidth=1.2, zorder=1)
        for place, rate in known:
            _upright(axes, place, rate)
        axes.set_xlim(-0.6, len(points) - 0.4)
        axes.set_ylim(bottom=0.0)
        step = max(1, -(-len(points) // 6))
        marked = range((len(points) - 1) % step, len(points), step)
        axes.set_xticks(marked, [_short_period(points[place]) for place in marked])
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        return _chart("trend", f"Case rate of the last {len(points)} periods", description, figure)


def _upright(axes: Axes, place: int, rate: Mapping[str, Any]) -> None:
    style = "-" if rate["status"] == "ok" else (0, (2, 2))
    axes.plot([place] * 2, [rate["lower"], rate["upper"]], color=_ACCENT, linewidth=2.2, linestyle=style)
    face = _ACCENT if rate["status"] == "ok" else "none"
    axes.plot([place], [rate["estimate"]], marker="o", markersize=6, markerfacecolor=face,
              markeredgecolor=_ACCENT, clip_on=False, zorder=3)  # fmt: skip


def _short_period(point: Mapping[str, Any]) -> str:
    week = point["week"]
    return week.partition("-")[2] if week else short_day(point["from"])


def _slices(document: Document) -> Chart | None:
    shown = [
        one for one in document["slices"] if not one["suppressed"] and one["case"]["estimate"] is not None
    ]
    if not shown:
        return None
    rows = [(_short(f"{one['domain']} = {one['value']}"), one["case"]) for one in shown[:_MOST_SLICES]]
    whole = document["rates"]["case"]["estimate"]
    told = "; ".join(f"{name}: {_told(rate)}" for name, rate in rows)
    more = (
        f" The {len(shown) - _MOST_SLICES} slices with fewest labels are left out."
        if len(shown) > len(rows)
        else ""
    )
    description = (
        f"Case rate of each slice; the line is the rate of all traffic, {percent(whole)}. {told}.{more}"
    )
    return _intervals("slices", "Case rate by slice", description, rows, whole)


def _told(rate: Mapping[str, Any]) -> str:
    if rate["estimate"] is None:
        return "no data"
    return f"{percent(rate['estimate'])}, interval {interval(dict(rate))}, {of_counts(dict(rate))}"


def _short(text: str) -> str:
    return text if len(text) <= _LABEL_CHARACTERS else text[: _LABEL_CHARACTERS - 1] + "…"


def _intervals(
    key: str,
    title: str,
    description: str,
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    reference: float | None,
) -> Chart:
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(_WIDTH_INCHES, 0.75 + 0.36 * len(rows)), layout="constrained")
        axes = figure.subplots()
        for position, (_, rate) in enumerate(rows):
            _interval(axes, position, rate)
        if reference is not None:
            axes.axvline(reference, color=_SECOND, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(left=0.0)
        if max(rate["upper"] or 0.0 for _, rate in rows) > 0.9:
            axes.set_xlim(right=1.0)
        _percent_axis(axes)
        return _chart(key, title, description, figure)


def _interval(axes: Axes, position: int, rate: Mapping[str, Any]) -> None:
    if rate["estimate"] is None:
        axes.text(0.0, position, " no data", va="center", color=_SOFT)
        return
    solid = rate["status"] == "ok"
    if rate["lower"] is not None and rate["upper"] is not None:
        style = "-" if solid else (0, (2, 2))
        axes.plot(
            [rate["lower"], rate["upper"]], [position] * 2, color=_ACCENT, linewidth=2.2, linestyle=style
        )
    face = _ACCENT if solid else "none"
    axes.plot([rate["estimate"]], [position], marker="o", markersize=6, markerfacecolor=face,
              markeredgecolor=_ACCENT, clip_on=False, zorder=3)  # fmt: skip


def _percent_axis(axes: Axes) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    axes.grid(axis="x")
    axes.set_axisbelow(True)


def _indicators(document: Document) -> Chart | None:
    rows = [
        (words(name), entry) for name, entry in document["indicators"].items() if entry["share"] is not None
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: -row[1]["share"])
    description = "How often each leading indicator fired where it could be told. " + "; ".join(
        f"{name}: {percent(entry['share'])}" for name, entry in rows
    )
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(_WIDTH_INCHES, 0.6 + 0.24 * len(rows)), layout="constrained")
        axes = figure.subplots()
        axes.barh(
            [name for name, _ in rows], [entry["share"] for _, entry in rows], color=_ACCENT, height=0.62
        )
        axes.invert_yaxis()
        axes.set_xlim(left=0.0, right=None if any(entry["share"] for _, entry in rows) else 1.0)
        _percent_axis(axes)
        return _chart("indicators", "Leading indicators", description, figure)


def _traffic(document: Document) -> Chart | None:
    stretches = document["traffic"]
    if not any(one["events"] or one["drawn"] for one in stretches):
        return None
    description = "; ".join(
        f"{days(one['from'], one['to'])}: {count(one['events'])} answers, {count(one['drawn'])} drawn"
        for one in stretches
    )
    names = [short_day(one["from"]) for one in stretches]
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(_WIDTH_INCHES, 2.9), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True)
        for axes, key, colour, title in (
            (upper, "events", _ACCENT, "Answers"),
            (lower, "drawn", _SECOND, "Drawn"),
        ):
            axes.bar(range(len(stretches)), [one[key] for one in stretches], color=colour, width=0.7)
            axes.set_title(title, loc="left", fontsize=9.0, color=_SOFT)
            axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: count(value)))
            axes.grid(axis="y")
            axes.set_axisbelow(True)
        step = max(1, len(names) // 8)
        lower.set_xticks(range(0, len(names), step), names[::step])
        return _chart("traffic", "Answers and draws by day", description, figure)


def _chart(key: str, title: str, description: str, figure: Figure) -> Chart:
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # A slice may be named in a script the layout font lacks; the reader's own font will have it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        FigureCanvasSVG(figure)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return Chart(key, title, description, _inlined(buffer.getvalue(), key))


def _inlined(svg: str, key: str) -> str:
    """Return the drawing without prologue, metadata and fixed size, its ids its own, its colours "
    "the page's."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)
    # The page has these two rules for its drawings; a style element here would rule the whole page.
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, count=1, flags=re.DOTALL)
    head, _, rest = svg.partition(">")
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    # The figure around it has the name and the description.
    head += ' aria-hidden="true" focusable="false"'
    rest = re.sub(r'\bid="([^"]+)"', rf'id="{key}-\1"', rest)
    rest = re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{key}-\1"', rest)
    rest = re.sub(r"url\(#([^)]+)\)", rf"url(#{key}-\1)", rest)
    for colour, variable in _VARIABLES.items():
        rest = rest.replace(colour, f"var({variable})")
    return head + ">" + rest.strip()
