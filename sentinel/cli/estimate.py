"""`sentinel estimate`: the estimators on a plain table, no store needed."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from rich.console import Console
from rich.table import Table as RichTable

from sentinel.errors import ConfigurationError, StopError
from sentinel.estimation.calibration import CalibrationMethod
from sentinel.estimation.document import Document, Request, estimate_document
from sentinel.estimation.intervals import Interval
from sentinel.estimation.ratios import RATE_NAMES
from sentinel.estimation.table import Table
from sentinel.estimation.weighting import Variance


def _read_table(path: Path) -> Table:
    """Return the cells of a CSV file, `-` for standard input; blank lines are left out."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror})"
        raise ConfigurationError(msg) from error
    except (UnicodeDecodeError, csv.Error) as error:
        msg = f"{path}: is not a CSV file in UTF-8"
        raise ConfigurationError(msg) from error
    header = tuple(name.strip() for name in rows[0]) if rows else ()
    for delimiter, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(header) == 1 and delimiter in header[0]:
            raise ConfigurationError(f"{path}: the cells are separated by {name}; save it with commas")
    return Table(header, tuple(tuple(row) for row in rows[1:]))


def _read_population(path: Path | None) -> dict[str, Any] | None:
    if path is None:
        return None
    try:
        population = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror})"
        raise ConfigurationError(msg) from error
    except ValueError as error:
        msg = f"{path}: is not a JSON file"
        raise ConfigurationError(msg) from error
    if not isinstance(population, dict):
        msg = f"{path}: must hold one JSON object"
        raise ConfigurationError(msg)
    return population


def _choice(option: str, value: str, kind: Any) -> str:
    if value not in get_args(kind):
        msg = f"{option} {value!r} is unknown: choose one of {', '.join(get_args(kind))}"
        raise ConfigurationError(msg)
    return value


def _names(option: str, value: str | None) -> tuple[str, ...]:
    if value is None:
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",")))
    if "" in names:
        msg = f"{option} takes column names separated by commas"
        raise ConfigurationError(msg)
    return names


def _contrast(value: str | None) -> tuple[str, str, str] | None:
    if value is None:
        return None
    column, _, levels = value.partition(":")
    pair = [level.strip() for level in levels.split(",")]
    if not column or len(pair) != 2 or "" in pair or pair[0] == pair[1]:
        raise ConfigurationError("--contrast takes COLUMN:FIRST,SECOND, for example version:v1,v2")
    return column.strip(), pair[0], pair[1]


def _judge_weight(value: str) -> float | None:
    if value == "tuned":
        return None
    try:
        weight = float(value)
    except ValueError:
        weight = -1.0
    if not 0.0 <= weight <= 1.0:
        msg = f"--judge-weight {value!r} is unknown: give 0, 1, a share between, or tuned"
        raise ConfigurationError(msg)
    return weight


def _cell(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def _row(label: str, rate: Document) -> list[str]:
    return [
        label,
        _cell(rate["estimate"]),
        f"{_cell(rate['lower'])} … {_cell(rate['upper'])}",
        f"{rate['numerator']} / {rate['denominator']}",
        rate["status"],
        rate["method"],
    ]


def _show(document: Document, level: float) -> None:
    """Print the rates with their counts, by domain too."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    units = f"{document['n_labelled']} labelled of {document['n_units']} drawn units"
    table = RichTable(title=f"Design-weighted rates, {units}", title_justify="left")
    for heading in ("rate", "estimate", f"{100 * level:g} % interval", "counts", "status", "method"):
        table.add_column(heading, no_wrap=heading in ("rate", "status"))
    for name in RATE_NAMES:
        table.add_row(*_row(name, document[name]))
    if "judge_assisted" in document:
        table.add_row(*_row("case_rate with judge", document["judge_assisted"]["case_rate"]))
    for domain, figures in document.get("domains", {}).items():
        table.add_section()
        for name in RATE_NAMES[:2]:
            table.add_row(*_row(f"{domain} {name}", figures[name]))
    for name, change in document.get("contrast", {}).items():
        table.add_row(*_row(f"difference {name}", {"estimate": change["difference"], **change}))
    console.print(table)
    for name, total in document["totals"].items():
        known = total["estimate"] is not None
        error = "–" if total["se"] is None else f"{total['se']:,.1f}"
        console.print(f"{name}: {total['estimate']:,.1f} (SE {error})" if known else f"{name}: –")
    for note in document["notes"]:
        console.print(f"note: {note}")


def estimate(
    file: Annotated[Path, typer.Argument(help="CSV of drawn units, one row each; - for standard input.")],
    population: Annotated[
        Path | None, typer.Option(help="JSON with known counts of the traffic, for --calibrate and --judge.")
    ] = None,
    variance: Annotated[str, typer.Option(help="poisson or ultimate-cluster.")] = "poisson",
    cluster: Annotated[str | None, typer.Option(help="Column of the ultimate clusters.")] = None,
    ci: Annotated[
        str, typer.Option(help="auto, logit, xlogit, beta, beta-capped, wilson or normal.")
    ] = "auto",
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    domains: Annotated[str | None, typer.Option(help="Columns to estimate by, separated by commas.")] = None,
    calibrate: Annotated[
        str | None, typer.Option(help="Columns whose counts in --population the weights must meet.")
    ] = None,
    method: Annotated[str, typer.Option(help="poststratify, linear or raking.")] = "poststratify",
    contrast: Annotated[str | None, typer.Option(help="COLUMN:FIRST,SECOND: second minus first.")] = None,
    judge: Annotated[str | None, typer.Option(help="Column of judge scores of all answers.")] = None,
    judge_weight: Annotated[str, typer.Option(help="0, 1, or tuned.")] = "tuned",
    nonresponse: Annotated[
        str | None, typer.Option(help="Column of the weighting classes for missing labels.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Estimate rates of all traffic from a probability sample, with an honest interval.

    Needs the columns pi (inclusion probability), labelled, answered (0/1), verifiable_claims,
    unsupported_claims and critical_unsupported; a column sampled marks rows that were drawn.

    Example: sentinel estimate sample.csv --domains workflow --contrast version:v1,v2 --json
    """
    try:
        request = Request(
            variance=cast(Variance, _choice("--variance", variance, Variance)),
            cluster=cluster,
            interval=cast(Interval, _choice("--ci", ci, Interval)),
            level=level,
            domains=_names("--domains", domains),
            calibrate=_names("--calibrate", calibrate),
            method=cast(CalibrationMethod, _choice("--method", method, CalibrationMethod)),
            contrast=_contrast(contrast),
            judge=judge,
            judge_weight=_judge_weight(judge_weight),
            nonresponse=nonresponse,
        )
        document = estimate_document(_read_table(file), request, _read_population(population))
    except StopError as error:
        typer.echo(f"sentinel estimate: {error}", err=True)
        raise typer.Exit(2) from error
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
    else:
        _show(document, level)
