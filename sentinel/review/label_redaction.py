"""Labels freed of personal data before anything of them is written, by whichever door they come."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from sentinel.errors import DeadLetterError, RetryError, StopError
from sentinel.labelling.annotators import annotator_pseudonym, is_pseudonym, looks_opaque
from sentinel.labelling.taxonomy import is_known_name
from sentinel.records import Annotation, ClaimAnnotation
from sentinel.redaction import RedactionParams, personal_data_in_id, redact_value

#: Returns each text without personal data, in order, or why it could not be redacted.
RedactTexts = Callable[[Sequence[str]], Sequence[str | DeadLetterError]]


class RedactionUnavailableError(RetryError):
    """Nothing can be redacted now, so nothing is written."""


class LabelRedaction:
    """Takes personal data out of labels.

    `key` is the secret of the pseudonyms that replace annotators' names, but for opaque ids; with None there
    is one for this process alone, and no name can be replaced. `params` says what is replaced in ids and
    versions; an annotator is hidden whatever it says.
    """

    def __init__(
        self, redact_texts: RedactTexts, key: bytes | None, params: RedactionParams | None = None
    ) -> None:
        self._redact_texts = redact_texts
        self._lasting_key = key
        self.key = secrets.token_bytes(32) if key is None else key
        self.params = params or RedactionParams()

    @property
    def lasting_key(self) -> bytes | None:
        """Return the key it was given."""
        return self._lasting_key

    def prepare(self) -> None:
        """Begin to load what redaction needs, where that takes time; waits for nothing."""
        if isinstance(self._redact_texts, OneAtATime):
            self._redact_texts.prepare()

    def texts(self, texts: Sequence[str]) -> Sequence[str | DeadLetterError]:
        """Return each text without personal data, in order, or why it could not be redacted."""
        return self._redact_texts(texts) if texts else []

    def annotations(self, batch: Sequence[Annotation]) -> list[Annotation | DeadLetterError]:
        """Return each label without personal data, in order, or the reason why it cannot be kept.

        Reasons: `redaction_failed`, `personal_data_in_id`.
        """
        texts = list(dict.fromkeys(text for annotation in batch for text in _texts(annotation)))
        answers = self.texts(texts)
        if len(answers) != len(texts):
            failure = DeadLetterError("redaction_failed", "the redactor answered for another number of texts")
            answers = [failure] * len(texts)
        redacted = dict(zip(texts, answers, strict=True))
        return [self._one(annotation, redacted) for annotation in batch]

    def _one(
        self, annotation: Annotation, redacted: Mapping[str, str | DeadLetterError]
    ) -> Annotation | DeadLetterError:
        personal = personal_data_in_id(annotation.event_id)
        if personal is not None:
            return DeadLetterError("personal_data_in_id", f"event_id holds {personal}")
        try:
            return self._without_personal_data(annotation, redacted)
        except DeadLetterError as error:
            return error

    def _without_personal_data(
        self, annotation: Annotation, redacted: Mapping[str, str | DeadLetterError]
    ) -> Annotation:
        def text(value: str) -> str:
            found = redacted[value] if value.strip() else value
            if isinstance(found, DeadLetterError):
                raise DeadLetterError("redaction_failed", found.detail)
            return found

        def name(value: str) -> str:
            return value if is_known_name(value) else text(value)

        def claim(one: ClaimAnnotation) -> ClaimAnnotation:
            subtype = None if one.subtype is None else name(one.subtype)
            return replace(one, text=text(one.text), subtype=subtype)

        return replace(
            annotation,
            annotator=self._annotator(annotation.annotator),
            claims=tuple(claim(one) for one in annotation.claims),
            root_causes=tuple(name(cause) for cause in annotation.root_causes),
            citations=tuple(
                (self.value(identifier), entails) for identifier, entails in annotation.citations
            ),
            comment=None if annotation.comment is None else text(annotation.comment),
            guideline_version=(
                None if annotation.guideline_version is None else self.value(annotation.guideline_version)
            ),
        )

    def value(self, value: str) -> str:
        """Return an id or version without personal data."""
        return redact_value(value, self.key, self.params)

    def _annotator(self, name: str) -> str:
        """Return the name to store, the same for every model: another name would be another person."""
        if is_pseudonym(name) or (looks_opaque(name) and redact_value(name) == name):
            return name
        if self._lasting_key is None:
            # Under a secret that ends with the process one person would be another after each start.
            raise DeadLetterError("no_key", "set SENTINEL_REVIEW__ACCESS__KEY, or name annotators by id")
        return annotator_pseudonym(name, self.key)


class OneAtATime:
    """Has the threads of a server share a redactor that takes one call at a time.

    The first call may load a language model, which takes seconds: `prepare` has that done beforehand.
    """

    def __init__(self, redact_texts: RedactTexts) -> None:
        self._redact_texts = redact_texts
        self._lock = threading.Lock()
        self._is_prepared = False

    def __call__(self, texts: Sequence[str]) -> Sequence[str | DeadLetterError]:
        """Redact texts; raises RedactionUnavailableError where the redactor cannot work at all."""
        with self._lock:
            self._is_prepared = True
            try:
                return self._redact_texts(texts)
            except StopError as error:
                raise RedactionUnavailableError(str(error), outline="redaction does not work") from error

    def prepare(self) -> None:
        """Begin to load what redaction needs, once, without waiting for it."""
        if self._is_prepared:
            return
        self._is_prepared = True
        threading.Thread(target=self._warm, name="redaction warm-up", daemon=True).start()

    def _warm(self) -> None:
        with self._lock:
            try:
                self._redact_texts(["Ready."])
            except StopError:
                # Whoever has something to redact is told.
                self._is_prepared = False


def _texts(annotation: Annotation) -> Iterator[str]:
    """Yield every string of a label that may hold personal data."""
    found = [claim.text for claim in annotation.claims]
    names = [claim.subtype for claim in annotation.claims if claim.subtype is not None]
    found += [name for name in (*names, *annotation.root_causes) if not is_known_name(name)]
    if annotation.comment is not None:
        found.append(annotation.comment)
    yield from (text for text in found if text.strip())
