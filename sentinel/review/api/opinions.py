"""An opinion given through the API: checked, freed of personal data, written once."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.errors import DeadLetterError
from sentinel.labelling.adjudication import derive
from sentinel.labelling.label_line import parse_label_line
from sentinel.records import Annotation
from sentinel.review.api.models import LabelIn, LabelKept
from sentinel.review.api.problems import ProblemError
from sentinel.review.api.shared import ApiParts, no_such_answer
from sentinel.review.identity.permission import Action, Person
from sentinel.review.label_import import keep_label
from sentinel.store.annotations import StoredAnnotation, annotations_of_event
from sentinel.store.audit import record_deed
from sentinel.store.columns import stored_event_id
from sentinel.store.kept_answers import KeptAnswer, forget_answers, keep_answer, kept_answer
from sentinel.store.schema import units
from sentinel.store.units import set_status

#: Opinions an answer gets before an adjudicator is asked.
_OPINIONS = 2


@dataclass(frozen=True, slots=True)
class Given:
    """What is answered to an opinion; `is_repeated`: it was answered before and nothing was done now."""

    body: dict[str, Any]
    is_repeated: bool


def give_opinion(parts: ApiParts, person: Person, label: LabelIn, key: str | None) -> Given:
    """Write an opinion and return what to answer; the same key and label again: the same answer.

    Raises:
        ProblemError: 403, 404, 409 or 422, with the rule as reason.
    """
    request_hash = _hash_of(label)
    if key is not None:
        with parts.database.read() as conn:
            repeated = _repeated(conn, person, key, request_hash)
        if repeated is not None:
            return repeated
    annotation = _redacted(parts, _annotation(person, label))
    with parts.database.begin() as conn:
        if key is not None:
            repeated = _repeated(conn, person, key, request_hash)
            if repeated is not None:
                return repeated
        body = _written(conn, parts, person, annotation)
        if key is not None:
            now = parts.clock.now()
            forget_answers(conn, now - timedelta(days=parts.params.kept_answer_days))
            if not keep_answer(conn, person.id, key, KeptAnswer(request_hash, 201, body), now):
                # The same request at the same moment, in another process: all of this one is undone.
                raise ProblemError(
                    409, "A request with this key is under way.", "Send it again.", reason="under_way"
                )
    return Given(body, is_repeated=False)


def _repeated(conn: Connection, person: Person, key: str, request_hash: str) -> Given | None:
    kept = kept_answer(conn, person.id, key)
    if kept is None:
        return None
    if kept.request_hash != request_hash:
        raise ProblemError(
            422,
            "This Idempotency-Key was used for another label.",
            "Use a new key for each label.",
            reason="key_reused",
        )
    return Given(dict(kept.body), is_repeated=True)


def _hash_of(label: LabelIn) -> str:
    document = json.dumps(label.model_dump(), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(document.encode()).hexdigest()


def _annotation(person: Person, label: LabelIn) -> Annotation:
    if label.role == "adjudicator" and not person.may(Action.ADJUDICATE):
        raise ProblemError(403, "Your role does not decide disagreements.", reason="role")
    line = json.dumps(label.model_dump() | {"annotator": person.id})
    try:
        return parse_label_line(line.encode()).annotation
    except DeadLetterError as error:
        raise ProblemError(422, error.detail, reason=error.reason) from None


def _redacted(parts: ApiParts, annotation: Annotation) -> Annotation:
    (redacted,) = parts.redaction.annotations([annotation])
    if isinstance(redacted, DeadLetterError):
        status = 503 if redacted.reason == "redaction_failed" else 422
        raise ProblemError(status, redacted.detail, reason=redacted.reason)
    return redacted


def _written(conn: Connection, parts: ApiParts, person: Person, annotation: Annotation) -> dict[str, Any]:
    # The row's lock has opinions on one answer come one after the other.
    query = sa.select(units.c.id, units.c.status).where(
        units.c.event_id == stored_event_id(annotation.event_id)
    )
    unit = conn.execute(query.with_for_update()).one_or_none()
    if unit is None:
        raise no_such_answer()
    if unit.status in ("lost", "purged"):
        raise ProblemError(
            409, "The content of this answer is not kept, so it cannot be labelled.", reason="no_content"
        )
    _check_may_submit(person, annotation, annotations_of_event(conn, annotation.event_id))
    now = parts.clock.now()
    try:
        kept = keep_label(conn, annotation, now, in_sample=True)
    except DeadLetterError as error:
        raise ProblemError(409, error.detail, reason=error.reason) from None
    set_status(conn, [annotation.event_id], "labelled")
    deed = "corrected" if kept.corrects else "labelled"
    if annotation.role == "adjudicator":
        deed = "adjudicated"
    record_deed(conn, person.id, deed, now, unit_id=unit.id, about=f"label {kept.stored.id}")
    answer = LabelKept(
        record_id=kept.stored.id,
        event_id=kept.stored.annotation.event_id,
        unit_id=unit.id,
        corrects=kept.stored.replaces,
        recorded_at=kept.stored.created_at,
    )
    return answer.model_dump(mode="json")


def _check_may_submit(person: Person, annotation: Annotation, opinions: tuple[StoredAnnotation, ...]) -> None:
    """Raise ProblemError where the person may not say this of an answer: the server decides, not the page."""
    annotators = {one.annotation.annotator for one in opinions if one.annotation.role == "annotator"}
    if annotation.role == "adjudicator":
        label = derive(opinions)
        is_own = any(
            one.annotation.annotator == person.id and one.annotation.role == "adjudicator" for one in opinions
        )
        if person.id in annotators:
            raise ProblemError(409, "You gave one of the opinions yourself.", reason="own_opinion")
        if not is_own and (len(annotators) < _OPINIONS or label is None or label.final):
            raise ProblemError(409, "There is no disagreement to decide.", reason="no_disagreement")
    elif person.id not in annotators and len(annotators) >= _OPINIONS:
        raise ProblemError(
            409, "This answer has all the opinions it needs.", "Take the next one.", reason="enough_opinions"
        )
