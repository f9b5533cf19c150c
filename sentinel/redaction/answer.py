"""Redaction of whole answers: one table of surrogates each, one pass through the model for many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from sentinel.errors import DeadLetterError
from sentinel.records import Passage, RawAnswer, RedactedAnswer
from sentinel.redaction.detector import Detector
from sentinel.redaction.leaves import Kind, Leaf, collect, digits_of, grow, render
from sentinel.redaction.params import RedactionParams
from sentinel.redaction.patterns import find_in_identifier, find_patterns
from sentinel.redaction.places import Place, moved, substitute, with_known
from sentinel.redaction.spans import Span, disjoint
from sentinel.redaction.surrogates import Surrogates, existing_placeholders

RULES_VERSION = "1"


def redactor_name(detector: Detector, params: RedactionParams) -> str:
    """Return the name stored with every redacted answer: rules, model and entity set."""
    return f"sentinel-redaction/{RULES_VERSION} {detector.name} [{','.join(sorted(params.entities))}]"


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
        self.tree = _tree(answer, self.answer)
        self.leaves = list(collect(self.tree))
        ids = {leaf.text for leaf in self.leaves if leaf.kind is Kind.IDENTIFIER and leaf.text.strip()}
        self.markers = _marker_pattern(ids)

    def texts(self) -> list[str]:
        """Return the distinct texts that the detector must see."""
        return list(dict.fromkeys(leaf.text for leaf in self.leaves if leaf.kind is Kind.TEXT and leaf.text))


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
    table = Surrogates(params.phone_regions, (leaf.text for leaf in draft.leaves))
    protected = [_protected(leaf, draft.markers, params) for leaf in draft.leaves]
    places: list[list[Place]] = []
    for leaf, kept in zip(draft.leaves, protected, strict=True):
        found = disjoint(leaf.text, _spans_of(leaf, spans, params), kept)
        places.append([(s.start, s.end, table.add(s.entity, leaf.text[s.start : s.end])) for s in found])
    for _ in range(2):  # parts of names become known while the first round meets them
        for index, leaf in enumerate(draft.leaves):
            places[index] = _known_too(leaf, places[index], protected[index], table)
    for leaf, found_places in zip(draft.leaves, places, strict=True):
        if found_places:
            leaf.redacted = substitute(leaf.text, found_places)
    answer_places = places[next(i for i, leaf in enumerate(draft.leaves) if leaf is draft.answer)]
    _move_citations(draft, answer_places)
    return table


def _spans_of(leaf: Leaf, spans: dict[str, list[Span]], params: RedactionParams) -> list[Span]:
    whole = [Span(0, len(leaf.text), leaf.entity)] if leaf.entity in params.entities and leaf.entity else []
    if leaf.kind is Kind.NUMBER:
        return whole
    if leaf.kind is Kind.IDENTIFIER:
        return find_in_identifier(leaf.text, params)
    if leaf.kind is Kind.LABEL or not leaf.text:
        return find_patterns(leaf.text, params)
    if whole and _fits(leaf):
        return whole
    return spans[leaf.text]


def _fits(leaf: Leaf) -> bool:
    """Return whether a value can be what its key says: a short name, a number of the right size."""
    digits = digits_of(leaf.text)
    if leaf.entity == "PERSON":
        return (
            1 < len(leaf.text.strip()) <= 60 and not digits and "@" not in leaf.text and "<" not in leaf.text
        )
    return len(leaf.text) <= 32 and 7 <= digits <= 19 and not re.search(r"[A-Za-z]{3}", leaf.text)


def _known_too(
    leaf: Leaf, places: list[Place], protected: list[tuple[int, int]], table: Surrogates
) -> list[Place]:
    if leaf.kind is Kind.NUMBER:
        known = table.number(leaf.text)
        return places or ([(0, len(leaf.text), known)] if known else [])
    return with_known(leaf.text, places, table, names=leaf.kind is not Kind.IDENTIFIER, protected=protected)


def _protected(leaf: Leaf, markers: re.Pattern[str] | None, params: RedactionParams) -> list[tuple[int, int]]:
    """Return the ranges that only known exact values may change: placeholders and citation markers."""
    ranges = existing_placeholders(leaf.text)
    if markers is None or leaf.kind is not Kind.TEXT:
        return ranges
    found = [match.span(match.lastgroup or 0) for match in markers.finditer(leaf.text)]
    exact = find_patterns(leaf.text, params) if found else []
    for low, high in found:
        if any(s.start <= low and high <= s.end and high - low < s.end - s.start for s in exact):
            continue  # an id that happens to stand inside an address or a number is no reference
        start = low
        for span in find_in_identifier(leaf.text[low:high], params):
            ranges.append((start, low + span.start))
            start = low + span.end
        ranges.append((start, high))
    return [r for r in ranges if r[0] < r[1]]


def _marker_pattern(ids: set[str]) -> re.Pattern[str] | None:
    """Return what finds ids in a text: any in brackets, and outside of them those that look like ids."""
    if not ids:
        return None
    ordered = sorted(ids, key=lambda i: (-len(i), i))
    bracketed = "|".join(re.escape(i) for i in ordered)
    plain = (
        "|".join(re.escape(i) for i in ordered if re.search(r"[0-9_]", i) and re.search(r"[^\W\d_]", i))
        or r"(?!)"
    )
    return re.compile(
        rf"(?<=[\[【(,;|†: ])(?P<bracketed>{bracketed})(?=[\]】),;|†:])|(?<![\w-])(?P<plain>{plain})(?![\w-])"
    )


def _move_citations(draft: _Draft, places: Sequence[Place]) -> None:
    for raw, node in zip(draft.citations, draft.tree["citations"], strict=True):
        for field in ("start", "end"):
            if field in node:
                node[field] = moved(getattr(raw, field), places, end=field == "end")


def _tree(answer: RawAnswer, body: Leaf) -> dict[str, Any]:
    """Return the answer under the event's field names; what the event left out stays out."""
    tree: dict[str, Any] = {}
    if answer.question is not None:
        tree["question"] = Leaf(answer.question, Kind.TEXT)
    if answer.retrieved is not None:
        tree["retrieved"] = [_passage(passage) for passage in answer.retrieved]
    tree["tool_calls"] = [
        _present(
            name=Leaf(call.name, Kind.LABEL),
            input=grow(call.input),
            output=grow(call.output),
            error=grow(call.error),
        )
        for call in answer.tool_calls
    ]
    tree["answer"] = body
    tree["citations"] = [
        _present(id=Leaf(c.id, Kind.IDENTIFIER), quote=_text(c.quote), start=c.start, end=c.end)
        for c in answer.citations
    ]
    tree["answerable"] = answer.answerable
    tree["finish_reason"] = _label(answer.finish_reason)
    tree["usage"] = None if answer.usage is None else msgspec.to_builtins(answer.usage)
    signals = msgspec.to_builtins(answer.signals)
    tree["signals"] = {**signals, "thumbs": _label(answer.signals.thumbs)}
    tree["risk_tags"] = [Leaf(tag, Kind.LABEL) for tag in answer.risk_tags]
    return tree


def _passage(passage: Passage) -> dict[str, Any]:
    return _present(
        id=Leaf(passage.id, Kind.IDENTIFIER),
        text=_text(passage.text),
        score=passage.score,
        distance=passage.distance,
        version=_label(passage.version),
        effective_at=_label(passage.effective_at),
        superseded=passage.superseded,
        access=_label(passage.access),
        **{"class": _label(passage.document_class)},
    )


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _text(value: str | None) -> Leaf | None:
    return None if value is None else Leaf(value, Kind.TEXT)


def _label(value: str | None) -> Leaf | None:
    return None if value is None else Leaf(value, Kind.LABEL)
