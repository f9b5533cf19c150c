"""What adjudicators and those who oversee the reviews do: cases, work for others, the week, the guideline."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter

from sentinel.review.api.models import AssignedOut, AssignmentIn, CaseOut, GuidelineOut, WeekOut
from sentinel.review.api.problems import ProblemError, described
from sentinel.review.api.shared import Adjudicator, ApiParts, Assigner, Measurer, Viewer
from sentinel.review.double_review.adjudicating import cases_to_decide
from sentinel.review.labelling_page.guideline import current_guideline
from sentinel.review.overview.week import week_of
from sentinel.review.queueing.assigning import assign
from sentinel.review.queueing.reviewers import known_reviewers
from sentinel.review.queueing.selection import WorkFilter


def oversight_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of overseeing."""
    router = APIRouter(tags=["oversight"])

    @router.get("/adjudication")
    def cases(person: Adjudicator) -> list[CaseOut]:
        """List the cases that you may decide; decide one with a label of the role adjudicator."""
        with parts.database.read() as conn:
            found = cases_to_decide(conn, person.id)
        return [
            CaseOut.model_validate(
                {
                    "unit_id": one.id,
                    "state": one.state,
                    "answered_at": one.event_time,
                    "app": one.app,
                    "since": one.since,
                    "question": one.question,
                }
            )
            for one in found
        ]

    @router.post("/assignments", responses=described(400))
    def give_out(person: Assigner, body: AssignmentIn) -> AssignedOut:
        """Keep open answers for somebody. The filter is applied when it is written, not before."""
        with parts.database.read() as conn:
            known = {one.id for one in known_reviewers(conn, person)}
        if body.person_id not in known:
            raise ProblemError(422, "person_id is nobody who may label.", "List the people.", reason="person")
        wanted = WorkFilter({str(name): value for name, value in body.slices.items()}, body.reason)
        done = assign(parts.shop, person, body.person_id, wanted, body.most)
        return AssignedOut(given=done.given, left=done.left)

    @router.get("/guideline")
    def guideline(_person: Viewer) -> GuidelineOut:
        """Show the guideline in force."""
        with parts.database.read() as conn:
            found = current_guideline(conn)
        return GuidelineOut(version=found.version, sections=[asdict(section) for section in found.sections])

    @router.get("/overview")
    def overview(_person: Measurer) -> WeekOut:
        """Show the present week: what was drawn and what of it is labelled."""
        with parts.database.read() as conn:
            return WeekOut.model_validate(asdict(week_of(conn, parts.clock.now())))

    return router
