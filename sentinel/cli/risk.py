"""`sentinel risk refit`: let the risk model learn from the labels so far."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from sentinel.cli.options import Config, Store
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.learning.refit import Contender, Refit
from sentinel.learning.refit import refit as refit_model
from sentinel.reporting.period import last_whole_week
from sentinel.store.database import Database


def refit(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done; write nothing.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="The scores and coefficients as one JSON object.")
    ] = False,
    config: Config = None,
    store: Store = None,
) -> None:
    """Fit the risk model to the labels of answers drawn before this week, and adopt it if it is better.

    Compares the models by cross-validation: log loss, and the variance of the case rate that a draw by them
    would give, over a uniform sample's (smaller is better). Adopted means a new row in the sampling
    schedule, ahead of everything drawn so far; no estimate becomes biased by it.

    Example: [bold]sentinel risk refit --dry-run[/bold]
    """
    settings = load_settings(config, store=store)
    now = SystemClock().now()
    week = last_whole_week(now, settings.report.timezone)
    with Database(settings.store, settings.database) as database:
        database.require_schema()
        found = refit_model(database, settings.learning, week.end, now, dry_run=dry_run)
    text = json.dumps(_document(found), allow_nan=False) if as_json else _table(found, dry_run=dry_run)
    typer.echo(text)


def _document(found: Refit) -> dict[str, object]:
    row = found.adopted
    return {
        "labelled": found.labelled,
        "bad": found.bad,
        "models": [asdict(one) for one in found.contenders],
        "adopted": None
        if row is None
        else {"design": row.design_id, "effective_at": row.effective_at.isoformat()},
        "reason": found.reason,
    }


def _table(found: Refit, *, dry_run: bool) -> str:
    lines = [
        f"{found.labelled} labelled answers, {found.bad} of them bad",
        f"{'model':<9}{'log loss':>10}{'variance':>10}{'plain':>8}{'calibrated':>12}",
        *(_line(one) for one in found.contenders),
        f"{_outcome(found, dry_run=dry_run)}: {found.reason}",
    ]
    if found.adopted is not None:
        lines.append(
            f"design {found.adopted.design_id} from {found.adopted.effective_at:%Y-%m-%dT%H:%M:%SZ} on"
        )
    return "\n".join(lines)


def _outcome(found: Refit, *, dry_run: bool) -> str:
    if dry_run and found.better:
        return "would be adopted"
    return "adopted" if found.adopted else "not adopted"


def _line(one: Contender) -> str:
    score = one.score
    if score is None:
        return f"{one.name:<9}{'–':>10}{'–':>10}{'–':>8}{'–':>12}"
    numbers = f"{score.log_loss:>10.4f}{score.variance:>10.3f}{score.plain:>8.3f}{score.calibrated:>12.3f}"
    return f"{one.name:<9}{numbers}"
