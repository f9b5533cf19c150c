"""What a model says of a text: its entities, found in the parts that it must see, and remembered."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc

from sentinel.redaction.entities import Entity
from sentinel.redaction.gate import Window

#: Windows of a few words each per batch.
_WINDOWS_TOGETHER = 128


def entities(doc: Doc, offset: int = 0) -> list[Entity]:
    """Return the entities of the document, moved by `offset`."""
    return [Entity(e.start_char + offset, e.end_char + offset, e.label_, len(e)) for e in doc.ents]


def views(nlp: Language, texts: Sequence[str], wanted: Sequence[Sequence[Window]]) -> list[list[Entity]]:
    """Return, for each text, the entities in its windows; equal windows are looked at once."""
    parts = [[text[low:high] for low, high in seen] for text, seen in zip(texts, wanted, strict=True)]
    distinct = list(dict.fromkeys(part for own in parts for part in own))
    found = dict(zip(distinct, map(entities, nlp.pipe(distinct, batch_size=_WINDOWS_TOGETHER)), strict=True))
    return [
        [
            Entity(e.start + low, e.end + low, e.label, e.words)
            for part, (low, _) in zip(own, seen, strict=True)
            for e in found[part]
        ]
        for own, seen in zip(parts, wanted, strict=True)
    ]
