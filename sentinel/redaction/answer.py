"""Redaction of whole answers: one table of surrogates each, one pass through the model for many."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sentinel.errors import DeadLetterError
from sentinel.records import RawAnswer, RedactedAnswer
from sentinel.redaction.custom import allowing, own_types, without_allowed
from sentinel.redaction.detector import Detector
from sentinel.redaction.event_tree import event_tree
from sentinel.redaction.labels import find_in_identifier, find_in_label
from sentinel.redaction.leaves import Kind, Leaf, collect, digits_of, render
from sentinel.redaction.linking import linked_parts
from sentinel.redaction.markers import guard, marker_pattern
from sentinel.redaction.params import RedactionParams
from sentinel.redaction.patterns import find_parted
from sentinel.redaction.places import Place, moved, substitute, with_known
from sentinel.redaction.spans import Span, disjoint
from sentinel.redaction.surrogates import Surrogates

RULES_VERSION = "4"


def redactor_name(detector: Detector, params: RedactionParams) -> str:
    """Return the name stored with every redacted answer: rules, model and entity set."""
    types = ",".join(sorted({*params.entities, *own_types(params)}))
    return f"sentinel-redaction/{RULES_VERSION} {detector.name} [{types}]"


def redact_answer(answer: RawAnswer, detector: Detector, params: RedactionParams) -> RedactedAnswer:
    """Return what may be written of one answer.

    Raises:
        DeadLetterError: `redaction_failed`, if the detector or the walk failed; it holds no raw text.
    """
    result = redact_answers([answer], detector, params)[0]
    if isinstance(result, DeadLetterError):
        raise result
    return result


def redact_answers(
    answers: Sequence[RawAnswer], detector: Detector, params: RedactionParams
) -> list[RedactedAnswer | DeadLetterError]:
    """Return each answer redacted, in order, or why it could not be; one failure costs one answer.

    The texts of all answers go through the detector in one call; only if that fails are they tried
    one by one.
    """
    drafts = [_draft(answer) for answer in answers]
    wanted = list(
        dict.fromkeys(text for draft in drafts if isinstance(draft, _Draft) for text in draft.texts())
    )
    spans = _detect(wanted, detector)
    results: list[RedactedAnswer | DeadLetterError] = []
    for draft in drafts:
        if isinstance(draft, DeadLetterError):
            results.append(draft)
            continue
        own = spans if not isinstance(spans, DeadLetterError) else _detect(draft.texts(), detector)
        results.append(own if isinstance(own, DeadLetterError) else _finish(draft, own, detector, params))
    return results


def _detect(texts: Sequence[str], detector: Detector) -> dict[str, list[Span]] | DeadLetterError:
    failure = "the detector answered for another number of texts"
    try:
        found = detector.detect(texts) if texts else []
        if len(found) == len(texts):
            return dict(zip(texts, found, strict=True))
    except Exception as error:
        failure = f"the detector raised {type(error).__name__}"
    return DeadLetterError("redaction_failed", failure)


class _Draft:
    """An answer as a tree of leaves, before anything is replaced."""

    def __init__(self, answer: RawAnswer) -> None:
        self.citations = answer.citations
        self.answer = Leaf(answer.answer, Kind.TEXT)
        self.tree = event_tree(answer, self.answer)
        self.leaves = list(collect(self.tree))
        ids = {leaf.plain for leaf in self.leaves if leaf.kind is Kind.IDENTIFIER and leaf.plain.strip()}
        # A pattern takes half a millisecond to make: so only of ids that a text holds.
        texts = self.texts()
        self.markers = marker_pattern({name for name in ids if any(name in text for text in texts)})

    def texts(self) -> list[str]:
        """Return the distinct texts that the detector must see."""
        texts = (leaf.plain for leaf in self.leaves if leaf.kind is Kind.TEXT)
        return list(dict.fromkeys(text for text in texts if text))


def _draft(answer: RawAnswer) -> _Draft | DeadLetterError:
    try:
        return _Draft(answer)
    except Exception as error:
        failure = type(error).__name__
    return DeadLetterError("redaction_failed", f"the answer could not be walked ({failure})")


def _finish(
    draft: _Draft, spans: dict[str, list[Span]], detector: Detector, params: RedactionParams
) -> RedactedAnswer | DeadLetterError:
    try:
        table = _replace(draft, spans, params)
        return RedactedAnswer(
            content=render(draft.tree),
            entities=dict(table.entities),
            redactor=redactor_name(detector, params),
        )
    except Exception as error:
        failure = type(error).__name__
    return DeadLetterError("redaction_failed", f"the answer could not be rewritten ({failure})")


def _replace(draft: _Draft, spans: dict[str, list[Span]], params: RedactionParams) -> Surrogates:
    guards = [guard(leaf, draft.markers, params) for leaf in draft.leaves]
    founds: list[list[Span]] = []
    for leaf, kept in zip(draft.leaves, guards, strict=True):
        taken = [*kept.protected, *((s.start, s.end) for s in kept.personal)]
        found = sorted([*kept.personal, *disjoint(leaf.plain, _spans_of(leaf, spans, params), taken)])
        founds.append(without_allowed(leaf.plain, found, params))
    table = Surrogates(params.phone_regions, (leaf.plain for leaf in draft.leaves), _links(draft, founds))
    places = [
        [(s.start, s.end, table.add(s.entity, leaf.plain[s.start : s.end])) for s in found]
        for leaf, found in zip(draft.leaves, founds, strict=True)
    ]
    for _ in range(2):  # parts of names become known while the first round meets them
        known = table.spellings
        for index, leaf in enumerate(draft.leaves):
            places[index] = _known_too(leaf, places[index], guards[index].protected, table, params)
        if table.spellings == known:
            break
    for leaf, found_places in zip(draft.leaves, places, strict=True):
        if found_places:
            leaf.redacted = substitute(leaf.text, leaf.copy.originals(found_places))
    answer_places = places[next(i for i, leaf in enumerate(draft.leaves) if leaf is draft.answer)]
    _move_citations(draft, draft.answer.copy.originals(answer_places))
    return table


def _links(draft: _Draft, founds: Sequence[list[Span]]) -> Mapping[str, str]:
    """Return the parts of names that stand for a full one; the answer is read last."""
    read = list(zip(draft.leaves, founds, strict=True))
    before = [(leaf.plain, found) for leaf, found in read if leaf is not draft.answer]
    return linked_parts([*before, *((leaf.plain, found) for leaf, found in read if leaf is draft.answer)])


def _spans_of(leaf: Leaf, spans: dict[str, list[Span]], params: RedactionParams) -> list[Span]:
    whole = [Span(0, len(leaf.plain), leaf.entity)] if leaf.entity in params.entities and leaf.entity else []
    if leaf.kind is Kind.NUMBER:
        return whole
    if leaf.kind is Kind.IDENTIFIER:
        return find_in_identifier(leaf.plain, params)
    if leaf.kind is Kind.LABEL or not leaf.plain:
        return find_in_label(leaf.plain, params)
    if whole and _fits(leaf):
        return whole
    return [*spans[leaf.plain], *find_parted(leaf.copy, params)]


def _fits(leaf: Leaf) -> bool:
    """Return whether a value can be what its key says: a short name, a number of the right size."""
    text = leaf.plain
    digits = digits_of(text)
    if leaf.entity == "PERSON":
        return 1 < len(text.strip()) <= 60 and not digits and "@" not in text and "<" not in text
    return len(text) <= 32 and 7 <= digits <= 19 and not re.search(r"[A-Za-z]{3}", text)


def _known_too(
    leaf: Leaf,
    places: list[Place],
    protected: Sequence[tuple[int, int]],
    table: Surrogates,
    params: RedactionParams,
) -> list[Place]:
    if leaf.kind is Kind.NUMBER:
        known = table.number(leaf.plain)
        return places or ([(0, len(leaf.plain), known)] if known else [])
    names = leaf.kind is not Kind.IDENTIFIER
    return with_known(leaf.plain, places, table, names=names, protected=protected, allowed=allowing(params))


def _move_citations(draft: _Draft, places: Sequence[Place]) -> None:
    """Put offsets into the redacted answer; one beyond the text's end is no offset and goes."""
    for raw, node in zip(draft.citations, draft.tree["citations"], strict=True):
        for field in ("start", "end"):
            if field in node:
                if node[field] > len(draft.answer.text):
                    del node[field]
                else:
                    node[field] = moved(getattr(raw, field), places, end=field == "end")
