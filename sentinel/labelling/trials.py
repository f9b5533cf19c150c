"""How a reviewer's trial on a batch of answers with known labels goes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sentinel.errors import DeadLetterError
from sentinel.labelling.draft import annotation_of, parse_draft
from sentinel.labelling.paired_verdicts import agreement_table
from sentinel.labelling.reliability import Coefficient
from sentinel.labelling.second_review import agree
from sentinel.records import Annotation


@dataclass(frozen=True, slots=True)
class Trial:
    """How far a person is with a batch.

    `equal` counts the answers of which they said the same as the known label in everything that a rate
    counts; `claims` is the agreement with the known labels on claims, once the batch is done.
    `unreadable`: units left out of all of it, whose known label or trial is no label.
    """

    batch: str
    items: int
    answered: int
    equal: int
    claims: Coefficient | None
    next_unit: int | None
    unreadable: tuple[int, ...] = ()

    @property
    def is_done(self) -> bool:
        """Return whether every answer of the batch has been labelled."""
        return self.answered >= self.items


def trial(
    batch: str,
    known: Mapping[int, Mapping[str, Any]],
    said: Mapping[int, Mapping[str, Any]],
    wanted: Collection[int],
) -> Trial:
    """Return how a trial stands: `known` and `said` are drafts by unit id, `wanted` the trial's units."""
    items: list[int] = []
    unreadable: list[int] = []
    pairs: list[list[Annotation]] = []
    for unit_id in sorted(known.keys() & set(wanted)):
        try:
            right = _annotation(known[unit_id], "known")
            given = _annotation(said[unit_id], "trial") if unit_id in said else None
        except DeadLetterError:
            unreadable.append(unit_id)
            continue
        items.append(unit_id)
        if given is not None:
            pairs.append([right, given])
    done = len(pairs) >= len(items) > 0
    return Trial(
        batch,
        len(items),
        len(pairs),
        sum(agree(one, other) for one, other in pairs),
        agreement_table(pairs).claims if done else None,
        next((unit_id for unit_id in items if unit_id not in said), None),
        tuple(unreadable),
    )


def _annotation(document: Mapping[str, Any], who: str) -> Annotation:
    return annotation_of(parse_draft(document), "trial", who, "annotator", None)
