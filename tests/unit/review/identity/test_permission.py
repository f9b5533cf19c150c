"""What each role may do, and what a route answers to whom."""

from __future__ import annotations

from typing import Annotated

import pytest
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient

from sentinel.review.identity.permission import LOCAL_PERSON, PERMITTED, Action, Person, Role, allowed

V, L, J, A, E, F, I, M = Action  # noqa: E741
TABLE = {
    Role.VIEWER: {V, E, F},
    Role.REVIEWER: {V, E, L},
    Role.ADJUDICATOR: {V, E, F, L, J, A},
    Role.ADMIN: {V, E, F, L, J, A, I, M},
}


@pytest.mark.parametrize("role", Role)
def test_each_role_may_do_exactly_this(role: Role) -> None:
    assert {action for action in Action if Person("p", "p", role).may(action)} == TABLE[role]


def test_every_role_has_a_decision() -> None:
    assert set(PERMITTED) == set(Role)


def test_the_local_person_may_do_everything() -> None:
    assert all(LOCAL_PERSON.may(action) for action in Action)


@pytest.mark.parametrize(
    ("person", "status"),
    [
        (None, 401),
        (Person("v", "v", Role.VIEWER), 403),
        (Person("r", "r", Role.REVIEWER), 403),
        (Person("j", "j", Role.ADJUDICATOR), 200),
        (Person("a", "a", Role.ADMIN), 200),
    ],
)
def test_a_route_answers_its_permitted_roles_alone(person: Person | None, status: int) -> None:
    app = FastAPI()

    async def identify(_request: object) -> Person | None:
        return person

    app.state.identify = identify

    @app.get("/both-opinions")
    def both(who: Annotated[Person, Depends(allowed(Action.ADJUDICATE))]) -> str:
        return who.id

    answer = TestClient(app).get("/both-opinions")
    assert answer.status_code == status
    if status == 200:
        assert person is not None
        assert answer.json() == person.id
