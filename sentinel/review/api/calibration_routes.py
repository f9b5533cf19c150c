"""Calibration: batches, an answer of one without its known label, what is said of it, how it went."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path

from sentinel.labelling.trials import Trial
from sentinel.review.api.draft_models import (
    BatchIn,
    BatchOut,
    CoefficientOut,
    DraftIn,
    DraftKept,
    DraftOut,
    TrialAnswerIn,
    TrialGiven,
    TrialOfOther,
    TrialOut,
    TrialPage,
    TrialUnit,
)
from sentinel.review.api.draft_routes import draft_kept, saved_from
from sentinel.review.api.problems import described
from sentinel.review.api.shared import COUNTED, ApiParts, Assigner, Labeller, UnitId
from sentinel.review.api.unit_documents import unit_out
from sentinel.review.calibration.trying import (
    give_trial,
    new_batch,
    open_trial,
    save_trial,
    slot_of,
    trials_seen,
)
from sentinel.review.labelling_page.page_state import opinion_state
from sentinel.review.refusals import no_such_answer
from sentinel.review.unit_access import unit_by_id

Batch = Annotated[str, Path(min_length=1, max_length=60)]
_ITEM = "/calibration/{batch}/{unit_id}"


def calibration_api(parts: ApiParts) -> APIRouter:
    """Return the routes of calibration."""
    router = APIRouter(tags=["calibration"])

    @router.get("/calibration")
    def trials(person: Labeller) -> TrialPage:
        """List your trials and, if you oversee the reviews, those of others that have begun."""
        with parts.database.read() as conn:
            own, others = trials_seen(conn, person)
        return TrialPage(
            yours=[TrialOut(**_trial(one)) for one in own],
            of_others=[TrialOfOther(person_id=who, **_trial(one)) for who, one in others],
        )

    @router.post("/calibration", status_code=201, responses=described(400, 409))
    def make(person: Assigner, body: BatchIn) -> BatchOut:
        """Make a batch of the answers that were agreed on or decided last."""
        name, number = new_batch(parts.shop, person, body.name, body.most)
        return BatchOut(name=name, answers=number)

    @router.get(_ITEM, responses=described(410))
    def item(person: Labeller, batch: Batch, unit_id: UnitId) -> TrialUnit:
        """Show an answer of a batch that you have still to label, without the label that is known."""
        with parts.database.read() as conn:
            view = open_trial(conn, person, batch, unit_id)
            stored = unit_by_id(conn, unit_id)
            if stored is None:
                raise no_such_answer()
            state = opinion_state(conn, person, view, slot_of(batch))
            return TrialUnit(unit=unit_out(conn, parts, person, stored), trial=DraftOut.model_validate(state))

    @router.put(_ITEM + "/draft", responses=described(400, 409, 410, 413))
    def keep(person: Labeller, batch: Batch, unit_id: UnitId, body: DraftIn) -> DraftKept:
        """Keep the draft of a trial on the server."""
        return draft_kept(save_trial(parts.shop, person, batch, unit_id, *saved_from(body)))

    @router.post(_ITEM + "/answer", dependencies=COUNTED, responses=described(400, 409, 410, 413))
    def answer(person: Labeller, batch: Batch, unit_id: UnitId, body: TrialAnswerIn) -> TrialGiven:
        """Say what you think of an answer of a batch, once."""
        document = body.draft.model_dump()
        following = give_trial(parts.shop, person, batch, unit_id, document, body.base_revision)
        return TrialGiven(next_unit=following)

    return router


def _trial(one: Trial) -> dict[str, Any]:
    """A trial; how it went is told when the batch is done, as on its page."""
    is_told = one.is_done and one.items > 0
    return {
        "batch": one.batch,
        "answers": one.items,
        "answered": one.answered,
        "next_unit": one.next_unit,
        "equal": one.equal if is_told else None,
        "claims": None if one.claims is None else CoefficientOut(**asdict(one.claims)),
    }
