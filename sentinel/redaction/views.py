"""What a model says of the parts of a text that it must see.

spaCy's own loop over the words of a batch gives the interpreter's lock back and takes it again many times a
word, 40 % of the model's time. The same steps, one by one from here, are the same moves by the same
weights without that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spacy.language import Language
from spacy.pipeline import EntityRecognizer
from spacy.tokens import Doc

from sentinel.redaction.entities import Entity
from sentinel.redaction.gate import Window

#: Windows per batch, and characters: a batch takes some 20 KB of memory a word.
_TOGETHER = 64
_CHARACTERS = 32_000
#: Of fewer a step costs more from here than the lock does.
_FEWEST = 4


def entities(doc: Doc) -> list[Entity]:
    """Return the entities of the document in order."""
    return [Entity(e.start_char, e.end_char, e.label_, len(e)) for e in doc.ents]


def views(nlp: Language, texts: Sequence[str], wanted: Sequence[Sequence[Window]]) -> list[list[Entity]]:
    """Return, for each text, the entities in its windows; equal windows are looked at once."""
    parts = [[text[low:high] for low, high in seen] for text, seen in zip(texts, wanted, strict=True)]
    distinct = sorted({part for own in parts for part in own}, key=len)
    found = dict(zip(distinct, map(entities, documents(nlp, distinct)), strict=True))
    return [
        [
            Entity(e.start + low, e.end + low, e.label, e.words)
            for part, (low, _) in zip(own, seen, strict=True)
            for e in found[part]
        ]
        for own, seen in zip(parts, wanted, strict=True)
    ]


def documents(nlp: Language, texts: Sequence[str]) -> Iterator[Doc]:
    """Yield each text as the model sees it, in order; quickest where neighbours are about as long."""
    recognizer = nlp.get_pipe("ner") if nlp.pipe_names == ["ner"] else None
    if not isinstance(recognizer, EntityRecognizer) or recognizer.cfg["beam_width"] != 1:
        yield from nlp.pipe(texts, batch_size=_TOGETHER)
        return
    for some in batches(texts):
        batch = [nlp.make_doc(text) for text in some]
        if len(batch) < _FEWEST:
            yield from recognizer.pipe(batch, batch_size=_TOGETHER)
        else:
            _name(recognizer, batch)
            yield from batch


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, as many together as memory allows."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == _TOGETHER or size + len(text) > _CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _name(recognizer: EntityRecognizer, batch: Sequence[Doc]) -> None:
    """Set the entities of the documents, which have a word each."""
    states = recognizer.moves.init_batch(batch)
    model = recognizer.model.predict(batch)
    unfinished = [state for state in states if not state.is_final()]
    while unfinished:
        unfinished = recognizer.transition_states(unfinished, model.predict(unfinished))
    model.clear_memory()
    recognizer.set_annotations(batch, states)
