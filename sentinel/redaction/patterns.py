"""All recognisers that need no model, under the entity types they find."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from sentinel.redaction.cards import find_cards
from sentinel.redaction.emails import find_emails
from sentinel.redaction.ibans import find_ibans
from sentinel.redaction.identifiers import find_ip_addresses, find_ssns, find_wallets
from sentinel.redaction.params import RedactionParams
from sentinel.redaction.phones import find_phones
from sentinel.redaction.spans import Span, disjoint

#: Finders that need nothing but the text.
FINDERS: dict[str, Callable[[str], Iterator[Span]]] = {
    "EMAIL_ADDRESS": find_emails,
    "IBAN_CODE": find_ibans,
    "CREDIT_CARD": find_cards,
    "US_SSN": find_ssns,
    "CRYPTO": find_wallets,
    "IP_ADDRESS": find_ip_addresses,
}
#: The types that a pattern finds, with or without a model.
PATTERN_ENTITIES = frozenset({*FINDERS, "PHONE_NUMBER"})
#: Types exact enough to be replaced inside an identifier, where any run of digits may stand.
IDENTIFIER_ENTITIES = frozenset({"EMAIL_ADDRESS", "IBAN_CODE", "CREDIT_CARD", "US_SSN", "IP_ADDRESS"})
# UUIDs and hexadecimal digests: long enough that some hold digits which pass any check.
_MACHINE_ID = re.compile(
    r"(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9]*[a-f])[0-9a-f]{32,128})(?![0-9a-z])",
    re.IGNORECASE,
)


def raw_patterns(text: str, entities: Iterable[str], regions: Sequence[str]) -> list[Span]:
    """Return every match of the chosen types, overlapping ones included."""
    spans: list[Span] = []
    for entity in entities:
        if entity == "PHONE_NUMBER":
            spans.extend(find_phones(text, regions))
        elif entity in FINDERS:
            spans.extend(FINDERS[entity](text))
    machine = [match.span() for match in _MACHINE_ID.finditer(text)] if spans else []
    return [s for s in spans if not any(low <= s.start and s.end <= high for low, high in machine)]


def find_patterns(text: str, params: RedactionParams) -> list[Span]:
    """Return the disjoint spans in `text` of the types in `params.entities` that patterns find."""
    return disjoint(text, raw_patterns(text, params.entities, params.phone_regions))


def find_in_identifier(text: str, params: RedactionParams) -> list[Span]:
    """Return the disjoint spans that may be replaced inside an id: only digits that pass a check."""
    wanted = [entity for entity in params.entities if entity in IDENTIFIER_ENTITIES]
    return disjoint(text, raw_patterns(text, wanted, ()))
