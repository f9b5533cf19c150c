"""Indicators of events on a file or pipe: what `sentinel indicators` prints, without the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from sentinel.errors import DeadLetterError
from sentinel.indicators.compute import compute_indicators
from sentinel.indicators.contract import to_contract
from sentinel.indicators.params import IndicatorParams
from sentinel.indicators.passages import PassageMemo
from sentinel.pipeline.refused_lines import RefusedLines
from sentinel.sampling.risk import DEFAULT_RISK_MODEL, predicted_risk, risk_reasons
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits


def indicator_lines(
    lines: Iterable[bytes], limits: DecodeLimits, params: IndicatorParams, refused: RefusedLines
) -> Iterator[str]:
    """Yield one line of JSON for each event; lines that hold none are counted in `refused`.

    The output shows pieces of the answers (numbers and names without ground): it is for the eyes of
    whoever asked, and is written nowhere else.
    """
    memo = PassageMemo()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            answer = decode_value(line.rstrip(b"\r\n"), limits).answer
        except DeadLetterError as error:
            refused.add(error.reason, number)
            continue
        indicators = compute_indicators(answer, params, memo)
        risk = predicted_risk(indicators, DEFAULT_RISK_MODEL)
        document = to_contract(answer.event_id, indicators, risk, risk_reasons(indicators))
        yield json.dumps(document, ensure_ascii=False, allow_nan=False)
