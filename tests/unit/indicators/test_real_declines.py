"""Declines and look-alikes that real answers hold: the kind of each whole answer; skipped where they are not.

The list names sentence, kind and answer; it is the whole answer that is classified, for a lone sentence does
not tell a decline from a decline that is followed by an answer.
"""

from __future__ import annotations

import pytest

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators
from sentinel.records import RawAnswer
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits
from tests.unit.indicators.hand_checked import ANSWERS

LISTED = ANSWERS.parent / "abstentions.txt"
MOST_ERRORS = 4
#: Which abstention an answer of each kind may be given; an upstream error is an indicator of its own.
ALLOWED = {
    "full": {"full"},
    "decline_then_answer": {"partial"},
    "partial": {"partial", "none"},
    "not_an_abstention": {"none"},
    "upstream_error": {"none"},
}


@pytest.mark.skipif(not LISTED.is_file(), reason="the shared answers are not here (SENTINEL_SHARED)")
def test_real_declines_are_told_from_look_alikes() -> None:
    rows = [line.split("\t") for line in LISTED.read_text().splitlines() if line and line[0] != "#"]
    answers: dict[str, RawAnswer] = {}
    for name in {dataset for _, dataset, *_ in rows}:
        for line in (ANSWERS / f"{name}.jsonl").read_bytes().splitlines():
            answer = decode_value(line, DecodeLimits()).answer
            answers[answer.event_id] = answer
    memo, params, wrong = PassageMemo(), IndicatorParams(), []
    for kind, _, _, event_id, _ in rows:
        found = compute_indicators(answers[event_id], params, memo)
        as_error = found.delivery.upstream_error
        if found.abstention.kind not in ALLOWED[kind] or as_error != (kind == "upstream_error"):
            wrong.append((event_id, kind, found.abstention.kind, as_error))
    assert len(rows) >= 50
    assert len(wrong) <= MOST_ERRORS, wrong
