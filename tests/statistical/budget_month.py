"""The simulated month: a start, an ordinary week, a surge, an outage, and a storm of incidents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sentinel.sampling.budget import Budget
from sentinel.store.database import Database
from tests.statistical.budget_traffic import (
    BEGAN,
    CORRECTIONS,
    DAY,
    HOUR,
    Hour,
    Simulation,
    day_and_week,
)

#: What is out of the ordinary in each week, Monday to Sunday.
WEEKS = ("start", "ordinary", "surge", "outage", "storm")
END = BEGAN + 7 * len(WEEKS) * DAY
#: Four times the traffic on Tuesday and Wednesday of the third week.
SURGE = (BEGAN + 15 * DAY, BEGAN + 17 * DAY)
#: No answers for thirty hours from Tuesday midnight of the fourth week.
OUTAGE = (BEGAN + 22 * DAY, BEGAN + 23 * DAY + 6 * HOUR)
#: Three answers in ten are corrected by their users, on Tuesday of the fifth week from 9 to 17.
STORM = (BEGAN + 29 * DAY + 9 * HOUR, BEGAN + 29 * DAY + 17 * HOUR)
STORM_SHARE = 0.3


def answers_an_hour(moment: datetime) -> float:
    """Return the traffic of the month."""
    if OUTAGE[0] <= moment < OUTAGE[1]:
        return 0.0
    return day_and_week(moment) * (4.0 if SURGE[0] <= moment < SURGE[1] else 1.0)


def corrections(moment: datetime) -> float:
    """Return the share of answers that come with a correction."""
    return STORM_SHARE if STORM[0] <= moment < STORM[1] else CORRECTIONS


def month(database: Database, budget: Budget, seed: int) -> Sequence[Hour]:
    """Live through the month in a new store."""
    simulation = Simulation(database, budget, seed, answers_an_hour=answers_an_hour, corrections=corrections)
    return simulation.run(BEGAN, END)
