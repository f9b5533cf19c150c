"""What an opinion goes on from, asked for without a page, and a draft that is thrown away."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from sentinel.labelling.draft import Draft
from sentinel.review.identity.permission import Person
from sentinel.review.labelling_page.opinions import Slot, save
from sentinel.review.labelling_page.page_state import beginning_of, opinion_state
from sentinel.review.labelling_page.standing import standing_of
from sentinel.review.refusals import RefusedError, no_such_answer, without_content
from sentinel.review.unit_access import unit_by_id
from sentinel.review.unit_view import UnitView, unit_view
from sentinel.review.workshop import Workshop
from sentinel.store.drafts import Saved


def draft_of_opinion(shop: Workshop, conn: Connection, person: Person, unit_id: int) -> dict[str, Any]:
    """Return what a person's opinion on an answer goes on from, as the labelling page begins with it.

    Raises:
        RefusedError: `not_found`, `gone`, or `closed`: they can give none now, and the page shows no draft.
    """
    stored = unit_by_id(conn, unit_id)
    if stored is None:
        raise no_such_answer()
    if stored.content is None:
        raise without_content()
    if not standing_of(conn, person, stored, shop.clock.now()).may_label:
        raise RefusedError("closed", "This answer is not open to you: a draft of yours is kept.")
    return opinion_state(conn, person, unit_view(stored), "opinion")


def begin_anew(
    shop: Workshop,
    person: Person,
    view: UnitView,
    slot: Slot,
    base_revision: int,
    proposal: Draft | None = None,
) -> Saved:
    """Put what nothing was written in yet in the place of a draft.

    Revisions go on: a page that still holds what was thrown away meets a conflict and overwrites nothing.

    Raises:
        RefusedError: as `save` does.
    """
    with shop.database.read() as conn:
        beginning, _ = beginning_of(conn, person, view, slot, proposal)
    return save(shop, person, view.id, slot, base_revision, f"anew-{base_revision}", beginning, 0.0)
