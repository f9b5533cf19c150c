"""What `sentinel demo` prints: the estimate, its interval and the truth side by side."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sentinel.demo.comparison import Compared
from sentinel.demo.folder import DemoFolder

_PLAIN_WIDTH = 110
_LABEL_YOURSELF = """All answers here are labelled. To label some yourself:
        sentinel run --source file:{} --store sqlite:///try.db --until-end
        sentinel serve --store sqlite:///try.db"""
_EXPLANATION = (
    "Case rate: answers with an unsupported claim, of all that are no abstention. Claim rate: unsupported of "
    "all verifiable claims. The plain average is what a dashboard of the reviewed answers would show: "
    "suspicious answers are drawn more often, and only the weights 1/π take that back. "
    "A 95 % interval misses the truth one time in twenty; another --seed is another fortnight.\n"
)
_HOLDS = {True: Text("yes", style="green"), False: Text("no", style="bold red"), None: Text("–")}


def show_result(
    document: Mapping[str, Any], rows: Sequence[Compared], totals: Mapping[str, int], folder: DemoFolder
) -> None:
    """Print the comparison, the counts behind it and where the report is, to standard output."""
    plain = not sys.stdout.isatty()
    console = Console(
        file=sys.stdout,
        width=_PLAIN_WIDTH if plain else None,
        no_color=plain,
        highlight=False,
    )
    console.print(_table(rows, plain))
    console.print(_EXPLANATION)
    for line in _lines(document, totals):
        console.print(line, markup=False)
    console.print(f"Report: {folder.html.absolute()}", markup=False, soft_wrap=True)
    console.print(f"        {folder.json.absolute()}", markup=False, soft_wrap=True)
    console.print(f"Store:  {folder.store_url}", markup=False, soft_wrap=True)
    console.print(_LABEL_YOURSELF.format(folder.answers), markup=False, soft_wrap=True)
    sys.stdout.flush()


def _table(rows: Sequence[Compared], plain: bool) -> Table:
    table = Table(
        title="Hallucination rate of all traffic, estimated from the drawn answers",
        title_justify="left",
        box=box.ASCII if plain else box.SIMPLE_HEAD,
    )
    table.add_column("")
    for name in ("estimate", "95 % interval", "truth"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("interval holds truth", justify="center")
    table.add_column("plain average of the drawn", justify="right")
    for row in rows:
        interval = "–" if row.lower is None else f"{_percent(row.lower)} to {_percent(row.upper)}"
        table.add_row(
            row.name,
            _percent(row.estimate),
            interval,
            Text(_percent(row.truth), style="bold"),
            _HOLDS[row.holds],
            Text(_percent(row.plain_average), style="dim"),
        )
    return table


def _lines(document: Mapping[str, Any], totals: Mapping[str, int]) -> list[str]:
    population, coverage = document["population"], document["coverage"]
    check = population["weight_check"]
    deviation = "" if check["z"] is None else f", {abs(check['z']):.1f} standard errors off"
    return [
        f"Traffic: {totals['events']:,} answers counted, {totals['duplicates']:,} repeated arrivals, "
        f"{totals['dead_letters']:,} records that could not be used "
        f"(not covered: {population['not_covered']:,}).",
        f"Sample:  {coverage['drawn']:,} drawn, {coverage['labelled']:,} labelled, "
        f"{coverage['lost']:,} lost.",
        f"Weights: the drawn answers stand for {population['estimated_events']:,.0f} answers; "
        f"{population['events']:,} were counted{deviation} ({check['status']}; up to 3 is ok).",
    ]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
