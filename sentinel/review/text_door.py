"""The door through which words of reviewers come in: nothing of them is stored before it was redacted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sentinel.errors import DeadLetterError
from sentinel.labelling.draft import Draft, DraftClaim
from sentinel.labelling.taxonomy import is_known_name
from sentinel.review.label_redaction import LabelRedaction
from sentinel.review.refusals import RefusedError

#: New words of one draft. All reviewers share one redactor, and a minute for one is a minute for all.
MOST_CHARACTERS = 25_000


class TextDoor:
    """Redacts what people write. `key` is also the secret of the draw of second reviews.

    Text that stands in the stored answer, or in the draft as it was stored before, has been redacted
    already and is kept as it is: most claims are the answer's own words.
    """

    def __init__(self, redaction: LabelRedaction) -> None:
        self._redaction = redaction
        self.key = redaction.key

    def clean(self, texts: Sequence[str]) -> list[str]:
        """Return the texts without personal data.

        Raises:
            RefusedError: `redaction_failed`: nothing may be stored.
        """
        wanted = list(dict.fromkeys(text for text in texts if text.strip()))
        found = self._redaction.texts(wanted)
        if len(found) != len(wanted) or any(isinstance(one, DeadLetterError) for one in found):
            raise RefusedError(
                "redaction_failed",
                "Your text could not be checked for personal data; nothing was stored.",
                503,
            )
        clean = dict(zip(wanted, (str(one) for one in found), strict=True))
        return [clean.get(text, text) for text in texts]

    def clean_draft(self, draft: Draft, known: Sequence[str]) -> Draft:
        """Return a draft without personal data; `known` are stored texts.

        Raises:
            RefusedError: as `clean` does, or `too_long`.
        """
        held = "\x00".join(known)
        names = [one.subtype for one in draft.claims if one.subtype] + list(draft.root_causes)
        texts = [one.text for one in draft.claims] + [draft.comment] + names
        new = [text for text in dict.fromkeys(texts) if text not in held and not is_known_name(text)]
        if sum(map(len, new)) > MOST_CHARACTERS:
            message = f"A label may hold {MOST_CHARACTERS:,} characters of words of your own."
            raise RefusedError("too_long", message, 413)
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
                (name if name in held else self._redaction.value(name), entails)
                for name, entails in draft.citations
            ),
            comment=of(draft.comment),
        )
