"""What a new model, prompt version or document class does to the schedule.

Novelty has a memory (what was there before), so it may not enter π by itself: the first commit that
sees a new value appends a row, and the row acts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from sentinel.sampling.design import SamplingParams
from sentinel.sampling.schedule import Rule, ScheduleRow

#: Fields whose new values are drawn more often at first.
NOVEL_FIELDS = ("model", "prompt_version", "document_class")
#: Values met within this time of a store's first event were there before sentinel: they are not new.
FIRST_DAY = timedelta(days=1)
#: Rules in one row at most: a stream that sends a new "version" with every answer must not grow the
#: schedule without end, nor turn novelty into take-all.
MOST_RULES = 50


def is_new(first_seen: datetime, store_began: datetime | None) -> bool:
    """Return whether a value first seen then is new, or was there when the store began."""
    return store_began is not None and first_seen >= store_began + FIRST_DAY


def expected_answers(events_so_far: int, began: datetime, now: datetime, days: float) -> float:
    """Return how many answers `days` of traffic at the mean pace so far would bring."""
    elapsed_days = max((now - began) / timedelta(days=1), 1.0)
    return events_so_far / elapsed_days * days


def row_with_novelty(
    latest: ScheduleRow,
    new_values: Iterable[tuple[str, str]],
    now: datetime,
    expected: float,
    params: SamplingParams,
) -> ScheduleRow | None:
    """Return the row that adds a rule for each new value, or None if there is nothing to add.

    A rule's probability is min(1, N ÷ expected count): about N of the new kind are drawn even if all
    traffic moves to it. Rules that ended before `now` are left out of the new row. The caller gives the
    row its `effective_at` and id when it is written.
    """
    kept = tuple(rule for rule in latest.rules if rule.until is None or rule.until > now)
    known = {(rule.field, rule.value) for rule in kept}
    wanted = [pair for pair in sorted(new_values) if pair not in known][: max(MOST_RULES - len(kept), 0)]
    if not wanted or params.novelty_units == 0:
        return None
    probability = min(1.0, params.novelty_units / max(expected, 1.0))
    until = now + timedelta(days=params.novelty_days)
    added = tuple(Rule(field, value, probability, until) for field, value in wanted)
    fields = ", ".join(sorted({field for field, _ in wanted}))
    return replace(latest, rules=kept + added, reason=f"novelty: {fields}")
