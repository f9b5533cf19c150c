"""The simulated stream: repeatable, silent about its truth, and with everything in it that can go wrong."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sentinel.demo.plan import Plan
from sentinel.demo.simulation import Line, simulate
from sentinel.demo.truth import true_rates
from sentinel.errors import DeadLetterError
from sentinel.indicators import IndicatorParams, PassageMemo, compute_indicators, fired
from sentinel.indicators.contract import INDICATOR_NAMES
from sentinel.records import Partition, RawAnswer, RawRecord
from sentinel.stream.decode import Decoded, decode
from sentinel.stream.limits import DecodeLimits

PLAN = Plan(3000, 11, datetime(2026, 11, 2, tzinfo=UTC))
SCHEMA = json.loads((Path(__file__).parents[3] / "config/answer_event.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    return list(simulate(PLAN))


@pytest.fixture(scope="module")
def answers(lines: list[Line]) -> list[RawAnswer]:
    """The first arrival of each answer, decoded."""
    decoded = [taken(line.text) for line in lines if line.truth is not None]
    return [one.answer for one in decoded if isinstance(one, Decoded)]


def taken(text: bytes) -> Any:
    record = RawRecord(Partition("file", 0), 0, 1, PLAN.ends, len(text), text)
    try:
        return decode(record, DecodeLimits())
    except DeadLetterError as error:
        return error.reason


def test_the_same_plan_gives_the_same_bytes_and_another_seed_others(lines: list[Line]) -> None:
    assert [line.text for line in simulate(PLAN)] == [line.text for line in lines]
    other = [line.text for line in simulate(Plan(200, 12, PLAN.begins))]
    same = [line.text for line in simulate(Plan(200, 13, PLAN.begins))]
    assert other != same


def test_another_fortnight_changes_times_and_nothing_else() -> None:
    def without_time(plan: Plan) -> list[bytes]:
        found = []
        for line in simulate(plan):
            cut = line.text.find(b'"occurred_at": "')
            found.append(line.text[:cut] + line.text[cut + 45 :] if cut >= 0 else b"")
        return found

    later = Plan(300, 5, datetime(2027, 2, 1, tzinfo=UTC))
    assert without_time(Plan(300, 5, PLAN.begins)) == without_time(later)


def test_every_answer_can_be_decoded_and_arrives_first_with_its_truth(
    lines: list[Line], answers: list[RawAnswer]
) -> None:
    truths = [line.truth for line in lines if line.truth is not None]
    assert len(answers) == len(truths) == PLAN.events
    assert [a.event_id for a in answers] == [t.event_id for t in truths]
    assert len({a.event_id for a in answers}) == PLAN.events
    times = [answer.occurred_at for answer in answers if answer.occurred_at is not None]
    assert len(times) == PLAN.events
    assert times == sorted(times)
    assert PLAN.begins <= times[0]
    assert times[-1] < PLAN.ends


def test_the_events_keep_to_the_published_schema(lines: list[Line]) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    bad = 0
    for line in [line for line in lines if line.truth is not None][:400]:
        event = json.loads(line.text)
        bad += not validator.is_valid(event)
    assert bad <= 3, "only the few values that cannot be stored as sent may break the schema"


def test_nothing_of_the_truth_is_in_an_event(lines: list[Line]) -> None:
    fields = {key for line in lines if line.truth is not None for key in json.loads(line.text)}
    assert fields <= {*SCHEMA["properties"]}
    words = ("contradicted", "not_in_evidence", 'unsupported"', "nonfactual", "severity", "truth")
    for line in lines:
        if line.truth is not None:
            assert not any(word.encode() in line.text for word in words)


def test_every_indicator_and_signal_occurs(answers: list[RawAnswer]) -> None:
    memo, params = PassageMemo(), IndicatorParams()
    seen = Counter(name for a in answers for name in fired(compute_indicators(a, params, memo)))
    assert set(seen) == set(INDICATOR_NAMES)
    assert all(count < 0.4 * PLAN.events for count in seen.values())
    signals = Counter(
        name
        for answer in answers
        for name in ("user_correction", "safety_incident", "unsupported_citation_report", "thumbs")
        if getattr(answer.signals, name)
    )
    assert signals["user_correction"]
    assert signals["thumbs"]


def test_slices_and_personal_data_are_there(answers: list[RawAnswer]) -> None:
    for name, least in (("app", 2), ("workflow", 4), ("tenant", 4), ("locale", 3)):
        assert len({answer.domains[name] for answer in answers}) >= least
    for name in ("model", "prompt_version"):
        assert len({answer.versions[name] for answer in answers}) == 2
    texts = [
        a.answer + (a.question or "") + "".join(p.text or "" for p in a.retrieved or ()) for a in answers
    ]
    assert sum("@example." in text for text in texts) > 0.2 * PLAN.events
    assert sum("Refund account: DE" in text for text in texts) > 0.1 * PLAN.events


def test_repeats_late_signals_and_poison_are_on_the_way(lines: list[Line]) -> None:
    others = [taken(line.text) for line in lines if line.truth is None]
    reasons = Counter(one for one in others if isinstance(one, str))
    assert {"oversized", "not_json", "not_an_object"} <= set(reasons)
    again = [one.answer for one in others if isinstance(one, Decoded)]
    known = {line.truth.event_id for line in lines if line.truth is not None}
    assert {answer.event_id for answer in again} <= known
    late = [answer for answer in again if answer.signals.user_correction]
    assert any(answer.answer for answer in late), "no late signal with its content"
    assert any(not answer.answer for answer in late), "no late signal without content"
    assert any(not answer.signals.user_correction and answer.answer for answer in again), "no repeat"


def test_the_new_prompt_is_worse_and_no_more(lines: list[Line]) -> None:
    truths = [line.truth for line in lines if line.truth is not None]
    old, new = (
        true_rates(t for t in truths if t.domains["prompt_version"] == version) for version in ("v7", "v8")
    )
    assert old.case is not None
    assert new.case is not None
    assert 0.02 < old.case < new.case < 0.4
    assert abs(old.answers - new.answers) < 0.2 * PLAN.events


def test_nights_are_quiet_and_weekends_too(answers: list[RawAnswer]) -> None:
    times = [answer.occurred_at for answer in answers if answer.occurred_at is not None]
    hours = Counter(moment.hour for moment in times)
    days = Counter(moment.weekday() for moment in times)
    assert 5 * hours[3] < hours[10]
    assert days[6] < 0.7 * days[1]
