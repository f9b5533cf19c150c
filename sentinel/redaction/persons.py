"""Persons in a text: what the model says, made fit for chat-like text."""

from __future__ import annotations

from spacy.tokens import Doc

from sentinel.redaction.spans import Span


def with_capitals(text: str) -> str:
    return text


def find_persons(text: str, doc: Doc, capital: Doc) -> list[Span]:
    """Return the spans of persons in `text`, from the model's view of it and of its capitalised twin."""
    return [Span(e.start_char, e.end_char, "PERSON") for e in doc.ents if e.label_ == "PERSON"]
