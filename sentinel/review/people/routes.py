"""The pages on which admins look after people: who there is, one person, their tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from starlette.responses import RedirectResponse

from sentinel.review.identity.limits import counted_submit
from sentinel.review.identity.params import ROLE_NAMES
from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.pages import page
from sentinel.review.people import managing
from sentinel.review.people.acting import acting
from sentinel.review.people.listing import people_listed, person_listed, soon_without_admin
from sentinel.review.people.managing import MadeToken
from sentinel.review.refusals import RefusedError
from sentinel.review.workshop import Workshop

Manager = Annotated[Person, Depends(allowed(Action.MANAGE))]
Text = Annotated[str, Form()]
#: What is said of a change that was made.
_DONE = {
    "role": "The role was changed.",
    "token": "The token was revoked.",
    "removed": "Their access has ended.",
}
COUNTED = [Depends(counted_submit)]


def people_pages(shop: Workshop) -> APIRouter:
    """Return the routes of the pages of people."""
    router = APIRouter(include_in_schema=False)

    def list_page(
        request: Request, made: MadeToken | None = None, error: RefusedError | None = None, **kept: str
    ) -> Response:
        now = shop.clock.now()
        with shop.database.read() as conn:
            found = people_listed(conn, now)
        vouched = shop.params.access.is_vouched_for
        return page(
            "people.html",
            error.status if error else 200,
            request=request,
            people=[one for one in found if one.removed_at is None],
            removed=[one for one in found if one.removed_at is not None],
            ending=None if vouched else soon_without_admin(found, now),
            is_vouched=vouched,
            roles=ROLE_NAMES,
            days=shop.params.access.token_days,
            made=made,
            problem=None if error is None else str(error),
            kept=kept,
        )

    def person_page(
        request: Request,
        person_id: str,
        made: MadeToken | None = None,
        error: RefusedError | None = None,
        ask: dict[str, str] | None = None,
    ) -> Response:
        with shop.database.read() as conn:
            found = person_listed(conn, person_id, shop.clock.now())
        access = shop.params.access
        return page(
            "person.html",
            error.status if error else 200,
            request=request,
            one=found,
            roles=ROLE_NAMES,
            role_follows=bool(access.proxy.role_header or access.oidc.role_claim),
            days=access.token_days,
            own_token=request.state.who.token_id,
            made=made,
            problem=None if error is None else str(error),
            ask=ask,
            done=_DONE.get(request.query_params.get("done", "")),
        )

    def changed(
        request: Request, person_id: str, done: str, change: Callable[[], None], ask: dict[str, str]
    ) -> Response:
        """Make a change and go back to the person; a refusal is shown there, with a way on."""
        try:
            change()
        except RefusedError as error:
            if error.code in ("person", "token"):
                raise
            return person_page(request, person_id, error=error, ask=ask if error.code == "yourself" else None)
        is_own = request.state.person.id == person_id and done != "token"
        return RedirectResponse("/" if is_own else f"/people/{person_id}?done={done}", 303)

    @router.get("/people")
    def people(request: Request, _person: Manager) -> Response:
        return list_page(request)

    @router.post("/people", dependencies=COUNTED)
    def add(request: Request, person: Manager, name: Text = "", role: Text = "", days: Text = "") -> Response:
        try:
            with shop.database.begin() as conn:
                by = acting(shop, request, person)
                made = managing.add(conn, by, name, role, _days(days, shop.params.access.token_days))
        except RefusedError as error:
            return list_page(request, error=error, name=name[:200], role=role[:20])
        return list_page(request, made)

    @router.get("/people/{person_id}")
    def one(request: Request, person_id: str, _person: Manager) -> Response:
        return person_page(request, person_id)

    @router.post("/people/{person_id}/tokens", dependencies=COUNTED)
    def new_token(request: Request, person_id: str, person: Manager, days: Text = "") -> Response:
        try:
            with shop.database.begin() as conn:
                by = acting(shop, request, person)
                wanted = _days(days, shop.params.access.token_days)
                made = managing.make_token(conn, by, person_id, wanted)
        except RefusedError as error:
            return person_page(request, person_id, error=error)
        return person_page(request, person_id, made)

    @router.post("/people/{person_id}/tokens/{token_id}/revoke")
    def revoke(request: Request, person_id: str, token_id: str, person: Manager, sure: Text = "") -> Response:
        number = int(token_id) if token_id.isascii() and token_id.isdigit() and len(token_id) < 19 else 0

        def change() -> None:
            with shop.database.begin() as conn:
                by = acting(shop, request, person, is_sure=sure == "yes")
                managing.revoke(conn, by, number, of=person_id)

        ask = {"action": f"tokens/{number}/revoke", "words": "Revoke it and sign out"}
        return changed(request, person_id, "token", change, ask)

    @router.post("/people/{person_id}/role")
    def role(request: Request, person_id: str, person: Manager, role: Text = "", sure: Text = "") -> Response:
        def change() -> None:
            with shop.database.begin() as conn:
                by = acting(shop, request, person, is_sure=sure == "yes")
                managing.change_role(conn, by, person_id, role)

        ask = {"action": "role", "role": role, "words": f"Become {role}"}
        return changed(request, person_id, "role", change, ask)

    @router.post("/people/{person_id}/remove")
    def remove(request: Request, person_id: str, person: Manager, sure: Text = "") -> Response:
        def change() -> None:
            with shop.database.begin() as conn:
                managing.remove(conn, acting(shop, request, person, is_sure=sure == "yes"), person_id)

        ask = {"action": "remove", "words": "End my own access"}
        return changed(request, person_id, "removed", change, ask)

    return router


def _days(text: str, usual: float) -> float:
    """Return the days that a form names, the usual ones where it names none, 0 where they are no number."""
    if not text.strip():
        return usual
    try:
        return float(text)
    except ValueError:
        return 0.0
