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
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits

ANSWERS = Path(os.environ.get("SENTINEL_SHARED", Path(__file__).parents[4] / "shared")) / "data" / "answers"
DIGESTS = {
    "delucionqa": "44c7282c5969b03f",
    "delucionqa_abstentions": "13c323d873bc2916",
    "expertqa": "9b78ad8efdd7c4b0",
    "halueval_general": "d0b570e6ea71e321",
    "mtrag_human": "91e7736b9e25ac0e",
    "ragtruth_qa": "135d2ac7cbefcbd3",
}


@pytest.mark.skipif(not ANSWERS.is_dir(), reason="the shared answers are not here (SENTINEL_SHARED)")
@pytest.mark.parametrize("name", DIGESTS)
def test_the_values_of_this_version_stay(name: str) -> None:
    assert INDICATOR_VERSION == "5", "take the digests of the new version"
    lines = (ANSWERS / f"{name}.jsonl").read_bytes().splitlines()
    assert digest_of([decode_value(line, DecodeLimits()).answer for line in lines]) == DIGESTS[name]


def digest_of(answers: list[RawAnswer]) -> str:
    """Everything that is listed, stored or counted of an answer; π and risk are functions of these values."""
    memo, params, digest = PassageMemo(), IndicatorParams(), hashlib.sha256()
    for answer in answers:
        indicators = compute_indicators(answer, params, memo)
        listed = to_contract(answer.event_id, indicators, None, ())
        digest.update(json.dumps([listed, numbers_and_flags(indicators), fired(indicators)]).encode())
    return digest.hexdigest()[:16]
