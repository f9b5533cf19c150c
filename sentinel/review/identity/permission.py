"""Roles, what each may do, and the dependency with which a route asks for it.

Every route of the workbench bears one decision: `allowed(action)`, or `open_to_all` where nobody needs to
be known. A test reads them off the routes and fails where one is missing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum, unique

from fastapi import Request
from starlette.exceptions import HTTPException


@unique
class Role(StrEnum):
    """What a person is to the reviews."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    ADJUDICATOR = "adjudicator"
    ADMIN = "admin"


@unique
class Action(StrEnum):
    """What a route does, as far as permissions go."""

    #: Read the queue, answers, reports, alarms.
    VIEW = "view"
    #: Give an opinion of one's own: lease, draft, label, skip, escalate, flag personal data.
    LABEL = "label"
    #: See both opinions of a disagreement and decide it.
    ADJUDICATE = "adjudicate"
    #: Give work to others.
    ASSIGN = "assign"
    #: Take many labels or answers out at once.
    EXPORT = "export"
    #: Read how far reviewers agree: figures about people who label.
    MEASURE = "measure"
    #: Write labels that others gave elsewhere.
    IMPORT = "import"
    #: People, their tokens, the audit trail.
    MANAGE = "manage"


_VIEWER = frozenset({Action.VIEW, Action.EXPORT, Action.MEASURE})
_REVIEWER = frozenset({Action.VIEW, Action.EXPORT, Action.LABEL})
_ADJUDICATOR = _REVIEWER | {Action.ADJUDICATE, Action.ASSIGN, Action.MEASURE}
#: What each role may do. What a person gets to see of others' labels is decided by the unit, not here.
PERMITTED: dict[Role, frozenset[Action]] = {
    Role.VIEWER: _VIEWER,
    Role.REVIEWER: _REVIEWER,
    Role.ADJUDICATOR: _ADJUDICATOR,
    Role.ADMIN: frozenset(Action),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is known to the workbench. `id` is opaque and stands as annotator in their labels."""

    id: str
    name: str
    role: Role

    def may(self, action: Action) -> bool:
        """Return whether the person's role permits an action."""
        return action in PERMITTED[self.role]

    @property
    def is_blind(self) -> bool:
        """Return whether the person labels and oversees nothing: they are told of nobody else's labels."""
        return self.may(Action.LABEL) and not self.may(Action.ASSIGN)


#: Who everybody is on a loopback address while nobody is configured: a first trial needs no sign-in.
LOCAL_PERSON = Person("local", "local", Role.ADMIN)

#: Returns who sends a request, None where that is unknown. Refuses a forged one with an HTTPException.
Identify = Callable[[Request], Awaitable[Person | None]]


def allowed(action: Action) -> Callable[[Request], Awaitable[Person]]:
    """Return the dependency of a route that needs a permission; it gives the route its person.

    Nobody known is a 401, which the application turns into the sign-in page where a page was asked for; a
    role that does not permit the action is a 403. `app.state.identify` says who asks.
    """

    async def permitted_person(request: Request) -> Person:
        identify: Identify = request.app.state.identify
        person = await identify(request)
        if person is None:
            raise HTTPException(401, headers={"WWW-Authenticate": 'Bearer realm="sentinel"'})
        if not person.may(action):
            raise HTTPException(403)
        request.state.person = person
        return person

    permitted_person.action = action  # type: ignore[attr-defined]
    return permitted_person


def open_here(action: Action, is_here: Callable[[Request], bool]) -> Callable[[Request], Awaitable[None]]:
    """Return the dependency of a route that needs a permission unless `is_here` says that nobody is asked."""
    permitted = allowed(action)

    async def permitted_or_here(request: Request) -> None:
        if not is_here(request):
            await permitted(request)

    permitted_or_here.action = action  # type: ignore[attr-defined]
    return permitted_or_here


async def open_to_all() -> None:
    """Stand as the decision of a route that nobody needs to be known for."""
