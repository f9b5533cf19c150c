"""Redaction of single texts and values, and the keyed hashes that stand for people's ids."""

from __future__ import annotations

import hmac
from functools import lru_cache

from sentinel.errors import DeadLetterError
from sentinel.redaction.custom import allowing, without_allowed
from sentinel.redaction.detector import Detector
from sentinel.redaction.folding import Folded, fold
from sentinel.redaction.labels import find_in_label
from sentinel.redaction.linking import linked_parts
from sentinel.redaction.params import RedactionParams
from sentinel.redaction.patterns import find_parted
from sentinel.redaction.places import substitute, with_known
from sentinel.redaction.spans import Span, disjoint
from sentinel.redaction.surrogates import Surrogates, existing_placeholders, short_name

_DEFAULTS = RedactionParams()


def redact_text(text: str, detector: Detector, params: RedactionParams) -> str:
    """Return the text with personal data replaced by numbered placeholders.

    Raises:
        DeadLetterError: `redaction_failed`, if the detector failed; it holds no raw text.
    """
    result = redact_texts([text], detector, params)[0]
    if isinstance(result, DeadLetterError):
        raise result
    return result


def redact_texts(
    texts: list[str], detector: Detector, params: RedactionParams
) -> list[str | DeadLetterError]:
    """Return each text redacted on its own, in order; one failure costs one text."""
    try:
        copies = [fold(text) for text in texts]
        found = detector.detect([copy.text for copy in copies])
        return [
            _replaced(text, copy, spans, params)
            for text, copy, spans in zip(texts, copies, found, strict=True)
        ]
    except Exception as error:
        failure = DeadLetterError("redaction_failed", f"the detector raised {type(error).__name__}")
    if len(texts) <= 1:
        return [failure for _ in texts]
    return [redact_texts([text], detector, params)[0] for text in texts]


def _replaced(text: str, copy: Folded, spans: list[Span], params: RedactionParams) -> str:
    plain = copy.text
    found = disjoint(plain, [*spans, *find_parted(copy, params)], existing_placeholders(plain))
    found = without_allowed(plain, found, params)
    table = Surrogates(params.phone_regions, [plain], linked_parts([(plain, found)]))
    places = [(s.start, s.end, table.add(s.entity, plain[s.start : s.end])) for s in found]
    for _ in range(2):  # parts of names become known while the first round meets them
        known = table.spellings
        places = with_known(plain, places, table, allowed=allowing(params))
        if table.spellings == known:
            break
    return substitute(text, copy.originals(places))


def redact_value(value: str, key: bytes | None = None, params: RedactionParams | None = None) -> str:
    """Return a short value (domain, id, label) without what patterns find in it; no model, microseconds.

    Of the types that `params` name (default: those of `RedactionParams`), full names of known given names
    among them. Placeholders carry no number: `<EMAIL>`. With a `key` they carry a keyed hash instead
    (`<EMAIL_3f9a…>`), so that different identifiers stay different and equal ones equal.
    """
    return _redacted_value(value, key, params or _DEFAULTS)


@lru_cache(maxsize=4096)  # domains and versions are few, and each answer repeats them
def _redacted_value(value: str, key: bytes | None, params: RedactionParams) -> str:
    copy = fold(value)
    plain = copy.text
    places = []
    for span in find_in_label(plain, params):
        word = short_name(span.entity)
        if key is not None:
            word = f"{word}_{pseudonym(plain[span.start : span.end].casefold(), key, 'value')[:12]}"
        places.append((span.start, span.end, f"<{word}>"))
    return substitute(value, copy.originals(places)) if places else value


def pseudonym(value: str, key: bytes, purpose: str) -> str:
    """Return the keyed hash (HMAC-SHA-256, 32 hex digits) of an id; hashes of two purposes never match.

    Raises:
        ValueError: if the key is empty: an unkeyed hash of an id can be reversed by trial.
    """
    if not key:
        raise ValueError("a pseudonym needs a key")
    message = purpose.encode() + b"\x00" + value.encode("utf-8", "surrogatepass")
    return hmac.new(key, message, "sha256").hexdigest()[:32]
