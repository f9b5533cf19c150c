"""The door through which words of reviewers come in: nothing of them is stored before it was redacted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from sentinel.errors import DeadLetterError
from sentinel.labelling.draft import Draft, DraftClaim
from sentinel.labelling.taxonomy import is_known_name
from sentinel.redaction import RedactionParams, redact_value
from sentinel.review.refusals import RefusedError

#: Returns each text without personal data, in order, or why it could not be redacted.
RedactTexts = Callable[[Sequence[str]], Sequence[str | DeadLetterError]]


class TextDoor:
    """Redacts what people write. `key` is the secret of pseudonyms and of the draw of second reviews.

    Text that stands in the stored answer, or in the draft as it was stored before, has been redacted
    already and is kept as it is: most claims are the answer's own words.
    """

    def __init__(self, redact_texts: RedactTexts, key: bytes, params: RedactionParams | None = None) -> None:
        self._redact_texts = redact_texts
        self._lock = threading.Lock()  # the redaction pool does one thing at a time
        self._params = params or RedactionParams()
        self.key = key

    def clean(self, texts: Sequence[str]) -> list[str]:
        """Return the texts without personal data.

        Raises:
            RefusedError: `redaction_failed`: nothing may be stored.
        """
        wanted = list(dict.fromkeys(text for text in texts if text.strip()))
        with self._lock:
            found = self._redact_texts(wanted) if wanted else []
        if len(found) != len(wanted) or any(isinstance(one, DeadLetterError) for one in found):
            raise RefusedError(
                "redaction_failed",
                "Your text could not be checked for personal data; nothing was stored.",
                503,
            )
        clean = dict(zip(wanted, (str(one) for one in found), strict=True))
        return [clean.get(text, text) for text in texts]

    def clean_draft(self, draft: Draft, known: Sequence[str]) -> Draft:
        """Return a draft without personal data; `known` are stored texts. Raises as `clean` does."""
        held = "\x00".join(known)
        names = [one.subtype for one in draft.claims if one.subtype] + list(draft.root_causes)
        texts = [one.text for one in draft.claims] + [draft.comment] + names
        new = [text for text in dict.fromkeys(texts) if text not in held and not is_known_name(text)]
        clean = dict(zip(new, self.clean(new), strict=True))

        def of(text: str) -> str:
            return clean.get(text, text)

        def claim(one: DraftClaim) -> DraftClaim:
            return replace(one, text=of(one.text), subtype=None if one.subtype is None else of(one.subtype))

        return replace(
            draft,
            claims=tuple(claim(one) for one in draft.claims),
            root_causes=tuple(of(cause) for cause in draft.root_causes),
            citations=tuple(
                (name if name in held else redact_value(name, self.key, self._params), entails)
                for name, entails in draft.citations
            ),
            comment=of(draft.comment),
        )
