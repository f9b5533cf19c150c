"""A new version of the guideline is put in force, by page or API; versions never change."""

from __future__ import annotations

from sentinel.review.identity.permission import Person
from sentinel.review.labelling_page.guideline import BUILT_IN_VERSION, guideline_document
from sentinel.review.refusals import RefusedError
from sentinel.review.workshop import Workshop
from sentinel.store.audit import record_deed
from sentinel.store.guidelines import save_guideline

LONGEST_NAME = 100
LONGEST_TEXT = 100_000


def put_in_force(shop: Workshop, person: Person, version: str, text: str) -> str:
    """Store a version, which is in force from now on; return its name as it is kept.

    Raises:
        RefusedError: `invalid` name or text, `taken`.
    """
    name = version.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise RefusedError("invalid", "Give the version a short name.", 422)
    if not text.strip() or len(text) > LONGEST_TEXT:
        raise RefusedError("invalid", f"A guideline has between 1 and {LONGEST_TEXT:,} characters.", 422)
    clean_name, clean = shop.writing().clean([name, text])
    now = shop.clock.now()
    with shop.database.begin() as conn:
        is_new = clean_name != BUILT_IN_VERSION and save_guideline(
            conn, clean_name, guideline_document(clean), person.id, now
        )
        if is_new:
            record_deed(conn, person.id, "guideline_put_in_force", now, about=clean_name)
    if not is_new:
        raise RefusedError("taken", "There is a version of this name already; versions never change.")
    return clean_name
