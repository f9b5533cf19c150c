"""Changes of salt and indicators, late signals in the metrics, answers that break our own code."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sentinel.cli.wiring import worker
from sentinel.clock import FixedClock
from sentinel.errors import StopError
from sentinel.indicators import IndicatorParams
from sentinel.pipeline.redaction_pool import RedactionPoolParams
from sentinel.redaction import RedactionParams
from sentinel.sampling.selection import Salt, random_number
from sentinel.settings import Settings
from sentinel.store import frame, schedule
from sentinel.store.database import Database
from sentinel.stream.file_source import FileSource
from sentinel.stream.memory_source import MemorySource, MemoryTopic
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics
from tests.harness import (
    WEEK,
    consume,
    consume_topic,
    encoded,
    event,
    fill,
    fresh_database,
    settings_for,
    units_of,
)

EVENTS = [event(number, WEEK + timedelta(minutes=number)) for number in range(400)]
LATER = [event(number, WEEK + timedelta(days=2, minutes=number)) for number in range(400, 800)]


def topic_of(name: str, events: list[dict[str, Any]]) -> MemoryTopic:
    fill(topic := MemoryTopic(name), events)
    return topic


def frame_events(database: Database) -> int:
    with database.read() as connection:
        cells = frame.totals(connection, WEEK - timedelta(days=30), WEEK + timedelta(days=30), domain="")
    return sum(cell.events for cell in cells.values())


def with_salt(settings: Settings, salt: str, *earlier: str) -> Settings:
    return replace(settings, sampling=replace(settings.sampling, salt=salt, earlier_salts=earlier))


def sample_value(metrics: Metrics, name: str, **labels: str) -> float:
    return metrics.registry.get_sample_value(name, labels) or 0.0


def test_a_new_salt_without_the_old_one_stops_before_anything_is_drawn(tmp_path: Path) -> None:
    settings = settings_for("salt A", 0.2)
    with fresh_database(tmp_path) as database:
        consume_topic(topic_of("first", EVENTS), database, settings)
        before = units_of(database).keys()
        with pytest.raises(StopError, match=r"sampling\.earlier_salts"):
            consume_topic(topic_of("second", LATER), database, with_salt(settings, "salt B"))
        assert units_of(database).keys() == before
        assert frame_events(database) == len(EVENTS)


def test_every_answer_is_drawn_with_the_salt_of_its_row_and_known_after_the_change(tmp_path: Path) -> None:
    settings = settings_for("salt A", 0.2)
    changed = with_salt(settings, "salt B", "salt A")
    late = [event(number, WEEK + timedelta(hours=1, minutes=number)) for number in range(1000, 1200)]
    with fresh_database(tmp_path) as database:
        consume_topic(topic_of("first", EVENTS), database, settings)
        assert consume_topic(topic_of("replayed", EVENTS), database, changed)["duplicates"] == len(EVENTS)
        consume_topic(topic_of("late", late), database, changed)
        consume_topic(topic_of("later", LATER), database, changed)
        assert frame_events(database) == len(EVENTS) + len(late) + len(LATER)
        salts = {Salt.of(name).id: Salt.of(name) for name in ("salt A", "salt B")}
        used = set()
        with database.read() as connection:
            for stored in units_of(database).values():
                decision = stored.unit.decision
                design = schedule.design_spec(connection, decision.design_id)
                assert design is not None
                salt = salts[design["salt_id"]]
                used.add(salt.id)
                assert decision.random_number == random_number(decision.event_id, salt)
        assert used == set(salts), "both salts drew answers, each those of its rows"


def test_other_indicators_on_an_old_row_are_a_design_of_their_own(tmp_path: Path) -> None:
    settings = settings_for(rate=0.3)
    changed = replace(settings, indicators=IndicatorParams(citations_expected=False))
    late = [event(number, WEEK + timedelta(minutes=number)) for number in range(1000, 1400)]
    with fresh_database(tmp_path) as database:
        consume_topic(topic_of("first", EVENTS), database, settings)
        consume_topic(topic_of("late", late), database, changed)
        designs = {key: stored.unit.decision.design_id for key, stored in units_of(database).items()}
        first = {designs[e["event_id"]] for e in EVENTS if e["event_id"] in designs}
        later = {designs[e["event_id"]] for e in late if e["event_id"] in designs}
        assert len(first) == len(later) == 1
        assert first != later
        (first_id,), (later_id,) = first, later
        with database.read() as connection:
            spec = schedule.design_spec(connection, later_id)
            assert spec is not None
            assert "citations_expected=False" in spec["indicators"]
            cells = frame.totals(connection, WEEK, WEEK + timedelta(days=1), domain="")
        counted = {key.design_id: cell.events for key, cell in cells.items()}
        assert counted == {first_id: len(EVENTS), later_id: len(late)}


def run(source: Any, database: Database, settings: Settings, now: Any = None) -> Metrics:
    metrics = Metrics()
    clock = FixedClock(now or WEEK + timedelta(days=7))
    with worker(
        settings, source, database, Salt.of(settings.sampling.salt), metrics, Health(), clock
    ) as working:
        working.agent.run(until_end=True)
    return metrics


def test_drawn_and_expected_units_speak_of_the_same_answers(tmp_path: Path) -> None:
    signals = [event(n, WEEK + timedelta(minutes=n), signals={"user_correction": True}) for n in range(300)]
    with fresh_database(tmp_path) as database:
        metrics = run(MemorySource(topic_of("all", EVENTS + signals)), database, settings_for(rate=0.1))
        drawn = sample_value(metrics, "sentinel_sampling_units_total")
        expected = sample_value(metrics, "sentinel_sampling_expected_units_total")
        variance = sample_value(metrics, "sentinel_sampling_units_variance_total")
        raised = sample_value(metrics, "sentinel_sampling_raised_units_total")
        assert abs(drawn - expected) < 5 * variance**0.5
        assert drawn + raised == len(units_of(database))
        assert raised > 200


def test_a_late_signal_that_does_not_say_when_leaves_the_probability(tmp_path: Path) -> None:
    timeless = {key: value for key, value in EVENTS[3].items() if key != "occurred_at"}
    with fresh_database(tmp_path) as database:
        consume_topic(topic_of("first", EVENTS), database, settings_for(rate=0.05))
        before = {key: one.unit.decision for key, one in units_of(database).items()}
        again = MemoryTopic("again")
        again.append(encoded({**timeless, "signals": {"user_correction": True}}), WEEK + timedelta(days=3))
        metrics = run(MemorySource(again), database, settings_for(rate=0.05))
        assert {key: one.unit.decision for key, one in units_of(database).items()} == before
        assert sample_value(metrics, "sentinel_sampling_signals_elsewhere_total") == 1


ELSEWHERE = {
    "the next week": {"occurred_at": (WEEK + timedelta(days=8)).isoformat()},
    "the window after": {"occurred_at": (WEEK + timedelta(minutes=15)).isoformat()},
    "the day before": {"occurred_at": (WEEK - timedelta(days=1)).isoformat()},
    "another app": {"app": "another"},
    "another model": {"model": "m-9"},
    "another prompt version": {"prompt_version": "v9"},
    "one domain more": {"tenant": "acme"},
    "one domain less": {"app": None},
}


@pytest.mark.parametrize("change", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_late_signal_from_elsewhere_leaves_units_and_frame_as_they_are(
    change: dict[str, Any], tmp_path: Path
) -> None:
    first = [event(number, WEEK + timedelta(seconds=number)) for number in range(200)]
    signal = {"signals": {"user_correction": True}}
    late = [{k: v for k, v in {**e, **change, **signal}.items() if v is not None} for e in first]
    with fresh_database(tmp_path) as database:
        consume_topic(topic_of("all", first), database, settings_for(rate=0.1))
        before = {key: one.unit.decision for key, one in units_of(database).items()}
        metrics = run(MemorySource(topic_of("late", late)), database, settings_for(rate=0.1))
        assert {key: one.unit.decision for key, one in units_of(database).items()} == before
        assert sample_value(metrics, "sentinel_sampling_signals_elsewhere_total") == len(late)
        assert sample_value(metrics, "sentinel_stream_duplicates_total") == len(late)


@pytest.mark.parametrize("together", [True, False], ids=["in one batch", "by a worker that starts anew"])
def test_a_late_signal_from_the_same_window_raises_every_answer(together: bool, tmp_path: Path) -> None:
    first = [event(number, WEEK + timedelta(seconds=number)) for number in range(200)]
    later = (WEEK + timedelta(seconds=500)).isoformat()
    late = [{**e, "occurred_at": later, "signals": {"user_correction": True}} for e in first]
    with fresh_database(tmp_path) as database:
        topics = [first + late] if together else [first, late]
        for number, events in enumerate(topics):
            consume_topic(topic_of(str(number), events), database, settings_for(rate=0.1))
        units = units_of(database)
        assert len(units) == len(first)
        assert all(one.unit.decision.inclusion_probability == 1.0 for one in units.values())
        with database.read() as connection:
            cells = frame.totals(connection, WEEK, WEEK + timedelta(minutes=15), domain="")
        assert sum(cell.events for cell in cells.values()) == len(first)


def test_what_is_parked_for_a_wrong_clock_is_not_covered_in_the_present(tmp_path: Path) -> None:
    now = WEEK + timedelta(days=3)
    ahead = now + timedelta(days=30)
    with fresh_database(tmp_path) as database:
        topic = MemoryTopic("ahead")
        for number in range(5):
            topic.append(encoded(event(number, ahead)), ahead)
        assert consume_topic(topic, database, settings_for(), now=now)["dead_letters"] == 5
        with database.read() as connection:
            assert frame.not_covered_totals(connection, WEEK, WEEK + timedelta(days=7)) == {
                "time_in_future": 5
            }


def test_a_fault_of_our_own_costs_the_one_answer_it_shows_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sentinel.pipeline import stages

    compute = stages.compute_indicators

    def broken(answer: Any, *others: Any) -> Any:
        if answer.event_id == "e00007":
            raise ZeroDivisionError(answer.answer)
        return compute(answer, *others)

    monkeypatch.setattr(stages, "compute_indicators", broken)
    with fresh_database(tmp_path) as database:
        totals = consume_topic(topic_of("all", EVENTS), database, settings_for())
        assert (totals["events"], totals["dead_letters"]) == (len(EVENTS) - 1, 1)
        with database.read() as connection:
            counted = frame.not_covered_totals(connection, WEEK, WEEK + timedelta(days=30))
        assert counted == {"treatment_failed": 1}


def test_lines_written_while_a_file_is_followed_have_their_own_time(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"event_id": "old", "answer": "x"}) + "\n")
    clock = FixedClock(WEEK)
    source = FileSource(path, 10_000, clock, follow=True)
    seen: list[Any] = []

    class Keeper:
        def on_assigned(self, _partitions: Any) -> dict[Any, int]:
            return {}

        def on_revoked(self, partitions: Any) -> None: ...

        def on_gap(self, partition: Any, expected_offset: int, found_offset: int) -> None: ...

    source.subscribe(Keeper())
    seen += source.poll(10, 0.1)
    with path.open("a") as handle:
        handle.write(json.dumps({"event_id": "new", "answer": "x"}) + "\n")
    seen += source.poll(10, 0.5)
    source.close()
    assert [record.timestamp is None for record in seen] == [False, True]


def test_with_scope_all_an_answer_that_cannot_be_redacted_is_never_considered(tmp_path: Path) -> None:
    def settings(scope: Any) -> Settings:
        return replace(
            settings_for(rate=1.0),
            redaction=RedactionParams(entities=("EMAIL_ADDRESS",), scope=scope),
            redaction_pool=RedactionPoolParams(processes=0),
        )

    deep: Any = "write to ana.q@mail.test"
    events = [event(n, WEEK, answer=f"Answer {n} for ana.q@mail.test.") for n in range(30)]
    events[4]["tool_calls"] = [{"name": "t", "output": deep}]
    for scope in ("stored", "all"):
        with fresh_database(tmp_path, f"{scope}.db") as database:
            totals = consume_topic(topic_of("all", events), database, settings(scope))
            assert totals["sampled"] == 30
            written = json.dumps([dict(one.content or {}) for one in units_of(database).values()])
            assert "ana.q" not in written
            assert "<EMAIL_1>" in written


def test_each_record_is_decoded_once_however_often_its_batch_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sentinel.pipeline import stages

    decode, calls = stages.decode, []

    def counting(record: Any, limits: Any) -> Any:
        calls.append(record.offset)
        return decode(record, limits)

    monkeypatch.setattr(stages, "decode", counting)
    with fresh_database(tmp_path) as database:
        consume(MemorySource(topic_of("all", EVENTS)), database, settings_for(rate=1.0, batch_units=16))
        assert len(units_of(database)) == len(EVENTS)
    assert len(calls) == len(EVENTS)


def test_a_worker_without_the_stores_salt_leaves_nothing_behind(tmp_path: Path) -> None:
    settings = settings_for("salt A", 0.2)
    with fresh_database(tmp_path) as database:
        consume_topic(topic_of("first", EVENTS), database, settings)
        with database.read() as connection:
            before = schedule.read_rows(connection)
        with pytest.raises(StopError):
            consume_topic(topic_of("second", LATER), database, with_salt(settings, "wrong"))
        with database.read() as connection:
            assert schedule.read_rows(connection) == before
        assert consume_topic(topic_of("second", LATER), database, settings)["events"] == len(LATER)


def test_a_signal_that_comes_without_its_answer_is_counted_and_no_dead_letter(tmp_path: Path) -> None:
    def signal(event_id: str) -> bytes:
        return encoded({"event_id": event_id, "signals": {"user_correction": True}})

    with fresh_database(tmp_path) as database:
        consume_topic(topic_of("first", EVENTS), database, settings_for(rate=0.1))
        before = {key: one.unit.decision for key, one in units_of(database).items()}
        alone = MemoryTopic("alone")
        for event_id in ("e00001", "e00002", "never-seen"):
            alone.append(signal(event_id), WEEK + timedelta(days=1))
        alone.append(encoded({"event_id": "e00003"}), WEEK + timedelta(days=1))
        alone.append(b" null ", WEEK + timedelta(days=1))
        totals = consume_topic(alone, database, settings_for(rate=0.1))
        assert totals == {"events": 0, "sampled": 0, "dead_letters": 2, "duplicates": 2, "tombstones": 1}
        assert {key: one.unit.decision for key, one in units_of(database).items()} == before


def test_half_a_line_is_left_until_its_writer_has_ended_it(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    whole, half = json.dumps({"event_id": "a", "answer": "x"}), '{"event_id": "b", "answer": "ok '
    path.write_text(f"{whole}\n{half}")
    settings = settings_for(rate=1.0)
    with fresh_database(tmp_path) as database:

        def read() -> dict[str, int]:
            now = datetime.now(UTC)  # the file's own time is the machine's
            with closing(FileSource(path, 10_000, FixedClock(now), follow=False)) as source:
                return consume(source, database, settings, now)

        assert (first := read())["events"] == 1
        assert first["dead_letters"] == 0
        with path.open("a") as handle:
            handle.write('now fine"}')
        assert (second := read())["events"] == 1
        assert second["dead_letters"] == 0
        assert set(units_of(database)) == {"a", "b"}
