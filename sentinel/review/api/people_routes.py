"""Who you are, who else there is, and what was done."""

from __future__ import annotations

from fastapi import APIRouter

from sentinel.review.api.cursor import cursor_of, row_of
from sentinel.review.api.models import AuditPage, AuditRow, Me, PersonOut, RowId
from sentinel.review.api.shared import ApiParts, Cursor, Limit, Manager, Viewer
from sentinel.review.identity.permission import Action
from sentinel.store.audit import audit_page
from sentinel.store.people import all_people


def people_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of people."""
    router = APIRouter(tags=["people"])

    @router.get("/me")
    def me(person: Viewer) -> Me:
        """Show who you are here and what you may do."""
        may = [action.value for action in Action if person.may(action)]
        return Me(id=person.id, name=person.name, role=person.role.value, may=may)

    @router.get("/people")
    def people(_person: Manager) -> list[PersonOut]:
        """List who may use the workbench, and who was removed."""
        with parts.database.read() as conn:
            found = all_people(conn)
        return [
            PersonOut.model_validate(
                {"id": one.id, "name": one.name, "role": one.role, "removed_at": one.removed_at}
            )
            for one in found
        ]

    @router.get("/audit")
    def audit(
        _person: Manager, unit_id: RowId | None = None, cursor: Cursor = None, limit: Limit = 100
    ) -> AuditPage:
        """Show the audit trail, newest first: who did what, when, to which answer."""
        with parts.database.read() as conn:
            found = audit_page(conn, limit + 1, row_of(cursor), unit_id)
        rows = [
            AuditRow(
                id=one.id,
                recorded_at=one.recorded_at,
                person_id=one.person_id,
                deed=one.deed,
                unit_id=one.unit_id,
                about=one.about,
            )
            for one in found[:limit]
        ]
        return AuditPage(items=rows, next=cursor_of(rows[-1].id) if len(found) > limit else None)

    return router
