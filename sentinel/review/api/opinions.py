"""An opinion given through the API: by the same steps as on the page, and once however often it is sent."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from sentinel.review.api.models import LabelIn, LabelKept
from sentinel.review.api.problems import ProblemError
from sentinel.review.api.shared import ApiParts, no_such_answer
from sentinel.review.identity.permission import Person
from sentinel.review.labelling_page.opinions import Given, Sent, Slot, give
from sentinel.review.refusals import RefusedError
from sentinel.store.annotations import annotation_by_id
from sentinel.store.columns import stored_event_id
from sentinel.store.kept_answers import (
    KeptAnswer,
    claim_key,
    forget_answers,
    keep_answer,
    kept_answer,
    release_key,
)
from sentinel.store.schema import units


@dataclass(frozen=True, slots=True)
class Answered:
    """What is answered to an opinion; `is_repeated`: it was there already, and nothing was done now."""

    body: dict[str, Any]
    is_repeated: bool


def give_opinion(parts: ApiParts, person: Person, label: LabelIn, key: str | None) -> Answered:
    """Write an opinion and return what to answer; the same key and label again: the same answer.

    Raises:
        ProblemError: 404, or 422 for a key that was used for another label.
        RefusedError: as `give` does.
    """
    if key is None:
        unit_id, given = _given(parts, person, label, None)
        return _answered(parts, unit_id, given)
    request_hash = _hash_of(label)
    with parts.database.begin() as conn:
        now = parts.clock.now()
        forget_answers(conn, now - timedelta(days=parts.access.kept_answer_days))
        claim_key(conn, person.id, key, request_hash, now)
        kept = kept_answer(conn, person.id, key)
    if kept is not None and kept.request_hash != request_hash:
        raise ProblemError(
            422,
            "This Idempotency-Key was used for another label.",
            "Use a new key for each label.",
            reason="key_reused",
        )
    if kept is not None and kept.body is not None:
        return Answered(dict(kept.body), is_repeated=True)
    # Claimed now, or by a request that was cut off or is under way: the opinion bears the key, too.
    try:
        answered = _answered(parts, *_given(parts, person, label, _key_of(key, request_hash)))
    except (ProblemError, RefusedError):
        with parts.database.begin() as conn:
            release_key(conn, person.id, key)
        raise
    with parts.database.begin() as conn:
        keep_answer(conn, person.id, key, KeptAnswer(request_hash, answered.body))
    return answered


def _key_of(key: str, request_hash: str) -> str:
    """Return the key that an opinion bears: another label under a forgotten key is another opinion."""
    return "api:" + hashlib.sha256(f"{request_hash}\n{key}".encode()).hexdigest()


def _hash_of(label: LabelIn) -> str:
    document = json.dumps(label.model_dump(), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(document.encode()).hexdigest()


def _given(parts: ApiParts, person: Person, label: LabelIn, key: str | None) -> tuple[int, Given]:
    with parts.database.read() as conn:
        query = sa.select(units.c.id).where(units.c.event_id == stored_event_id(label.event_id))
        unit_id = conn.scalar(query)
    if unit_id is None:
        raise no_such_answer()
    document = label.model_dump(exclude={"event_id", "role", "guideline_version"})
    sent = Sent(document, idempotency_key=key, guideline_version=label.guideline_version)
    slot: Slot = "adjudication" if label.role == "adjudicator" else "opinion"
    return unit_id, give(parts.shop, person, unit_id, slot, sent)


def _answered(parts: ApiParts, unit_id: int, given: Given) -> Answered:
    with parts.database.read() as conn:
        stored = annotation_by_id(conn, given.annotation_id)
    if stored is None:
        raise no_such_answer()
    kept = LabelKept(
        record_id=stored.id,
        event_id=stored.annotation.event_id,
        unit_id=unit_id,
        corrects=stored.replaces,
        recorded_at=stored.created_at,
    )
    return Answered(kept.model_dump(mode="json"), given.repeated)
