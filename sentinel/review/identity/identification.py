"""Who sends a request: a bearer token, a trusted proxy's header, a session, or the local person."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from sentinel.clock import Clock
from sentinel.review.identity.attempts import Attempts, TooManyAttemptsError
from sentinel.review.identity.origin import (
    SAFE_METHODS,
    address_of,
    carries_token,
    csrf_token_of,
    is_forwarded,
    is_from_browser,
    is_from_own_page,
    peer_is_among,
)
from sentinel.review.identity.params import AccessParams
from sentinel.review.identity.permission import LOCAL_PERSON, Person, Role
from sentinel.review.identity.session import Sessions
from sentinel.review.identity.tokens import TokenVerifier
from sentinel.review.identity.vouched import Vouched, role_among
from sentinel.store.database import Database
from sentinel.store.people import StoredPerson, StoredToken, any_person

Way = Literal["token", "proxy", "session", "local"]


@dataclass(frozen=True, slots=True)
class Who:
    """Who sends a request, and how that is known.

    `csrf_token` must come with whatever their browser posts; None where no browser could be tricked.
    `token_id`: the personal token they use, or began their session with; None where there is none.
    """

    person: Person
    way: Way
    csrf_token: str | None = field(repr=False)
    token_id: int | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """All that identification needs, shared by the requests of one application.

    `is_local` says that the workbench listens where only this machine can reach it.
    """

    database: Database
    params: AccessParams
    clock: Clock
    key: bytes = field(repr=False)
    is_local: bool
    is_secure: bool
    sessions: Sessions
    vouched: Vouched
    attempts: Attempts

    @classmethod
    def of(
        cls, database: Database, params: AccessParams, key: bytes, clock: Clock, *, is_local: bool
    ) -> Identity:
        """Put the parts together."""
        verifier = TokenVerifier(database, clock, params.believed_seconds)
        return cls(
            database,
            params,
            clock,
            key,
            is_local,
            not is_local or params.public_url.startswith("https:"),
            Sessions(database, params, clock),
            Vouched(database, key, clock),
            Attempts(verifier, params.sign_ins_per_minute, clock),
        )

    @property
    def cookie(self) -> str:
        """Return the name of the session's cookie; `__Host-` has browsers keep it to this host and path."""
        return "__Host-sentinel" if self.is_secure else "sentinel_session"

    async def identify(self, request: Request) -> Person | None:
        """Return who sends a request, None where nobody says.

        Raises:
            HTTPException: 401 for a token that opens nothing, 403 for a change that another page has a
                browser ask for, 429 for too many tokens that are none.
        """
        who = await self.who(request)
        if who is None:
            return None
        if request.method not in SAFE_METHODS and who.way != "token":
            await self._check_sent_by_us(request, who)
        return who.person

    async def who(self, request: Request) -> Who | None:
        """Return who sends a request, without asking whether they mean to; raises as `identify` does."""
        known: Who | None = getattr(request.state, "who", None)
        if known is None:
            known = await run_in_threadpool(self._find, request)
            request.state.who = known
        return known

    def _find(self, request: Request) -> Who | None:
        authorization = request.headers.get("authorization")
        if authorization is not None:
            token = self._of_token(request, authorization)
            return Who(person_of(token.person), "token", None, token.id)
        found = self._of_proxy(request)
        if found is not None:
            return Who(found, "proxy", csrf_token_of(self.key, found.id))
        cookie = request.cookies.get(self.cookie)
        session = self.sessions.find(cookie) if cookie else None
        if cookie and session is not None:
            csrf_token = csrf_token_of(cookie.encode(), "session")
            return Who(person_of(session.person), "session", csrf_token, session.token_id)
        if self._is_for_anybody(request):
            return Who(LOCAL_PERSON, "local", csrf_token_of(self.key, LOCAL_PERSON.id))
        return None

    def _of_token(self, request: Request, authorization: str) -> StoredToken:
        scheme, _, text = authorization.partition(" ")
        bearer = text.strip() if scheme.lower() == "bearer" else ""
        try:
            token = self.attempts.token(bearer, address_of(request, self.params))
        except TooManyAttemptsError as error:
            raise HTTPException(429, headers={"Retry-After": error.retry_after}) from None
        if token is None:
            challenge = 'Bearer realm="sentinel", error="invalid_token"'
            raise HTTPException(401, headers={"WWW-Authenticate": challenge})
        return token

    def _of_proxy(self, request: Request) -> Person | None:
        proxy = self.params.proxy
        if not proxy.addresses or not peer_is_among(request, proxy.addresses):
            return None
        values = request.headers.getlist(proxy.header)
        if not values:
            return None
        words = (proxy.header, proxy.name_header, proxy.role_header)
        if any(len(request.headers.getlist(word)) > 1 for word in words if word) or not values[0].strip():
            # Two of them: one may be the client's own, handed on beside the proxy's.
            raise HTTPException(401)
        subject = values[0].strip()
        name = request.headers.get(proxy.name_header, "") if proxy.name_header else ""
        role = None
        if proxy.role_header:
            given = request.headers.get(proxy.role_header, "")
            role = role_among((part.strip() for part in given.split(",")), proxy.roles)
            if role is None:
                raise HTTPException(403)
        person = self.vouched.person(f"proxy\n{subject}", name.strip() or subject, role, proxy.role)
        if person is None:
            raise HTTPException(403)
        return person_of(person)

    def _is_for_anybody(self, request: Request) -> bool:
        if not self.is_local or self.params.is_vouched_for or is_forwarded(request):
            return False
        with self.database.read() as conn:
            return not any_person(conn)

    async def _check_sent_by_us(self, request: Request, who: Who) -> None:
        if not is_from_own_page(request, self.params):
            raise HTTPException(403)
        if who.way == "local" and not is_from_browser(request):
            return
        if who.csrf_token is None or not await carries_token(request, who.csrf_token):
            raise HTTPException(403)


def person_of(stored: StoredPerson) -> Person:
    """Return a stored person as routes see them."""
    return Person(stored.id, stored.name, Role(stored.role))
