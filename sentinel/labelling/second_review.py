"""Which answers a second reviewer sees, and how the opinions of one answer stand to each other.

The draw of the second review is a keyed hash of the event id under a word of its own, so it is independent
of the draw that made the answer a unit, the same on every machine, and known only to who has the key. Its
probability is recorded with it: agreement can then be estimated for all labels, not for the doubtful ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sentinel.labelling.adjudication import Opinion, derive, outcome, standing_opinions
from sentinel.records import Annotation

#: `single`: one opinion is enough. `waiting`: a second one is wanted. `disagreed`, `escalated`: an
#: adjudicator decides. `settled`: two agree, or an adjudicator has decided.
ReviewState = Literal["single", "waiting", "disagreed", "escalated", "settled"]
SecondReason = Literal["not_drawn", "random", "critical", "escalated"]
_SCALE = 2.0**-53


@dataclass(frozen=True, slots=True)
class SecondReview:
    """The decision on one answer; `probability` is that with which a second opinion was to be asked for."""

    wanted: bool
    reason: SecondReason
    probability: float
    random_number: float


def second_review_number(event_id: str, key: bytes) -> float:
    """Return the number in [0, 1) that decides on a second review; uniform over keys.

    Raises:
        ValueError: if the key is empty: the draw could be foretold.
    """
    if not key:
        raise ValueError("the draw of the second review needs a key")
    secret = hashlib.blake2b(key, person=b"second review").digest()
    digest = hashlib.blake2b(event_id.encode("utf-8", "surrogatepass"), key=secret, digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) * _SCALE


def second_review(first: Annotation, key: bytes, share: float) -> SecondReview:
    """Decide on a second review once the first opinion is there.

    Critical is an unsupported claim of critical severity: such a case is always looked at twice.
    """
    number = second_review_number(first.event_id, key)
    if first.critical_unsupported:
        return SecondReview(True, "critical", 1.0, number)
    drawn = number < share
    return SecondReview(drawn, "random" if drawn else "not_drawn", share, number)


def review_state(opinions: Iterable[Opinion], *, second_wanted: bool, escalated: bool = False) -> ReviewState:
    """Return how the review of one answer stands; the order of the opinions does not matter."""
    records = list(opinions)
    standing = standing_opinions(records)
    if any(one.role == "adjudicator" for one in standing):
        return "settled"
    if escalated:
        return "escalated"
    if len(standing) < 2:
        return "waiting" if second_wanted else "single"
    label = derive(records)
    return "settled" if label is not None and label.final else "disagreed"


def agree(one: Annotation, other: Annotation) -> bool:
    """Return whether two opinions say the same of everything that a rate counts."""
    return outcome(one) == outcome(other)
