"""An opinion given through the API: by the same steps as on the page, and once however often it is sent."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from sentinel.review.api.models import LabelIn, LabelKept
from sentinel.review.api.shared import ApiParts
from sentinel.review.identity.permission import Person
from sentinel.review.labelling_page.giving_once import Answered, give_once
from sentinel.review.labelling_page.opinions import Given, Sent, Slot, give
from sentinel.review.refusals import no_such_answer
from sentinel.store.annotations import annotation_by_id
from sentinel.store.columns import stored_event_id
from sentinel.store.schema import units

#: What does not make a label another one.
_BESIDE = {"base_revision", "seconds"}


def give_opinion(parts: ApiParts, person: Person, label: LabelIn, key: str | None) -> Answered:
    """Write an opinion and return what to answer; the same key and label again: the same answer.

    Raises:
        RefusedError: as `give_once` does, or `not_found`.
    """
    with parts.database.read() as conn:
        query = sa.select(units.c.id).where(units.c.event_id == stored_event_id(label.event_id))
        unit_id = conn.scalar(query)
    document = label.model_dump(exclude={"event_id", "role", "guideline_version"} | _BESIDE)
    slot: Slot = "adjudication" if label.role == "adjudicator" else "opinion"

    def give_it(borne: str | None) -> Given:
        if unit_id is None:
            raise no_such_answer()
        sent = Sent(document, label.base_revision, borne, label.guideline_version, label.seconds)
        return give(parts.shop, person, unit_id, slot, sent)

    request = label.model_dump(exclude=_BESIDE)
    return give_once(parts.shop, person, key, request, give_it, lambda given: _kept(parts, unit_id, given))


def _kept(parts: ApiParts, unit_id: int | None, given: Given) -> dict[str, Any]:
    with parts.database.read() as conn:
        stored = annotation_by_id(conn, given.annotation_id)
    if stored is None or unit_id is None:
        raise no_such_answer()
    kept = LabelKept(
        record_id=stored.id,
        event_id=stored.annotation.event_id,
        unit_id=unit_id,
        corrects=stored.replaces,
        recorded_at=stored.created_at,
    )
    return kept.model_dump(mode="json")
