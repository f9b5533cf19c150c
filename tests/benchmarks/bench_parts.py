"""What each part of a record's way costs in the consuming process: least processor time a record, in µs.

Run as `python -m tests.benchmarks.bench_parts [--records N] [--repeats N]`. The events of `rag_traffic` go
through the very functions the agent calls, one part after the other over all of them; passages are known.
Polling, commits and redaction are left out: `bench_throughput` has them. A part alone finds its code and its
data in the processor's caches, so the parts add up to less than the whole.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators, fired
from sentinel.indicators.abstention import abstention_indicators
from sentinel.indicators.citations import citation_indicators, plain_indicators, text_references
from sentinel.indicators.compute import plain_citations_of
from sentinel.indicators.grounding import evidence_of, grounding_indicators, source_words
from sentinel.indicators.length import length_indicators
from sentinel.indicators.names import ungrounded_names
from sentinel.indicators.numerals import answer_numbers
from sentinel.indicators.passages import Evidence
from sentinel.indicators.resolver import Resolver
from sentinel.indicators.signs import look_at
from sentinel.indicators.word_sets import vocabulary
from sentinel.indicators.wording import Wording
from sentinel.indicators.words import STOP_WORDS
from sentinel.pipeline.domain_caps import DomainCaps, DomainParams
from sentinel.pipeline.stages import Arrival, Drawn, Stages
from sentinel.pipeline.tally import Tally
from sentinel.records import Partition, RawAnswer, RawRecord
from sentinel.redaction import RedactionParams, redact_value
from sentinel.sampling.design import SamplingParams, configured_design
from sentinel.sampling.inclusion import decide
from sentinel.sampling.selection import Salt, Salts
from sentinel.stream.limits import DecodeLimits
from tests.benchmarks.rag_traffic import RagTraffic
from tests.benchmarks.surroundings import BareEvent

_NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
_PARTITION = Partition("answers", 0)
_MICRO = 1e6
_STOP = vocabulary(STOP_WORDS)
_PARAMS = IndicatorParams()
#: How the answers of this traffic are cited.
_MARK = re.compile(r"\[\d\]")

Work = Callable[[], object]


def main() -> None:
    """Print one line a part."""
    options = argparse.ArgumentParser()
    options.add_argument("--records", type=int, default=2000)
    options.add_argument("--repeats", type=int, default=7)
    given = options.parse_args()
    table = Table("part", "µs a record", title="Least processor time, 4 KB events")
    for name, work in _parts(list(RagTraffic().events(given.records))):
        table.add_row(name, f"{_least(work, given.repeats) / given.records * _MICRO:.1f}")
    Console(width=80).print(table)


def _least(work: Work, repeats: int) -> float:
    work()
    least = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


def _parts(events: list[bytes]) -> Iterator[tuple[str, Work]]:
    decoder = msgspec.json.Decoder(BareEvent)
    yield "bare decoding", lambda: [decoder.decode(value) for value in events]
    records = [
        RawRecord(_PARTITION, n, n + 1, _NOW + timedelta(milliseconds=n), len(value), value)
        for n, value in enumerate(events)
    ]
    memo, salt = PassageMemo(), Salt.of("a salt of the benchmarks")
    clean = lru_cache(4096)(partial(redact_value, key=salt.key, params=RedactionParams()))
    stages = Stages(DecodeLimits(), _PARAMS, (), Salts(salt), salt, clean, memo)
    yield "decode, facts, identity", lambda: [stages.arrive(record, _NOW) for record in records]
    arrivals = [arrival for r in records if isinstance(arrival := stages.arrive(r, _NOW), Arrival)]
    answers = [arrival.answer for arrival in arrivals]
    yield "indicators", lambda: [compute_indicators(answer, _PARAMS, memo) for answer in answers]
    yield from _indicator_parts(answers, memo)
    design = configured_design(SamplingParams(salt="x"), salt.id, "benchmark")
    row = design.first_row("benchmark")
    indicators = [compute_indicators(answer, _PARAMS, memo) for answer in answers]
    pairs = list(zip(arrivals, indicators, strict=True))
    yield "draw", lambda: [decide(row, design, a.facts, i, salt) for a, i in pairs]
    drawn = [Drawn(arrival, found, stages.decide(arrival, found, row, design)) for arrival, found in pairs]
    yield "counting", lambda: _count(drawn)


def _count(drawn: list[Drawn]) -> Any:
    tally = Tally(DomainCaps(DomainParams(), {}))
    for one in drawn:
        arrival, names = one.arrival, fired(one.indicators)
        tally.add(_PARTITION, arrival.identity, arrival.facts, one.indicators, names, one.decision)
    return tally.cells, tally.minutes, tally.slices


def _indicator_parts(answers: list[RawAnswer], memo: PassageMemo) -> Iterator[tuple[str, Work]]:
    yield "  words", lambda: [Wording(answer.answer) for answer in answers]
    worded = [(answer, Wording(answer.answer)) for answer in answers]
    yield "  length", lambda: [length_indicators(answer.answer) for answer in answers]
    yield "  abstention", lambda: [abstention_indicators(w, a.answerable, has_words=True) for a, w in worded]
    yield "  citations", lambda: [_citations(answer, wording) for answer, wording in worded]
    yield "  evidence", lambda: [evidence_of(answer, memo) for answer in answers]
    prose = [(_MARK.sub("", a.answer), w, evidence_of(a, memo)) for a, w in worded]
    counts = [source_words(evidence_of(answer, memo), answer) for answer in answers]
    given = [(*one, count) for one, count in zip(prose, counts, strict=True)]
    yield "  grounding", lambda: [grounding_indicators(*one) for one in given]
    yield "    numbers", lambda: [answer_numbers(text, w.telling_content()) for text, w, _ in prose]
    missing = [(text, _missing(wording, found)) for text, wording, found in prose]
    yield "    names", lambda: [ungrounded_names(text, words) for text, words in missing]


def _missing(wording: Wording, evidence: list[Evidence] | None) -> set[bytes]:
    return wording.words.compared([facts.words for facts in evidence or ()], _STOP, 4)[1]


def _citations(answer: RawAnswer, wording: Wording) -> object:
    resolver = Resolver(answer.retrieved, answer.citations, "auto")
    signs, _ = look_at(answer.answer)
    plain = plain_citations_of(answer.answer, signs, resolver, wording.telling)
    if plain is not None:
        return plain_indicators(plain[0], plain[1], resolver, answer.citations, claims_need_citation=True)
    references = text_references(answer.answer, resolver, wording.telling, signs)
    return citation_indicators(references, resolver, answer.citations, claims_need_citation=True)


if __name__ == "__main__":
    main()
