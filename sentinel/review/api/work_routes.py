"""Work on answers: take the next one, keep it, give it back, hand it on, point at personal data."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from sentinel.review.api.models import LeaseOut, LeftOver, NextUnit, Reason, RemovedOut
from sentinel.review.api.oversight_models import Age
from sentinel.review.api.problems import described
from sentinel.review.api.shared import COUNTED, ApiParts, Labeller, Slice, UnitId
from sentinel.review.labelling_page.leftover_data import remove_left_over
from sentinel.review.labelling_page.reserving import escalate, keep_open, skip, take_next
from sentinel.review.queueing.asked import work_filter


def work_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of work on answers."""
    router = APIRouter(tags=["work"])

    @router.post("/units/next", responses=described(409))
    def take(
        person: Labeller,
        app: Slice = None,
        workflow: Slice = None,
        task: Slice = None,
        tenant: Slice = None,
        locale: Slice = None,
        reason: Annotated[
            str | None, Query(max_length=128, description="Of no effect for who gives out no work.")
        ] = None,
        age: Age | None = None,
    ) -> NextUnit:
        """Reserve the next answer of your queue; `unit_id` is null where nothing is left."""
        parts.redaction.prepare()
        asked = {"app": app, "workflow": workflow, "task": task, "tenant": tenant, "locale": locale}
        asked |= {"reason": reason, "age": age}
        query = {name: value for name, value in asked.items() if value}
        return NextUnit(unit_id=take_next(parts.shop, person, work_filter(query, parts.clock.now(), person)))

    @router.post("/units/{unit_id}/lease", responses=described(409, 410))
    def lease(person: Labeller, unit_id: UnitId) -> LeaseOut:
        """Reserve an answer for you, or go on reserving it."""
        held = keep_open(parts.shop, person, unit_id)
        return LeaseOut(unit_id=unit_id, expires_at=None if held is None else held.expires_at)

    @router.post("/units/{unit_id}/skip", status_code=204, responses=described(400, 409))
    def give_back(person: Labeller, unit_id: UnitId, body: Reason) -> Response:
        """Give an answer back; it is not offered to you for a while."""
        skip(parts.shop, person, unit_id, body.reason)
        return Response(status_code=204)

    @router.post("/units/{unit_id}/escalate", status_code=204, responses=described(400, 409, 410))
    def hand_on(person: Labeller, unit_id: UnitId, body: Reason) -> Response:
        """Hand an answer to the adjudicators instead of labelling it."""
        escalate(parts.shop, person, unit_id, body.reason)
        return Response(status_code=204)

    @router.post("/units/{unit_id}/personal-data", dependencies=COUNTED, responses=described(400, 409, 410))
    def flag(person: Labeller, unit_id: UnitId, body: LeftOver) -> RemovedOut:
        """Point at personal data that was left over: it is replaced wherever it stands in the answer."""
        removed = remove_left_over(parts.shop, person, unit_id, body.words, body.kind)
        return RemovedOut(in_answer=removed.in_answer, in_labels=removed.in_labels)

    return router
