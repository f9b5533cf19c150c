"""People, tokens and deeds, as the description of the API shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sentinel.review.api.models import Strict
from sentinel.review.people.managing import MOST_DAYS, NAME_CHARACTERS

RoleName = Literal["viewer", "reviewer", "adjudicator", "admin"]
Days = Annotated[float, Field(ge=0.01, le=MOST_DAYS)]


class PersonOut(BaseModel):
    """Somebody who may use the workbench."""

    id: str
    name: str
    role: Literal["viewer", "reviewer", "adjudicator", "admin"]
    removed_at: datetime | None = None


class Me(PersonOut):
    """Who you are here, and what you may do."""

    may: list[str]


class TokenOut(BaseModel):
    """A token by what it begins with. The token itself is shown once, when it is made."""

    id: int
    prefix: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    used_at: datetime | None = Field(description="About when it was used last; noted every ten minutes.")
    is_valid: bool


class PersonListed(PersonOut):
    """Somebody with their tokens."""

    created_at: datetime
    tokens: list[TokenOut]


class PersonIn(Strict):
    """Somebody new. The first person of a workbench has to be an admin: from then on everybody signs in."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Robin Q", "role": "reviewer"}]})

    name: Annotated[str, StringConstraints(min_length=1, max_length=NAME_CHARACTERS)]
    role: RoleName = "reviewer"
    days: Days | None = Field(None, description="How long their first token lasts; else as configured.")


class TokenIn(Strict):
    """A further token."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"days": 30}]})

    days: Days | None = Field(None, description="How long it lasts; else as configured.")


class RoleIn(Strict):
    """Another role."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "adjudicator"}]})

    role: RoleName


class TokenMade(BaseModel):
    """A new token: `token` is shown this once and kept nowhere."""

    id: int
    person_id: str
    prefix: str
    expires_at: datetime
    token: str


class AuditRow(BaseModel):
    """A deed: who, what, when, to what."""

    id: int
    recorded_at: datetime
    person_id: str
    deed: str
    unit_id: int | None
    about: str | None


class AuditPage(BaseModel):
    """Some of the audit trail, newest first."""

    items: list[AuditRow]
    next: str | None
