"""The values of one indicator version over answers of real apps, as a digest: making it quicker changes none.

A change that is meant to change a value raises `INDICATOR_VERSION`, and then these digests are taken anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from sentinel.indicators import (
    INDICATOR_VERSION,
    IndicatorParams,
    PassageMemo,
    compute_indicators,
    fired,
    numbers_and_flags,
    to_contract,
)
from sentinel.records import RawAnswer
from sentinel.sampling.allocation import size_measure
from sentinel.sampling.risk import predicted_risk, risk_reasons
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits

ANSWERS = Path(os.environ.get("SENTINEL_SHARED", Path(__file__).parents[4] / "shared")) / "data" / "answers"
DIGESTS = {
    "delucionqa": "fe0dfe1c9d04e549",
    "delucionqa_abstentions": "6016f923f60ac39c",
    "expertqa": "28757411b90cd45e",
    "halueval_general": "f3ac0d3966986d85",
    "mtrag_human": "b01544a146f69e8e",
    "ragtruth_qa": "3d08b81b5421fb15",
}


@pytest.mark.skipif(not ANSWERS.is_dir(), reason="the shared answers are not here (SENTINEL_SHARED)")
@pytest.mark.parametrize("name", DIGESTS)
def test_the_values_of_this_version_stay(name: str) -> None:
    if INDICATOR_VERSION != "2":
        pytest.skip("these digests are of version 2")
    lines = (ANSWERS / f"{name}.jsonl").read_bytes().splitlines()
    assert digest_of([decode_value(line, DecodeLimits()).answer for line in lines]) == DIGESTS[name]


def digest_of(answers: list[RawAnswer]) -> str:
    """Everything that is listed, stored or counted of an answer, its risk, and its size bit for bit."""
    memo, params, digest = PassageMemo(), IndicatorParams(), hashlib.sha256()
    for answer in answers:
        indicators = compute_indicators(answer, params, memo)
        risk = predicted_risk(indicators)
        values = [
            to_contract(answer.event_id, indicators, risk, risk_reasons(indicators)),
            numbers_and_flags(indicators),
            fired(indicators),
            size_measure(risk, 0.2).hex(),
        ]
        digest.update(json.dumps(values).encode())
    return digest.hexdigest()[:16]
