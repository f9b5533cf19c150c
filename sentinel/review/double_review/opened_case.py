"""A case as an adjudicator has it open: kept for them, with the opinions side by side."""

from __future__ import annotations

from dataclasses import dataclass, field

from sentinel.review.double_review.adjudicating import OpinionView, escalation_notes, opinions_of
from sentinel.review.identity.permission import Person
from sentinel.review.labelling_page.opinions import entitle_adjudicator, require_kept_case
from sentinel.review.refusals import no_such_answer
from sentinel.review.unit_access import at_hand, unit_by_id
from sentinel.review.unit_view import UnitView, unit_view
from sentinel.review.workshop import Workshop


@dataclass(frozen=True, slots=True)
class OpenedCase:
    """A case with the opinions on it, without their authors, and why people handed it on."""

    unit: UnitView
    opinions: tuple[OpinionView, ...] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)


def keep_case(shop: Workshop, person: Person, unit_id: int) -> None:
    """Keep a case for an adjudicator; raises RefusedError as `entitle_adjudicator` does."""
    with shop.database.begin() as conn:
        entitle_adjudicator(conn, shop, person, at_hand(conn, unit_id, lock=True))


def open_case(shop: Workshop, person: Person, unit_id: int) -> OpenedCase:
    """Keep a case for an adjudicator and return it: whoever may not decide does not get to see the opinions.

    Raises:
        RefusedError: as `entitle_adjudicator` does.
    """
    keep_case(shop, person, unit_id)
    return kept_case(shop, person, unit_id)


def kept_case(shop: Workshop, person: Person, unit_id: int) -> OpenedCase:
    """Return a case that is kept for an adjudicator, or that they decided; nothing is written.

    Raises:
        RefusedError: as `require_kept_case` does.
    """
    with shop.database.read() as conn:
        require_kept_case(conn, shop, person, at_hand(conn, unit_id))
        stored = unit_by_id(conn, unit_id)
        if stored is None:
            raise no_such_answer()
        view = unit_view(stored)
        return OpenedCase(view, opinions_of(conn, view.event_id), escalation_notes(conn, view.id))
