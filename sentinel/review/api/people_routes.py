"""Who you are, who else there is, their tokens, and what was done."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from sentinel.review.api.cursor import cursor_of, row_of
from sentinel.review.api.models import RowId
from sentinel.review.api.people_models import (
    AuditPage,
    AuditRow,
    Me,
    PersonIn,
    PersonListed,
    RoleIn,
    TokenIn,
    TokenMade,
)
from sentinel.review.api.problems import described
from sentinel.review.api.shared import COUNTED, ApiParts, Cursor, Limit, Manager, UnitId, Viewer
from sentinel.review.identity.permission import Action
from sentinel.review.people import managing
from sentinel.review.people.acting import acting
from sentinel.review.people.listing import PersonView, people_listed, person_listed
from sentinel.review.people.managing import MadeToken
from sentinel.store.audit import audit_page

PersonId = Annotated[str, Path(min_length=1, max_length=128)]
Sure = Annotated[bool, Query(description="You mean it, although it ends what you act by now.")]


def people_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of people."""
    router = APIRouter(tags=["people"])

    @router.get("/me")
    def me(person: Viewer) -> Me:
        """Show who you are here and what you may do."""
        may = [action.value for action in Action if person.may(action)]
        return Me(id=person.id, name=person.name, role=person.role.value, may=may)

    @router.get("/people")
    def people(_person: Manager) -> list[PersonListed]:
        """List who may use the workbench, and who was removed, with their tokens."""
        with parts.database.read() as conn:
            return [_listed(one) for one in people_listed(conn, parts.clock.now())]

    @router.post("/people", status_code=201, dependencies=COUNTED, responses=described(400, 409))
    def add(request: Request, person: Manager, body: PersonIn) -> TokenMade:
        """Add somebody and make their first token, which is shown this once."""
        days = body.days or parts.access.token_days
        with parts.database.begin() as conn:
            made = managing.add(conn, acting(parts.shop, request, person), body.name, body.role, days)
        return _made(made)

    @router.get("/people/{person_id}")
    def one(_person: Manager, person_id: PersonId) -> PersonListed:
        """Show somebody with their tokens."""
        with parts.database.read() as conn:
            return _listed(person_listed(conn, person_id, parts.clock.now()))

    @router.post(
        "/people/{person_id}/tokens", status_code=201, dependencies=COUNTED, responses=described(400, 409)
    )
    def new_token(request: Request, person: Manager, person_id: PersonId, body: TokenIn) -> TokenMade:
        """Make a further token for somebody, shown this once; the ones before stay valid."""
        days = body.days or parts.access.token_days
        with parts.database.begin() as conn:
            made = managing.make_token(conn, acting(parts.shop, request, person), person_id, days)
        return _made(made)

    @router.delete("/people/{person_id}/tokens/{token_id}", status_code=204, responses=described(409))
    def revoke(
        request: Request, person: Manager, person_id: PersonId, token_id: UnitId, sure: Sure = False
    ) -> Response:
        """End a token at once, with its sessions; never the last with which an admin could sign in."""
        with parts.database.begin() as conn:
            by = acting(parts.shop, request, person, is_sure=sure)
            managing.revoke(conn, by, token_id, of=person_id)
        return Response(status_code=204)

    @router.put("/people/{person_id}/role", status_code=204, responses=described(400, 409))
    def role(
        request: Request, person: Manager, person_id: PersonId, body: RoleIn, sure: Sure = False
    ) -> Response:
        """Give somebody another role, at once."""
        with parts.database.begin() as conn:
            managing.change_role(
                conn, acting(parts.shop, request, person, is_sure=sure), person_id, body.role
            )
        return Response(status_code=204)

    @router.delete("/people/{person_id}", status_code=204, responses=described(409))
    def remove(request: Request, person: Manager, person_id: PersonId, sure: Sure = False) -> Response:
        """End somebody's access, at once and for good; their labels stay."""
        with parts.database.begin() as conn:
            managing.remove(conn, acting(parts.shop, request, person, is_sure=sure), person_id)
        return Response(status_code=204)

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


def _listed(one: PersonView) -> PersonListed:
    tokens = [asdict(token) for token in one.tokens]
    return PersonListed.model_validate(asdict(one) | {"tokens": tokens})


def _made(made: MadeToken) -> TokenMade:
    return TokenMade(
        id=made.id,
        person_id=made.person.id,
        prefix=f"sentinel_{made.prefix}",
        expires_at=made.expires_at,
        token=made.text,
    )
