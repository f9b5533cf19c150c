"""What an operator may set about redaction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import regex

#: Entity types replaced unless the configuration says otherwise, in order of precedence: where two
#: overlap, the earlier keeps its whole span.
DEFAULT_ENTITIES = (
    "EMAIL_ADDRESS",
    "IBAN_CODE",
    "US_SSN",
    "CREDIT_CARD",
    "CRYPTO",
    "IP_ADDRESS",
    "PHONE_NUMBER",
    "PERSON",
)
#: The type of values in the deny list.
DENIED = "DENIED"
_ENTITY = re.compile(r"[A-Z](?:_?[A-Z]){0,39}")


@dataclass(frozen=True, slots=True)
class Recognizer:
    """A recogniser of the configuration: what `pattern` matches is replaced as `<ENTITY_1>`.

    `pattern`: a regular expression of Python's `regex` package, looked for in the plain copy of each text
    (see docs/redaction.md). `ignore_case`: whether capitals and small letters are the same.
    """

    entity: str
    pattern: str
    ignore_case: bool = False

    def __post_init__(self) -> None:
        """Refuse what could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        if _ENTITY.fullmatch(self.entity) is None:
            raise ValueError("entity: capitals and single underscores, as in EMPLOYEE_ID")
        try:
            compiled = regex.compile(self.pattern)
        except regex.error as error:
            raise ValueError(f"pattern of {self.entity}: no regular expression ({error.msg})") from None
        if compiled.fullmatch("") is not None:
            raise ValueError(f"pattern of {self.entity}: matches nothing at all; have it match a character")


@dataclass(frozen=True, slots=True)
class RedactionParams:
    """How personal data is found.

    `entities`: the types that are replaced; any type Presidio knows may be added (`LOCATION`,
    `ORGANIZATION`, `DATE_TIME`, `URL`, `US_DRIVER_LICENSE`, …). `model`: an installed spaCy package or
    a path; it is never downloaded. `language`: ISO 639-1 code of the model. `more_models`: models of other
    languages; each text is seen by all, and costs as much more. `phone_regions`: ISO 3166
    codes whose national formats count as phone numbers even without a telling word.
    `minimum_score`: floor for Presidio's own recognisers (0 to 1); the built-in patterns are exact.
    `chunk_characters` and `chunk_overlap`: longest piece, in code points, that the model sees at once,
    and how much of it the next piece repeats. `batch_size`: texts per model batch.
    `recognizers`: further types by pattern; `recognizer_seconds`: how long one pattern may take for a text
    of up to 100,000 characters. `deny`: values that are always replaced, `allow`: values that never are,
    both in any case, as whole words and whole values.
    `cache_entries`: texts whose spans are remembered per process (0 turns the cache off).
    `scope`: `stored` redacts what will be written, `all` every answer before its draw.
    """

    entities: tuple[str, ...] = DEFAULT_ENTITIES
    model: str = "en_core_web_sm"
    language: str = "en"
    more_models: tuple[str, ...] = ()
    phone_regions: tuple[str, ...] = ("US", "GB", "DE", "FR", "IN", "BR", "IL", "AU")
    minimum_score: float = 0.5
    recognizers: tuple[Recognizer, ...] = ()
    recognizer_seconds: float = 0.25
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    chunk_characters: int = 20_000
    chunk_overlap: int = 200
    batch_size: int = 64
    cache_entries: int = 4096
    scope: Literal["stored", "all"] = "stored"

    def __post_init__(self) -> None:
        """Refuse values that could never work.

        Raises:
            ValueError: naming the field and its rule.
        """
        if not self.entities:
            raise ValueError("entities: name at least one entity type")
        if not 0 <= self.chunk_overlap < self.chunk_characters:
            raise ValueError("chunk_overlap: must be at least 0 and below chunk_characters")
        if self.batch_size < 1 or self.cache_entries < 0:
            raise ValueError("batch_size must be at least 1, cache_entries at least 0")
        if not 0.0 <= self.minimum_score <= 1.0:
            raise ValueError("minimum_score: must lie between 0 and 1")
        if not 0.0 < self.recognizer_seconds <= 60.0:
            raise ValueError("recognizer_seconds: must be above 0 and at most 60")
        if not all(map(str.strip, (*self.deny, *self.allow))):
            raise ValueError("deny, allow: a value must have a character")
