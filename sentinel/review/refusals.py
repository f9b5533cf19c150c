"""What the workbench does not do, as an answer that page and API can show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sentinel.errors import SentinelError


class RefusedError(SentinelError):
    """A request that cannot be granted: `code` is a fixed word, the message says why, for a person to read.

    `status` is the HTTP status; `facts` are further JSON values for the page; `mend` says to a program what
    to do about it, where the status does not say enough.
    """

    def __init__(
        self,
        code: str,
        message: str,
        status: int = 409,
        facts: Mapping[str, Any] | None = None,
        mend: str | None = None,
    ) -> None:
        super().__init__(message)
        self.mend = mend
        self.code = code
        self.status = status
        self.facts = dict(facts or {})

    def document(self) -> dict[str, Any]:
        """Return the refusal as a JSON object."""
        return {"error": self.code, "message": str(self), **self.facts}


def no_such_answer() -> RefusedError:
    """Return the refusal of an answer that is not there."""
    return RefusedError("not_found", "There is no drawn answer with this number.", 404)


def without_content() -> RefusedError:
    """Return the refusal of a lost or purged answer."""
    return RefusedError("gone", "The content of this answer is no longer kept: it cannot be labelled.", 410)
