"""What a new model, prompt version or document class does to the schedule.

Novelty has a memory (what was there before), so it may not enter π by itself: the first commit that
sees a new value appends a row, and the row acts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sentinel.sampling.design import SamplingParams
from sentinel.sampling.schedule import Rule, ScheduleRow

#: Fields whose new values are drawn more often at first.
NOVEL_FIELDS = ("model", "prompt_version", "document_class")
#: A value is new only to a store that had counted `SETTLED_ANSWERS` by a day before its first sight: what is
#: there on the first day was there before sentinel. Counting answers rather than looking at the first
#: one's time keeps a single wrong clock from making everything new.
FIRST_DAY = timedelta(days=1)
SETTLED_ANSWERS = 30
#: Rules in one row at most: a stream that sends a new "version" with every answer must not grow the
#: schedule without end, nor turn novelty into take-all.
MOST_RULES = 50


def is_new(answers_a_day_before: int) -> bool:
    """Return whether a value is new, from the answers counted by a day before its first sight."""
    return answers_a_day_before >= SETTLED_ANSWERS


def expected_answers(answers_by_day: Sequence[int], days: float) -> float:
    """Return how many answers `days` of traffic would bring, at the mean of the days that had any."""
    busy = [answers for answers in answers_by_day if answers]
    return sum(busy) / len(busy) * days if busy else 0.0


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
