"""What the labelling page's script begins with: the draft, what may be chosen, where to send it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from sentinel.labelling.claim_splitter import SPLITTER_VERSION, split_claims
from sentinel.labelling.draft import Draft, draft_document, draft_from, first_draft
from sentinel.labelling.taxonomy import CLAIM_SUBTYPES, FAILURE_FAMILIES, ROOT_CAUSES
from sentinel.review.identity.permission import Person
from sentinel.review.unit_view import UnitView
from sentinel.store.annotations import current_annotation
from sentinel.store.drafts import DraftKey, find_draft


def opinion_state(
    conn: Connection, person: Person, view: UnitView, slot: str, proposal: Draft | None = None
) -> dict[str, Any]:
    """Return what an opinion goes on from: its draft, the revision, whether it corrects one's own label.

    The stored draft if there is one, else as `beginning_of` says.
    """
    stored = find_draft(conn, DraftKey(view.id, person.id, slot))
    document, corrects = beginning_of(conn, person, view, slot, proposal)
    return {
        "draft": document if stored is None else stored.document,
        "revision": stored.revision if stored else 0,
        "corrects": corrects,
        "splitter": SPLITTER_VERSION,
        "subtypes": list(CLAIM_SUBTYPES),
        "families": {family: list(names) for family, names in FAILURE_FAMILIES.items()},
        "root_causes": list(ROOT_CAUSES),
    }


def beginning_of(
    conn: Connection, person: Person, view: UnitView, slot: str, proposal: Draft | None = None
) -> tuple[Mapping[str, Any], bool]:
    """Return the draft that nothing was written in yet, and whether it corrects the person's own label.

    Their label if they gave one, else `proposal`, else the answer as the splitter cuts it.
    """
    own = None
    if slot in ("opinion", "adjudication"):
        role = "adjudicator" if slot == "adjudication" else "annotator"
        own = current_annotation(conn, view.event_id, person.id, role)
    if own is not None:
        return draft_document(draft_from(own.annotation)), True
    return draft_document(proposal or first_draft(split_claims(view.answer), _citations(view))), False


def page_state(
    conn: Connection,
    person: Person,
    view: UnitView,
    slot: str,
    places: Mapping[str, str],
    proposal: Draft | None = None,
) -> str:
    """Return the JSON of a page's beginning. `places` are the addresses the page sends to."""
    state = opinion_state(conn, person, view, slot, proposal)
    state |= {"places": dict(places), "unit": view.id, "slot": slot}
    return json.dumps(state, ensure_ascii=False)


def _citations(view: UnitView) -> list[str]:
    return [*view.citations, *view.unresolved]
