"""The queue and single answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import AwareDatetime
from starlette.responses import StreamingResponse

from sentinel.review.api.cursor import cursor_of, row_of
from sentinel.review.api.models import LabelOut, Status, UnitHistory, UnitOut, UnitPage, UnitRow
from sentinel.review.api.problems import ProblemError
from sentinel.review.api.shared import (
    ApiParts,
    Cursor,
    Exporter,
    Limit,
    Slice,
    UnitId,
    Viewer,
    label_out,
    no_such_answer,
)
from sentinel.review.api.unit_documents import history_out, status_of, unit_out
from sentinel.review.api.unit_files import unit_csv, unit_lines, unit_tasks
from sentinel.review.api.unit_pages import unit_page
from sentinel.review.blindness import Review, review_of, reviews_of
from sentinel.review.identity.permission import Person
from sentinel.review.overview.history import history_seen
from sentinel.review.queue import QueueFilter
from sentinel.review.queueing.selection import WorkFilter, beginning
from sentinel.review.unit_access import unit_by_id
from sentinel.store.audit import record_deed
from sentinel.store.unit_rows import StoredUnit

Form = Literal["jsonl", "csv", "label-studio"]
MEDIA_TYPES: dict[Form, str] = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "label-studio": "application/json",
}
#: What a download is described as.
FILES: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {kind: {} for kind in MEDIA_TYPES.values()}}
}


def unit_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of drawn answers."""
    router = APIRouter(tags=["answers"])

    @router.get("/units")
    def queue(
        person: Viewer,
        status: Annotated[
            Status | None, Query(description="Whoever only labels sees as labelled what they labelled.")
        ] = None,
        app: Slice = None,
        reason: Annotated[
            str | None,
            Query(max_length=128, description="Looks at labelled answers; not for who only labels."),
        ] = None,
        answered_from: AwareDatetime | None = None,
        answered_before: AwareDatetime | None = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> UnitPage:
        """List drawn answers in order of their time."""
        if reason is not None and person.is_blind:
            raise ProblemError(403, "Why answers were drawn is not shown to who labels them.", reason="blind")
        own = person.id if status == "labelled" and person.is_blind else None
        work = WorkFilter(answered_after=answered_from, answered_before=answered_before)
        # To who labels blind an answer without an own label is pending, labelled by others or not.
        known = None if person.is_blind and status == "pending" else status
        wanted = QueueFilter(known, app, reason, labelled_by=own, work=work)
        with parts.database.read() as conn:
            found = unit_page(conn, wanted, limit + 1, row_of(cursor))
            reviews = reviews_of(conn, [one.unit.facts.event_id for one in found], person)
        more = len(found) > limit
        rows = [_row(stored, reviews[stored.unit.facts.event_id], person) for stored in found[:limit]]
        shown = [row for row in rows if status is None or row.status == status]
        return UnitPage(items=shown, next=cursor_of(rows[-1].id) if more else None)

    @router.get("/units/export", response_class=StreamingResponse, responses=FILES)
    def export(
        person: Exporter,
        format: Form = "jsonl",  # noqa: A002 - the name of the query parameter
        status: Status | None = None,
        app: Slice = None,
        answered_from: AwareDatetime | None = None,
        answered_before: AwareDatetime | None = None,
    ) -> StreamingResponse:
        """Take answers out as a file. Why they were drawn is left out while you may label them."""
        if status is not None and person.is_blind:
            raise ProblemError(403, "Whether others labelled an answer is not shown.", reason="blind")
        work = WorkFilter(answered_after=answered_from, answered_before=answered_before)
        wanted = QueueFilter(status, app, work=work)
        with parts.database.begin() as conn:
            record_deed(conn, person.id, "answers_exported", parts.clock.now(), about=format)
        if format == "label-studio":
            lines = unit_tasks(parts.database, wanted)
        else:
            lines = (unit_csv if format == "csv" else unit_lines)(parts.database, wanted, person)
        return download(lines, "units", format)

    @router.get("/units/{unit_id}")
    def unit(person: Viewer, unit_id: UnitId) -> UnitOut:
        """Show one answer beside its evidence, redacted."""
        parts.redaction.prepare()
        with parts.database.read() as conn:
            return unit_out(conn, parts, person, _found(unit_by_id(conn, unit_id)))

    @router.get("/units/{unit_id}/labels")
    def labels(person: Viewer, unit_id: UnitId) -> list[LabelOut]:
        """Show what was said of an answer: your own opinion, and others' once you can give none any more."""
        with parts.database.read() as conn:
            stored = _found(unit_by_id(conn, unit_id))
            review = review_of(conn, stored.unit.facts.event_id, person)
        return [label_out(one) for one in review.seen(person)]

    @router.get("/units/{unit_id}/history")
    def history(person: Viewer, unit_id: UnitId) -> UnitHistory:
        """Show why an answer was drawn and who said what, once the labels are in."""
        with parts.database.read() as conn:
            return history_out(history_seen(conn, person, unit_id))

    return router


def download(lines: object, name: str, form: Form) -> StreamingResponse:
    """Return a file that is sent as it is read."""
    ending = {"jsonl": "jsonl", "csv": "csv", "label-studio": "json"}[form]
    headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"'}
    return StreamingResponse(lines, media_type=MEDIA_TYPES[form], headers=headers)  # type: ignore[arg-type]


def _found(stored: StoredUnit | None) -> StoredUnit:
    if stored is None:
        raise no_such_answer()
    return stored


def _row(stored: StoredUnit, review: Review, person: Person) -> UnitRow:
    facts = stored.unit.facts
    return UnitRow(
        id=stored.id,
        event_id=facts.event_id,
        answered_at=facts.event_time,
        app=facts.domains.get("app", ""),
        workflow=facts.domains.get("workflow", ""),
        status=status_of(stored, review, person),
        question=beginning(stored.content),
    )
