"""All recognisers that need no model, under the entity types they find."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from sentinel.redaction.cards import find_cards
from sentinel.redaction.custom import find_custom, own_first, without_allowed
from sentinel.redaction.emails import find_emails
from sentinel.redaction.folding import Folded
from sentinel.redaction.ibans import find_ibans
from sentinel.redaction.identifiers import find_ip_addresses, find_ssns, find_wallets
from sentinel.redaction.params import RedactionParams
from sentinel.redaction.phones import find_phones
from sentinel.redaction.spans import Span, Taken, disjoint
from sentinel.redaction.tables import find_in_tables

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
#: UUIDs and hexadecimal digests: long enough that some hold digits which pass any check.
MACHINE_ID = re.compile(
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
    machine = Taken(match.span() for match in MACHINE_ID.finditer(text)) if spans else Taken()
    return [
        s
        for s in spans
        if not any(low <= s.start and s.end <= high for low, high in machine.within(s.start, s.end))
    ]


def find_patterns(text: str, params: RedactionParams) -> list[Span]:
    """Return the disjoint spans in `text` of the types in `params.entities` that patterns find.

    Those of the configuration's own recognisers are among them, values that it allows are not.
    """
    spans = raw_patterns(text, params.entities, params.phone_regions)
    spans += find_in_tables(text, params.entities)
    found = own_first([*spans, *find_custom(text, params)], params)
    return without_allowed(text, disjoint(text, found), params)


def find_parted(copy: Folded, params: RedactionParams) -> list[Span]:
    """Return spans, in the plain copy, of values that only something unseen keeps apart from others."""
    parted = copy.parted()
    if parted is None:
        return []
    text, places = parted
    found = [*raw_patterns(text, params.entities, params.phone_regions), *find_custom(text, params)]
    return [Span(places[s.start], places[s.end - 1] + 1, s.entity) for s in found]
