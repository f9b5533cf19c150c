"""Your queue in its own order, with the counts of its tabs and what it can be filtered by."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from sentinel.review.api.oversight_models import Age, QueueOut, QueueRowOut, Tab, TabOut
from sentinel.review.api.problems import ProblemError
from sentinel.review.api.shared import ApiParts, Limit, Slice, Viewer
from sentinel.review.queue import QueueRow
from sentinel.review.queueing.looking import QueueLook, look_at_queue, place_of
from sentinel.review.queueing.selection import WorkRow


def queue_routes(parts: ApiParts) -> APIRouter:
    """Return the route of the queue."""
    router = APIRouter(tags=["answers"])

    @router.get("/queue")
    def queue(
        person: Viewer,
        tab: Annotated[
            Tab | None, Query(description="Without one, or with one that you do not have, your first.")
        ] = None,
        app: Slice = None,
        workflow: Slice = None,
        task: Slice = None,
        tenant: Slice = None,
        locale: Slice = None,
        reason: Annotated[
            str | None,
            Query(max_length=128, description="Looks at labelled answers, except for who gives out work."),
        ] = None,
        age: Annotated[
            Age | None,
            Query(description="day: since yesterday; week; older: than 7 days; old: than 30 days."),
        ] = None,
        cursor: Annotated[
            str | None, Query(max_length=64, description="`next` of the page before, with the same tab.")
        ] = None,
        limit: Limit = 50,
    ) -> QueueOut:
        """Show a tab of your queue as its page does: rows, counts of all tabs, values to filter by."""
        asked = {"status": tab, "app": app, "workflow": workflow, "task": task, "tenant": tenant}
        asked |= {"locale": locale, "reason": reason, "age": age, "after": cursor}
        query = {name: value for name, value in asked.items() if value}
        with parts.database.read() as conn:
            look = look_at_queue(conn, person, query, limit, parts.clock.now())
        if cursor is not None and place_of(look.tab, cursor) is None:
            message = "cursor is not one that this tab gave out."
            raise ProblemError(422, message, "Begin without a cursor.", reason="cursor")
        return _out(look)

    return router


def _out(look: QueueLook) -> QueueOut:
    return QueueOut(
        tab=look.tab,
        tabs=[TabOut(tab=name, answers=number) for name, _, number in look.tabs],
        shown=look.shown,
        items=[_row(row) for row in look.rows],
        next=look.after,
        slices=dict(look.slices),
        reasons=look.reasons,
    )


def _row(row: WorkRow | QueueRow) -> QueueRowOut:
    return QueueRowOut(
        id=row.id,
        answered_at=row.event_time,
        app=row.app,
        workflow=row.workflow,
        status="open" if isinstance(row, WorkRow) else row.status,
        reserved_for_you=row.mine if isinstance(row, WorkRow) else None,
        question=row.question,
    )
