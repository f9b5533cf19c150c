"""Drafts of your opinions: read, saved with the revision they build on, begun anew."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from sentinel.review.api.draft_models import DraftIn, DraftKept, DraftOut, Revision
from sentinel.review.api.problems import described
from sentinel.review.api.shared import ApiParts, Labeller, UnitId
from sentinel.review.labelling_page.drafting import begin_anew, draft_of_opinion
from sentinel.review.labelling_page.opinions import missing_words, save
from sentinel.review.refusals import no_such_answer
from sentinel.review.unit_access import unit_by_id
from sentinel.review.unit_view import UnitView, unit_view
from sentinel.store.drafts import Saved

BaseRevision = Annotated[Revision, Query(description="The revision to throw away.")]


def draft_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of drafts."""
    router = APIRouter(tags=["work"])

    @router.get("/units/{unit_id}/draft", responses=described(409, 410))
    def draft(person: Labeller, unit_id: UnitId) -> DraftOut:
        """Show what your opinion on an answer goes on from."""
        parts.redaction.prepare()
        with parts.database.read() as conn:
            return DraftOut.model_validate(draft_of_opinion(parts.shop, conn, person, unit_id))

    @router.put("/units/{unit_id}/draft", responses=described(400, 409, 410, 413))
    def keep(person: Labeller, unit_id: UnitId, body: DraftIn) -> DraftKept:
        """Keep a draft on the server, and the answer reserved for you."""
        return draft_kept(save(parts.shop, person, unit_id, "opinion", *saved_from(body)))

    @router.delete("/units/{unit_id}/draft", responses=described(409, 410))
    def anew(person: Labeller, unit_id: UnitId, base_revision: BaseRevision) -> DraftKept:
        """Throw your draft away: what follows begins with the proposed claims, or your label, again."""
        view = view_of(parts, unit_id)
        return draft_kept(begin_anew(parts.shop, person, view, "opinion", base_revision))

    return router


def saved_from(body: DraftIn) -> tuple[int, str, dict[str, object], float]:
    """Return base revision, save id, draft and seconds of a request to keep a draft."""
    return body.base_revision, body.save_id, body.draft.model_dump(), body.seconds


def draft_kept(saved: Saved) -> DraftKept:
    """Return what was stored."""
    return DraftKept(revision=saved.draft.revision, missing=missing_words(saved.draft.document))


def view_of(parts: ApiParts, unit_id: int) -> UnitView:
    """Return an answer; raises RefusedError, `not_found`."""
    with parts.database.read() as conn:
        stored = unit_by_id(conn, unit_id)
    if stored is None:
        raise no_such_answer()
    return unit_view(stored)
