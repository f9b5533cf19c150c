"""One refit of the risk model: from labels so far to a new design in the schedule, or a reason why not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from sqlalchemy import Connection

from sentinel.errors import StopError
from sentinel.learning.gather import Material, gather
from sentinel.learning.params import LearningParams
from sentinel.sampling import learning
from sentinel.sampling.allocation import size_measure, uniform_and_multiplier
from sentinel.sampling.design import Design, design_from
from sentinel.sampling.learning import Score, Verdict
from sentinel.sampling.risk import DEFAULT_RISK_MODEL, REFERENCE_RISKS, RiskModel
from sentinel.sampling.schedule import ScheduleRow
from sentinel.store import schedule as stored
from sentinel.store.database import Database


@dataclass(frozen=True, slots=True)
class Contender:
    """A model that was looked at, with its score where there was enough to judge it by.

    `name` is `default`, `current` (what the schedule ends with) or `fitted`; a fitted one is judged on
    answers that its coefficients were not fitted to.
    """

    name: str
    model: RiskModel
    score: Score | None


@dataclass(frozen=True, slots=True)
class Refit:
    """What a refit came to.

    `better` is whether another model than the current one was found better; `adopted` is the schedule row
    that was written, None where none was.
    """

    labelled: int
    bad: int
    contenders: tuple[Contender, ...]
    better: bool
    adopted: ScheduleRow | None
    reason: str


@dataclass(frozen=True, slots=True)
class _Choice:
    name: str
    design: Design
    reason: str


Begin = Callable[[], AbstractContextManager[Connection]]


def refit(
    database: Database,
    params: LearningParams,
    labels_before: datetime,
    now: datetime,
    *,
    begin: Begin | None = None,
    dry_run: bool = False,
) -> Refit:
    """Fit the model to labels of answers before `labels_before`; adopt it if it is better.

    `labels_before` is the start of the reporting window of the moment: what reviewers find in a window
    never enters a probability of that window. The new design takes effect from then on, ahead of
    everything treated so far. It is adopted only if it beats both the default and the current model on
    answers that neither was fitted to; a current model that the default beats gives way to it. `begin`
    opens the transaction that writes (a leader's own is fenced by its lease); `dry_run` writes nothing.

    Raises:
        StopError: the store has no schedule yet, or its last design is of another version.
    """
    with database.read() as connection:
        rows = stored.read_rows(connection)
        current = _last_design(connection, rows)
        since = min(row.effective_at for row in rows if row.design_id == rows[-1].design_id)
        start = labels_before - timedelta(weeks=params.history_weeks)
        material = gather(connection, start, labels_before, current.indicators)
    contenders, choice = _choose(material, current, since, params)
    better = choice.name != "current"
    found = Refit(len(material.lessons), material.bad, contenders, better, None, choice.reason)
    if dry_run or not better:
        return found
    with (begin or database.begin)() as connection:
        adopted = _append(connection, rows[-1], current, choice, labels_before, now)
    if adopted is None:
        return replace(found, reason="the schedule's design was changed meanwhile: try again")
    return replace(found, adopted=adopted)


def _last_design(connection: Connection, rows: tuple[ScheduleRow, ...]) -> Design:
    if not rows:
        raise StopError(
            "the schedule has no first row: start `sentinel run` once before learning from labels"
        )
    try:
        return design_from(stored.design_spec(connection, rows[-1].design_id) or {})
    except (KeyError, TypeError):
        raise StopError(
            f"design {rows[-1].design_id} is of another version of sentinel: start `sentinel run` of this one"
        ) from None


def _choose(
    material: Material, current: Design, since: datetime, params: LearningParams
) -> tuple[tuple[Contender, ...], _Choice]:
    """Return the models looked at, and the design to go on with."""
    lessons = material.lessons
    learned = current.risk_model != DEFAULT_RISK_MODEL
    models = {"default": DEFAULT_RISK_MODEL} | ({"current": current.risk_model} if learned else {})
    fresh = lessons
    if learned:
        # The current model was fitted to what came before it: only what came after can judge it.
        fresh = lessons.subset(material.event_times >= since.astimezone(UTC).timestamp())
    short = _shortage(fresh, params, " since the current model was adopted" if learned else "")
    if short is not None:
        unjudged = tuple(Contender(name, model, None) for name, model in models.items())
        return unjudged, _Choice("current", current, short)
    models["fitted"] = learning.fit_model(lessons)
    unseen = learning.unseen_predictions(lessons)
    judged = unseen if not learned else unseen[material.event_times >= since.astimezone(UTC).timestamp()]
    risks = {name: learning.predictions(model, fresh.features) for name, model in models.items()}
    risks["fitted"] = judged
    numbers = (current.base_rate, current.uniform_share)
    contenders = tuple(
        Contender(name, model, learning.score(fresh, risks[name], *numbers)) for name, model in models.items()
    )

    def against(new: str, old: str) -> Verdict:
        return learning.compare(fresh, risks[new], risks[old], *numbers)

    rivals = [name for name in ("default", "current") if name in models]
    verdicts = {name: against("fitted", name) for name in rivals}
    if all(verdict.better for verdict in verdicts.values()):
        reason = f"fitted to {len(lessons)} labelled answers; {verdicts[rivals[-1]].reason}"
        return contenders, _Choice("fitted", _design_with(current, models["fitted"], material), reason)
    if learned and (back := against("default", "current")).better:
        reason = f"back to the default model: {back.reason}"
        design = replace(current, risk_model=DEFAULT_RISK_MODEL, reference_risks=REFERENCE_RISKS)
        return contenders, _Choice("default", design, reason)
    name, verdict = next((n, v) for n, v in verdicts.items() if not v.better)
    return contenders, _Choice("current", current, f"no better than the {name} model: {verdict.reason}")


def _shortage(lessons: learning.Lessons, params: LearningParams, since: str) -> str | None:
    """Return what is lacking to fit or to judge a model; None where there is enough."""
    bad = int(lessons.bad.sum())
    good = len(lessons) - bad
    if len(lessons) < params.least_labelled:
        return f"{len(lessons)} labelled answers{since}, {params.least_labelled} needed"
    if min(bad, good) < params.least_each:
        return f"{bad} bad and {good} good answers{since}, {params.least_each} of each needed"
    return None


def _design_with(current: Design, model: RiskModel, material: Material) -> Design:
    risks = learning.predictions(model, material.drawn)
    return replace(
        current,
        risk_model=model,
        reference_risks=learning.quantiles(risks, material.drawn_weights),
    )


def _append(
    connection: Connection,
    seen: ScheduleRow,
    current: Design,
    choice: _Choice,
    labels_before: datetime,
    now: datetime,
) -> ScheduleRow | None:
    """Append the row of the chosen design; None where the schedule's design has changed meanwhile.

    The share of answers drawn stays what the last row has come to; rules and caps go on.
    """
    last = stored.read_rows(connection)[-1]
    if last.design_id != seen.design_id:
        return None
    design = choice.design
    rate = design.rate if design.rate is not None else _expected_share(last, current)
    uniform, multiplier = uniform_and_multiplier(design.reference_sizes(), rate, design.uniform_share)
    stored.save_design(connection, design.design_id, design.specification(), now)
    row = replace(
        last,
        design_id=design.design_id,
        uniform_probability=uniform,
        multiplier=multiplier,
        reason=f"risk model: {choice.reason}",
    )
    return stored.append_row(connection, row, labels_before, now)


def _expected_share(row: ScheduleRow, design: Design) -> float:
    sizes = np.array([size_measure(risk, design.base_rate) for risk in design.reference_risks])
    return float(np.mean(np.minimum(1.0, row.uniform_probability + row.multiplier * sizes)))
