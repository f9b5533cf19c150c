"""When questions come and from whom: the rhythm of days and weeks, and the mix of tenants and models."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from sentinel.demo.behaviour import Situation
from sentinel.demo.plan import DAYS, Plan

_HOURS = (2, 1, 1, 1, 1, 2, 5, 9, 14, 18, 20, 19, 16, 16, 18, 18, 17, 16, 15, 14, 12, 9, 6, 3)
_WEEKDAYS = (1.15, 1.05, 1.0, 1.0, 0.95, 0.55, 0.45)
_WORKFLOWS = {"refunds": 5, "shipping": 6, "warranty": 3, "account": 3, "cards": 4, "transfers": 3}
_TENANTS = {"north": 8, "south": 5, "islands": 2, "partner-one": 3, "partner-two": 1}
_LOCALES = {"en-GB": 9, "en-US": 6, "en-IE": 2, "en-IN": 2}
_MODELS = {"atlas-2": 7, "atlas-2-mini": 3}


def times(plan: Plan, rng: Random) -> list[datetime]:
    """Return the times of all answers, ascending, to the millisecond."""
    weights = [_WEEKDAYS[day % 7] * hour for day in range(DAYS) for hour in _HOURS]
    hours = rng.choices(range(len(weights)), weights, k=plan.events)
    milliseconds = sorted(hour * 3_600_000 + rng.randrange(3_600_000) for hour in hours)
    return [plan.begins + timedelta(milliseconds=moment) for moment in milliseconds]


def situation_at(moment: datetime, plan: Plan, apps: dict[str, str], rng: Random) -> Situation:
    """Return who asks what of which version at a moment."""
    workflow = _drawn(_WORKFLOWS, rng)
    return Situation(
        app=apps[workflow],
        workflow=workflow,
        tenant=_drawn(_TENANTS, rng),
        locale=_drawn(_LOCALES, rng),
        model=_drawn(_MODELS, rng),
        prompt_version="v8" if moment >= plan.prompt_changes_at else "v7",
    )


def _drawn(weights: dict[str, int], rng: Random) -> str:
    return rng.choices(tuple(weights), tuple(weights.values()))[0]
