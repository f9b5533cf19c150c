"""Cases to decide: which there are, one with its opinions, the draft of a decision."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Response

from sentinel.review.api.draft_models import CaseDetail, CaseOpinion, CasePage, DraftIn, DraftKept, DraftOut
from sentinel.review.api.draft_routes import BaseRevision, draft_kept, saved_from
from sentinel.review.api.models import CaseOut
from sentinel.review.api.problems import described
from sentinel.review.api.shared import Adjudicator, ApiParts, UnitId
from sentinel.review.api.unit_documents import unit_out
from sentinel.review.double_review.adjudicating import (
    Case,
    OpinionView,
    cases_to_decide,
    count_cases,
    decision_proposal,
)
from sentinel.review.double_review.opened_case import keep_case, kept_case, open_case
from sentinel.review.labelling_page.drafting import begin_anew
from sentinel.review.labelling_page.opinions import save
from sentinel.review.labelling_page.page_state import opinion_state
from sentinel.review.refusals import no_such_answer
from sentinel.review.unit_access import unit_by_id


def adjudication_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of adjudication."""
    router = APIRouter(tags=["adjudication"])

    @router.get("/adjudication")
    def cases(person: Adjudicator) -> CasePage:
        """List the cases that you may decide; decide one with a label of the role adjudicator."""
        with parts.database.read() as conn:
            found, total = cases_to_decide(conn, person.id), count_cases(conn, person.id)
        return CasePage(items=[_case(one) for one in found], total=total)

    @router.get("/adjudication/{unit_id}", responses=described(409, 410))
    def case(person: Adjudicator, unit_id: UnitId) -> CaseDetail:
        """Show a case that is kept for you with the opinions on it, without their authors."""
        opened = kept_case(parts.shop, person, unit_id)
        with parts.database.read() as conn:
            stored = unit_by_id(conn, unit_id)
            if stored is None:
                raise no_such_answer()
            proposal = decision_proposal(opened.opinions)
            state = opinion_state(conn, person, opened.unit, "adjudication", proposal)
            shown = unit_out(conn, parts, person, stored)
        return CaseDetail(
            unit=shown,
            opinions=[_opinion(one) for one in opened.opinions],
            notes=list(opened.notes),
            decision=DraftOut.model_validate(state),
        )

    @router.post("/adjudication/{unit_id}/lease", status_code=204, responses=described(409, 410))
    def lease(person: Adjudicator, unit_id: UnitId) -> Response:
        """Keep a case for you, or go on keeping it."""
        keep_case(parts.shop, person, unit_id)
        return Response(status_code=204)

    @router.put("/adjudication/{unit_id}/draft", responses=described(400, 409, 410, 413))
    def keep(person: Adjudicator, unit_id: UnitId, body: DraftIn) -> DraftKept:
        """Keep the draft of a decision on the server, and the case for you."""
        return draft_kept(save(parts.shop, person, unit_id, "adjudication", *saved_from(body)))

    @router.delete("/adjudication/{unit_id}/draft", responses=described(409, 410))
    def anew(person: Adjudicator, unit_id: UnitId, base_revision: BaseRevision) -> DraftKept:
        """Throw the draft of a decision away: what follows begins with what the opinions agree on, again."""
        opened = open_case(parts.shop, person, unit_id)
        proposal = decision_proposal(opened.opinions)
        return draft_kept(
            begin_anew(parts.shop, person, opened.unit, "adjudication", base_revision, proposal)
        )

    return router


def _case(one: Case) -> CaseOut:
    return CaseOut.model_validate(
        {
            "unit_id": one.id,
            "state": one.state,
            "answered_at": one.event_time,
            "app": one.app,
            "since": one.since,
            "question": one.question,
        }
    )


def _opinion(one: OpinionView) -> CaseOpinion:
    said = one.annotation
    return CaseOpinion(
        letter=one.letter,
        answered=said.answered,
        abstention=said.abstention,
        evidence_retrieved=said.evidence_retrieved,
        root_causes=list(said.root_causes),
        claims=[asdict(claim) for claim in said.claims],
        differs=list(one.differs),
        comment=said.comment,
    )
