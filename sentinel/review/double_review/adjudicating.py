"""What an adjudicator sees: the cases to decide, and the opinions of one side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.labelling.adjudication import standing_opinions
from sentinel.labelling.draft import Draft, DraftClaim, draft_from
from sentinel.records import Annotation
from sentinel.review.queueing.selection import beginning
from sentinel.store.annotations import annotations_of_event
from sentinel.store.columns import stored_key
from sentinel.store.review_schema import second_reviews
from sentinel.store.schema import annotation_records, unit_contents, units
from sentinel.store.unit_events import events_of_unit

_TO_DECIDE = ("disagreed", "escalated")


@dataclass(frozen=True, slots=True)
class Case:
    """One case to decide; `state` is `disagreed` or `escalated`."""

    id: int
    state: str
    event_time: datetime
    app: str
    since: datetime
    question: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class OpinionView:
    """One opinion without its author's name; `differs` says of each claim whether the others see it so."""

    letter: str
    annotation: Annotation = field(repr=False)
    differs: tuple[bool, ...] = ()


def cases_to_decide(conn: Connection, person_id: str, most: int = 200) -> tuple[Case, ...]:
    """Return the cases that a person may decide, oldest decision first: not those they gave an opinion on."""
    query = (
        sa.select(
            units.c.id,
            second_reviews.c.state,
            units.c.event_time,
            units.c.app,
            second_reviews.c.changed_at,
            unit_contents.c.content,
        )
        .join(second_reviews, second_reviews.c.unit_id == units.c.id)
        .join(unit_contents, unit_contents.c.unit_id == units.c.id)
        .where(*_open_for(person_id))
        .order_by(second_reviews.c.changed_at, units.c.id)
        .limit(most)
    )
    return tuple(
        Case(row.id, row.state, row.event_time, row.app, row.changed_at, beginning(row.content))
        for row in conn.execute(query)
    )


def count_cases(conn: Connection, person_id: str) -> int:
    """Return how many cases a person may decide."""
    query = sa.select(sa.func.count()).select_from(
        second_reviews.join(units, units.c.id == second_reviews.c.unit_id).join(
            unit_contents, unit_contents.c.unit_id == units.c.id
        )
    )
    return conn.scalar(query.where(*_open_for(person_id))) or 0


def _open_for(person_id: str) -> list[sa.ColumnElement[bool]]:
    said = sa.exists().where(
        annotation_records.c.event_id == units.c.event_id,
        annotation_records.c.annotator == stored_key(person_id),
        annotation_records.c.role == "annotator",
    )
    return [second_reviews.c.state.in_(_TO_DECIDE), ~said]


def opinions_of(conn: Connection, event_id: str) -> tuple[OpinionView, ...]:
    """Return the annotators' standing opinions on a case, in the order in which they began."""
    standing = [
        one for one in standing_opinions(annotations_of_event(conn, event_id)) if one.role == "annotator"
    ]
    return tuple(
        OpinionView(chr(ord("A") + number % 26), opinion, _differences(opinion, standing))
        for number, opinion in enumerate(standing)
    )


def escalation_notes(conn: Connection, unit_id: int) -> tuple[str, ...]:
    """Return why people handed the case on, oldest first."""
    return tuple(
        event.detail for event in events_of_unit(conn, unit_id) if event.kind == "escalated" and event.detail
    )


def decision_proposal(opinions: Sequence[OpinionView]) -> Draft | None:
    """Return the draft a decision begins with: where the opinions agree, their label; else none yet."""
    if not opinions:
        return None
    first = draft_from(opinions[0].annotation)
    claims = tuple(
        DraftClaim(claim.text) if differs else claim
        for claim, differs in zip(first.claims, opinions[0].differs, strict=True)
    )
    return Draft(claims, first.abstention, first.answered, citations=first.citations)


def _differences(opinion: Annotation, all_of_them: Sequence[Annotation]) -> tuple[bool, ...]:
    found = []
    for claim in opinion.claims:
        said: set[tuple[str | None, str | None]] = {(claim.label, claim.severity)}
        for other in all_of_them:
            same = [one for one in other.claims if one.text.split() == claim.text.split()]
            said |= {(one.label, one.severity) for one in same} or {(None, None)}
        found.append(len(said) > 1)
    return tuple(found)
