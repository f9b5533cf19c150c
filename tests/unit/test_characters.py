"""One rule for characters that cannot be stored, whichever door a text comes in by."""

from __future__ import annotations

import json

import pytest
from sqlalchemy.dialects import sqlite

from sentinel.characters import clean_text
from sentinel.labelling.label_line import parse_label_line
from sentinel.store.columns import CleanText, KeyText, clean_json
from sentinel.stream.cleaning import Cleaner
from sentinel.stream.limits import DecodeLimits

TEXTS = {
    "nul inside": ("al\x00pha", "alpha"),
    "only nul around": ("\x00a\x00\x00", "a"),
    "nul and its escape": ("\\u0000\x00", "\\u0000"),
    "lone high": ("a\ud83d b", "a\ufffd b"),
    "lone low": ("\ude00a", "\ufffda"),
    "swapped pair": ("\ude00\ud83da", "\ufffd\ufffda"),
    "nul between two": ("\ud83d\x00\ude00", "\ufffd\ufffd"),
    "nul after one": ("é\ud83d\x00", "é\ufffd"),
    "whole emoji": ("\U0001f600\x00", "\U0001f600"),
    "other controls": ("\x01\x1b\x7f\x85", "\x01\x1b\x7f\x85"),
    "nothing to do": ("Grüße, 日本", "Grüße, 日本"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_events_labels_and_columns_clean_alike(name: str) -> None:
    given, cleaned = TEXTS[name]
    claim = {"text": given, "label": "supported"}
    label = {"event_id": "e", "annotator": "a", "answered": True, "abstention": "none", "claims": [claim]}
    parsed = parse_label_line(json.dumps(label).encode()).annotation.claims[0].text
    found = {
        "characters": clean_text(given),
        "event": Cleaner(DecodeLimits()).characters(given),
        "label": parsed,
        "column": CleanText().process_bind_param(given, sqlite.dialect()),
        "key": KeyText().process_bind_param(given, sqlite.dialect()),
        "json": clean_json({given: given})[cleaned],
    }
    assert found == dict.fromkeys(found, cleaned)
    assert clean_text(cleaned) == cleaned
