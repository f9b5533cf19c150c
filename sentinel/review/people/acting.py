"""What each change of people needs of its request: who acts, by which token, and whether they mean it."""

from __future__ import annotations

from fastapi import Request

from sentinel.review.identity.identification import Who
from sentinel.review.identity.permission import Person
from sentinel.review.people.managing import Acting
from sentinel.review.workshop import Workshop


def acting(shop: Workshop, request: Request, person: Person, *, is_sure: bool = False) -> Acting:
    """Return who changes something in a request."""
    who: Who | None = getattr(request.state, "who", None)
    return Acting(
        person.id,
        shop.clock.now(),
        token_id=None if who is None else who.token_id,
        is_sure=is_sure,
        is_vouched=shop.params.access.is_vouched_for,
    )
