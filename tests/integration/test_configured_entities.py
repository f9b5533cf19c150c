"""`redaction.entities` holds for domains, ids and versions as it does for texts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sentinel.clock import FixedClock
from sentinel.redaction import PatternDetector, RedactionParams
from sentinel.redaction import redact_texts as redact_with
from sentinel.review.label_import import LabelImport, numbered_lines
from sentinel.store.annotations import iter_annotations
from sentinel.stream.memory_source import MemoryTopic
from tests.harness import WEEK, consume_topic, encoded, event, fill, fresh_database, settings_for, units_of
from tests.integration.label_store import claim, line

VALUES = {
    "EMAIL_ADDRESS": "desk-zoe@corp.test",
    "PHONE_NUMBER": "202-555-0143",
    "PERSON": "Mary Johnson",
    "CREDIT_CARD": "4111 1111 1111 1111",
}


@pytest.mark.parametrize("field", ["app", "tenant", "prompt_version"])
@pytest.mark.parametrize("entity", VALUES)
def test_domains_and_versions_follow_the_setting(entity: str, field: str, tmp_path: Path) -> None:
    settings = replace(settings_for(rate=1.0), redaction=RedactionParams(entities=(entity,)))
    events = [
        event(number, WEEK + timedelta(minutes=number), **{field: value})
        for number, value in enumerate(VALUES.values())
    ]
    fill(topic := MemoryTopic(), events)
    with fresh_database(tmp_path) as database:
        consume_topic(topic, database, settings)
        stored = {one.unit.facts.domains[field] for one in units_of(database).values()}
    kept = {value for name, value in VALUES.items() if name != entity}
    assert stored >= kept
    assert VALUES[entity] not in stored


@pytest.mark.parametrize("entity", VALUES)
def test_ids_and_versions_of_labels_follow_it_and_annotators_do_not(entity: str, tmp_path: Path) -> None:
    params = RedactionParams(entities=(entity,))
    document = line(
        "e1",
        claim(),
        annotator="Mary Johnson",
        guideline_version=VALUES[entity],
        citations=[{"id": value, "entails": True} for value in VALUES.values()],
    )
    path = tmp_path / "labels.jsonl"
    path.write_bytes(encoded(document))
    with fresh_database(tmp_path) as database, path.open("rb") as stream:
        taking = LabelImport(
            database,
            lambda texts: redact_with(list(texts), PatternDetector(params), params),
            b"a key of the tests",
            FixedClock(WEEK),
            redaction=params,
        )
        outcome = taking.run(numbered_lines(stream, 100_000))
        assert outcome.accepted == 1, outcome.refusals
        with database.read() as conn:
            (kept,) = (one.annotation for one in iter_annotations(conn))
    cited = [identifier for identifier, _ in kept.citations]
    assert {value for name, value in VALUES.items() if name != entity} <= set(cited)
    assert VALUES[entity] not in cited
    assert kept.guideline_version != VALUES[entity]
    assert kept.annotator.startswith("annotator-")
