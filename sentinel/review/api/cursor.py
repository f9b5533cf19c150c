"""Cursors: where a list goes on, as an opaque word."""

from __future__ import annotations

import base64
import binascii
import re

from sentinel.review.api.problems import ProblemError

_CONTENT = re.compile(r"1:([1-9][0-9]{0,18})")
_LARGEST_ID = 2**63 - 1


def cursor_of(row_id: int) -> str:
    """Return the cursor of the row a page ended with."""
    return base64.urlsafe_b64encode(f"1:{row_id}".encode()).decode().rstrip("=")


def row_of(cursor: str | None) -> int | None:
    """Return the row a page ended with; None for the beginning.

    Raises:
        ProblemError: 422, this is no cursor of ours.
    """
    if cursor is None:
        return None
    try:
        content = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        content = ""
    match = _CONTENT.fullmatch(content)
    if match is None or int(match[1]) > _LARGEST_ID:
        raise ProblemError(
            422, "cursor is not one that a list gave out.", "Begin without a cursor.", reason="cursor"
        )
    return int(match[1])
