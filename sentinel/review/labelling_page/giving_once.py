"""An opinion that bears an idempotency key is written once, however often it is sent: by page and by API.

The key is bound to what it came with before anything is done, and the opinion itself bears a hash of both, so
that a request that was cut off goes on under its key and one with other words is never taken for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sentinel.review.identity.permission import Person
from sentinel.review.labelling_page.opinions import Given
from sentinel.review.refusals import RefusedError
from sentinel.review.workshop import Workshop
from sentinel.store.kept_answers import (
    KeptAnswer,
    claim_key,
    forget_answers,
    keep_answer,
    kept_answer,
    release_key,
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What is answered to an opinion; `is_repeated`: it was there already, and nothing was done now."""

    body: dict[str, Any]
    is_repeated: bool


def give_once(
    shop: Workshop,
    person: Person,
    key: str | None,
    request: Mapping[str, Any],
    give: Callable[[str | None], Given],
    answer: Callable[[Given], dict[str, Any]],
) -> Answered:
    """Write an opinion and return what to answer; the same key and request again: the same answer.

    `request` is all that makes it another opinion, as JSON values. `give` writes it under the key it is
    handed, `answer` says what is told of it.

    Raises:
        RefusedError: `key_reused` for a key that came with another request, or as `give` does.
    """
    if key is None:
        given = give(None)
        return Answered(answer(given), given.repeated)
    request_hash = _hash_of(request)
    with shop.database.begin() as conn:
        now = shop.clock.now()
        forget_answers(conn, now - timedelta(days=shop.params.access.kept_answer_days))
        claim_key(conn, person.id, key, request_hash, now)
        kept = kept_answer(conn, person.id, key)
    if kept is not None and kept.request_hash != request_hash:
        message = (
            "This idempotency key was used for another label, which stands as it was sent then. "
            "Send this one under a new key."
        )
        raise RefusedError("key_reused", message, 422)
    if kept is not None and kept.body is not None:
        return Answered(dict(kept.body), is_repeated=True)
    # Claimed now, or by a request that was cut off or is under way: the opinion bears the key, too.
    try:
        given = give(_borne(key, request_hash))
        answered = Answered(answer(given), given.repeated)
    except RefusedError:
        with shop.database.begin() as conn:
            release_key(conn, person.id, key)
        raise
    with shop.database.begin() as conn:
        keep_answer(conn, person.id, key, KeptAnswer(request_hash, answered.body))
    return answered


def _borne(key: str, request_hash: str) -> str:
    """Return the key that an opinion bears: another label under a forgotten key is another opinion."""
    return "once:" + hashlib.sha256(f"{request_hash}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()


def _hash_of(request: Mapping[str, Any]) -> str:
    document = json.dumps(request, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(document.encode()).hexdigest()
