"""What those who oversee the reviews do: work for others, the week, the guideline."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from sentinel.review.api.oversight_models import (
    Age,
    AssignableOut,
    AssignedOut,
    AssignmentIn,
    GuidelineIn,
    GuidelineKept,
    GuidelineOut,
    ReviewerOut,
    WeekOut,
)
from sentinel.review.api.problems import ProblemError, described
from sentinel.review.api.shared import ApiParts, Assigner, Manager, Slice, Viewer
from sentinel.review.labelling_page.guideline import guideline_seen
from sentinel.review.labelling_page.new_guideline import LONGEST_NAME, put_in_force
from sentinel.review.overview.week import week_seen
from sentinel.review.queue import known_slices
from sentinel.review.queueing.asked import work_filter
from sentinel.review.queueing.assigning import assign
from sentinel.review.queueing.reviewers import known_reviewers, open_reasons
from sentinel.review.queueing.selection import count_unreserved
from sentinel.store.reports import report_page
from sentinel.store.shifts import active_alarms


def oversight_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of overseeing."""
    router = APIRouter(tags=["oversight"])

    @router.get("/assignments")
    def assignable(
        person: Assigner,
        app: Slice = None,
        workflow: Slice = None,
        task: Slice = None,
        tenant: Slice = None,
        locale: Slice = None,
        reason: Annotated[str | None, Query(max_length=128)] = None,
        age: Age | None = None,
    ) -> AssignableOut:
        """Show how many open answers a filter leaves, and who can be given them."""
        asked = {"app": app, "workflow": workflow, "task": task, "tenant": tenant, "locale": locale}
        asked |= {"reason": reason, "age": age}
        now = parts.clock.now()
        wanted = work_filter({name: value for name, value in asked.items() if value}, now, person)
        with parts.database.read() as conn:
            return AssignableOut(
                open=count_unreserved(conn, wanted, now),
                people=[ReviewerOut(id=one.id, name=one.name) for one in known_reviewers(conn, person)],
                slices=known_slices(conn),
                reasons=open_reasons(conn),
            )

    @router.post("/assignments", responses=described(400))
    def give_out(person: Assigner, body: AssignmentIn) -> AssignedOut:
        """Keep open answers for somebody. The filter is applied when it is written, not before."""
        with parts.database.read() as conn:
            known = {one.id for one in known_reviewers(conn, person)}
        if body.person_id not in known:
            raise ProblemError(
                422, "person_id is nobody who may label.", "GET /assignments lists who may.", reason="person"
            )
        asked = {str(name): value for name, value in body.slices.items()}
        asked |= {"reason": body.reason or "", "age": body.age or ""}
        wanted = work_filter(asked, parts.clock.now(), person)
        done = assign(parts.shop, person, body.person_id, wanted, body.most)
        return AssignedOut(given=done.given, left=done.left)

    @router.get("/guideline")
    def guideline(
        _person: Viewer, version: Annotated[str, Query(max_length=LONGEST_NAME)] = ""
    ) -> GuidelineOut:
        """Show a version of the guideline, the one in force without a name."""
        with parts.database.read() as conn:
            found, versions, _ = guideline_seen(conn, version)
        sections = [asdict(section) for section in found.sections]
        return GuidelineOut(version=found.version, sections=sections, versions=versions)

    @router.post("/guideline", status_code=201, responses=described(400, 409))
    def new_guideline(person: Manager, body: GuidelineIn) -> GuidelineKept:
        """Put a new version of the guideline in force; versions never change."""
        return GuidelineKept(version=put_in_force(parts.shop, person, body.version, body.text))

    @router.get("/overview")
    def overview(person: Viewer) -> WeekOut:
        """Show the present week: what was drawn and, as far as you may know it, what of it is labelled."""
        budget, per = parts.shop.budget or (None, None)
        with parts.database.read() as conn:
            week = asdict(week_seen(conn, person, parts.clock.now()))
            week["active_alarms"] = [alarm.id for alarm in active_alarms(conn)]
            week["last_report"] = next((one.id for one in report_page(conn, 1)), None)
        return WeekOut.model_validate(week | {"budget": budget, "budget_per": per})

    return router
