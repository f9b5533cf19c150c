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


def page_state(
    conn: Connection,
    person: Person,
    view: UnitView,
    slot: str,
    places: Mapping[str, str],
    proposal: Draft | None = None,
) -> str:
    """Return the JSON of a page's beginning.

    The stored draft if there is one, else the person's own label (to be corrected), else `proposal`, else
    the answer as the splitter cuts it. `places` are the addresses the page sends to.
    """
    stored = find_draft(conn, DraftKey(view.id, person.id, slot))
    own = None
    if slot in ("opinion", "adjudication"):
        role = "adjudicator" if slot == "adjudication" else "annotator"
        own = current_annotation(conn, view.event_id, person.id, role)
    document: Mapping[str, Any]
    if stored is not None:
        document = stored.document
    elif own is not None:
        document = draft_document(draft_from(own.annotation))
    else:
        document = draft_document(proposal or first_draft(split_claims(view.answer), _citations(view)))
    state = {
        "draft": document,
        "revision": stored.revision if stored else 0,
        "corrects": own is not None,
        "splitter": SPLITTER_VERSION,
        "places": dict(places),
        "subtypes": list(CLAIM_SUBTYPES),
        "families": {family: list(names) for family, names in FAILURE_FAMILIES.items()},
        "root_causes": list(ROOT_CAUSES),
        "unit": view.id,
        "slot": slot,
    }
    return json.dumps(state, ensure_ascii=False)


def _citations(view: UnitView) -> list[str]:
    return [*view.citations, *view.unresolved]
