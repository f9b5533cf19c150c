"""Two hundred real answers that were read by hand, and what the indicators make of them.

`hand_checked_answers.json` has event ids and verdicts alone: abstention (`none`, `partial`, `full`) and the
numbers of the passages that the answer's text refers to, in order of their first mention. They were written
down before the indicators were looked at. `python -m tests.unit.indicators.hand_checked` prints the figures.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators
from sentinel.records import Indicators, RawAnswer
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits

ROOT = Path(__file__).resolve().parents[3]
ANSWERS = Path(os.environ.get("SENTINEL_SHARED", ROOT.parent / "shared")) / "data" / "answers"
VERDICTS = Path(__file__).with_name("hand_checked_answers.json")


@dataclass(frozen=True, slots=True)
class Checked:
    """One answer: the verdict of the reader and that of the indicators."""

    event_id: str
    source: str
    abstention: str
    cited: frozenset[str]
    found: Indicators

    @property
    def found_citations(self) -> frozenset[str]:
        """Return what the indicators say is cited: passage ids, and numbers that lead nowhere."""
        return frozenset((*self.found.citations.valid, *self.found.citations.invalid))


def checked() -> Iterator[Checked]:
    """Yield every answer that was read."""
    verdicts = json.loads(VERDICTS.read_text())
    wanted = {verdict["event_id"] for verdict in verdicts}
    events: dict[str, RawAnswer] = {}
    for source in sorted({verdict["source"] for verdict in verdicts}):
        for line in (ANSWERS / f"{source}.jsonl").read_bytes().splitlines():
            answer = decode_value(line, DecodeLimits()).answer
            if answer.event_id in wanted:
                events[answer.event_id] = answer
    memo, params = PassageMemo(), IndicatorParams()
    for verdict in verdicts:
        answer = events[verdict["event_id"]]
        yield Checked(
            answer.event_id,
            verdict["source"],
            verdict["abstention"],
            frozenset(_named(answer, number) for number in verdict["cited"]),
            # What the app itself names as cited is no matter of reading the text.
            compute_indicators(msgspec.structs.replace(answer, citations=()), params, memo),
        )


def _named(answer: RawAnswer, number: int) -> str:
    passages = answer.retrieved or ()
    return passages[number - 1].id if number <= len(passages) else str(number)


def shares(right: int, found: int, there: int) -> dict[str, Any]:
    """Return precision and recall with the counts they are made of."""
    return {
        "right": right,
        "found": found,
        "there": there,
        "precision": right / found if found else None,
        "recall": right / there if there else None,
    }


def figures(answers: list[Checked]) -> dict[str, dict[str, Any]]:
    """Return precision and recall of full abstentions, of any decline, and of single citations."""
    pairs = Counter((one.abstention, one.found.abstention.kind) for one in answers)
    declined = {"full", "partial"}

    def of(verdicts: set[str]) -> dict[str, Any]:
        right = sum(n for (hand, found), n in pairs.items() if hand in verdicts and found in verdicts)
        found_all = sum(n for (_, found), n in pairs.items() if found in verdicts)
        return shares(right, found_all, sum(n for (hand, _), n in pairs.items() if hand in verdicts))

    return {
        "full": of({"full"}),
        "partial": of({"partial"}),
        "declined": of(declined),
        "citations": shares(
            sum(len(one.cited & one.found_citations) for one in answers),
            sum(len(one.found_citations) for one in answers),
            sum(len(one.cited) for one in answers),
        ),
    }


if __name__ == "__main__":
    everything = list(checked())
    for name, figure in figures(everything).items():
        print(name, figure)
    for one in everything:
        if one.abstention != one.found.abstention.kind:
            print(f"{one.event_id}: {one.abstention} by hand, {one.found.abstention.kind} found")
        if one.cited != one.found_citations:
            print(f"{one.event_id}: {sorted(one.cited ^ one.found_citations)}")
