"""The budget controller: from past counts to the numbers of the next schedule row. Pure.

What is spent is the sum of the inclusion probabilities, not the number that happened to be drawn: so no
draw ever enters a probability, draws stay independent of each other, and the number drawn spreads around
the sum as independent draws do. The rate of the rest of a window is what is left of the budget over the
answers that are expected of it. A wrong expectation therefore corrects itself: with traffic ρ times as
high as expected all the way, the budget still lasts to the end, at a rate that falls as (1 − t)^(ρ − 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sentinel.sampling.allocation import uniform_and_multiplier
from sentinel.sampling.budget import Budget
from sentinel.sampling.design import Design
from sentinel.sampling.rhythm import HOUR, Forecast
from sentinel.sampling.schedule import Rule, ScheduleRow

#: The rate never falls below this share of the window's even rate: a spent budget goes on being overspent
#: slowly, because answers that could not be drawn at all would bias every rate.
LEAST_SHARE = 0.2
#: Nor does it rise above this multiple: the quiet end of a window is not for spending what is left.
MOST_SHARE = 4.0
#: Take-all and novelty rules together get at most this share of what is left.
RULES_SHARE = 0.5
#: A new row is written where a probability moves by more than this share.
DEAD_BAND = 0.1
#: How long the excess of the last hour over the usual count of a signal is expected to go on, in hours.
_STORM_HOURS = 12.0
#: An hour is out of the ordinary by what exceeds so many standard deviations of its count.
_NOISE = 3.0
REASON = "budget: "


@dataclass(frozen=True, slots=True)
class RuleTraffic:
    """Answers that a take-all signal or a rule applies to: a usual hour's, and the last hour's."""

    usual_per_hour: float
    last_hour: float

    def expected(self, hours: float) -> float:
        """Return how many to expect in the next `hours`; a storm is expected to go on for a while."""
        noise = _NOISE * math.sqrt(self.usual_per_hour + 1.0)
        excess = max(self.last_hour - self.usual_per_hour - noise, 0.0)
        return self.usual_per_hour * hours + excess * min(hours, _STORM_HOURS)


@dataclass(frozen=True, slots=True)
class WindowState:
    """What is known at one moment of a budget's window [`start`, `end`).

    `spent` is the sum of π so far, `events` the answers so far. `mean_size` is the mean size measure of
    lately counted answers under the design in force, None where there were none. `signals` and `rules`
    count the answers that take-all signals and rules (by field and value) apply to.
    """

    start: datetime
    end: datetime
    now: datetime
    spent: float
    events: int
    mean_size: float | None
    signals: Mapping[str, RuleTraffic]
    rules: Mapping[tuple[str, str], RuleTraffic]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the rest of a window should be drawn with: base rate, and π of take-all signals and rules."""

    rate: float
    signals: Mapping[str, float]
    rules: Mapping[tuple[str, str], float]


def plan(budget: Budget, state: WindowState, ahead: Forecast, latest: ScheduleRow, design: Design) -> Plan:
    """Return the plan for the rest of the window, from what is left and what is expected."""
    hours_left = max((state.end - state.now) / HOUR, 0.0)
    rest = ahead.expected(state.now, state.end)
    left = max(budget.units - state.spent, 0.0)
    even = min(1.0, budget.units / max(state.events + rest, 1.0))
    wishes = {("signal", name): p for name, p in design.take_all}
    wishes |= {(rule.field, rule.value): rule.probability for rule in _alive(latest.rules, state.now)}
    traffic: dict[tuple[str, str], RuleTraffic] = {("signal", name): t for name, t in state.signals.items()}
    traffic |= state.rules
    demands = {
        key: wanted * traffic[key].expected(hours_left) for key, wanted in wishes.items() if key in traffic
    }
    # A spent budget still takes a share of an even rate's worth: no rule may fall to the floor for good.
    granted = shared_out(
        demands, max(RULES_SHARE * left, LEAST_SHARE * budget.units * hours_left / _hours(state))
    )
    capped = {
        key: wanted * (granted[key] / demands[key] if demands.get(key) else 1.0)
        for key, wanted in wishes.items()
    }
    base = (left - math.fsum(granted.values())) / max(rest, 1.0)
    rate = min(1.0, max(LEAST_SHARE * even, min(base, MOST_SHARE * even)))
    signals = {name: max(p, rate) for (kind, name), p in capped.items() if kind == "signal"}
    rules = {key: max(p, rate) for key, p in capped.items() if key[0] != "signal"}
    return Plan(rate, signals, rules)


def shared_out(demands: Mapping[tuple[str, str], float], amount: float) -> dict[tuple[str, str], float]:
    """Share `amount` out among demands so that the least served is served best (max-min fairness).

    Whoever asks for less than an equal share gets it all; what that leaves is shared by the others. So
    a storm of one signal takes nothing from a rare one. (Bertsekas and Gallager 1992, *Data Networks*, 6.5.)
    """
    granted: dict[tuple[str, str], float] = {}
    left = amount
    ascending = sorted(demands, key=lambda key: (demands[key], key))
    for position, key in enumerate(ascending):
        granted[key] = min(demands[key], left / (len(ascending) - position))
        left -= granted[key]
    return granted


def next_row(
    budget: Budget, wanted: Plan, rows: Sequence[ScheduleRow], design: Design, state: WindowState
) -> ScheduleRow | None:
    """Return the row that puts a plan into force after the last of `rows`; None where that one will do.

    It will do while no probability moves by more than `DEAD_BAND`, unless the budget was changed. The
    caller gives the row its `effective_at` and id when it is written.
    """
    latest = rows[-1]
    reason = REASON + budget.name
    said = [row.reason for row in rows if row.reason.startswith(REASON) and row.design_id == latest.design_id]
    sizes = design.reference_sizes()
    if state.mean_size is not None:
        scale = state.mean_size / (math.fsum(sizes) / len(sizes))
        sizes = [size * scale for size in sizes]
    uniform, multiplier = uniform_and_multiplier(sizes, wanted.rate, design.uniform_share)
    row = replace(
        latest,
        uniform_probability=uniform,
        multiplier=multiplier,
        take_all=tuple((name, wanted.signals.get(name, p)) for name, p in design.take_all),
        rules=_tightened(_alive(latest.rules, state.now), wanted),
        reason=reason,
    )
    is_said = bool(said) and said[-1] == reason
    return None if is_said and not _differs(row, latest, state.now) else row


def _tightened(rules: Sequence[Rule], wanted: Plan) -> tuple[Rule, ...]:
    """Rules with their probability capped; never raised again, for a rule does not live long."""
    return tuple(
        replace(rule, probability=min(rule.probability, wanted.rules.get((rule.field, rule.value), 1.0)))
        for rule in rules
    )


def _differs(row: ScheduleRow, latest: ScheduleRow, now: datetime) -> bool:
    pairs = [
        (row.uniform_probability, latest.uniform_probability),
        (row.multiplier, latest.multiplier),
        *((p, dict(latest.take_all).get(name, 1.0)) for name, p in row.take_all),
    ]
    before = {(rule.field, rule.value): rule.probability for rule in _alive(latest.rules, now)}
    pairs += [(rule.probability, before[rule.field, rule.value]) for rule in row.rules]
    return any(abs(new - old) > DEAD_BAND * max(old, 1e-12) for new, old in pairs)


def _alive(rules: Sequence[Rule], now: datetime) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.until is None or rule.until > now)


def _hours(state: WindowState) -> float:
    return max((state.end - state.start) / HOUR, 1.0)
