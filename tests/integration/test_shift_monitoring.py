"""Shift detection on a store: alarms with size, slice and examples, cut into pieces, told outside."""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from sentinel.cli.main import app as command_line
from sentinel.cli.scheduled_work import jobs_of
from sentinel.clock import FixedClock
from sentinel.detection.params import ShiftParams
from sentinel.monitoring.evaluate import evaluate
from sentinel.monitoring.gauges import show_shifts
from sentinel.monitoring.look import SHIFT_DETECTION as JOB
from sentinel.monitoring.look import look
from sentinel.monitoring.params import MonitoringParams, WebhookParams
from sentinel.monitoring.webhook import tell
from sentinel.store import shifts, units
from sentinel.store.database import Database
from sentinel.store.leases import LeaseLostError
from sentinel.store.schema import shift_states
from sentinel.store.shifts import Alarm
from sentinel.stream.memory_source import MemoryTopic
from sentinel.telemetry.metrics import Metrics
from tests.harness import WEEK, consume_topic, event, fill, fresh_database, settings_for
from tests.integration.label_store import database, drawn
from tests.integration.leading_turns import take_turn
from tests.integration.shift_store import MINUTE, MONDAY, fill_minutes

__all__ = ["database"]

PARAMS = MonitoringParams()
USUAL = {"billing": 0.05, "refunds": 0.05}
DAY = 1440


def alarms_of(store: Database) -> list[Alarm]:
    with store.read() as conn:
        return list(shifts.iter_alarms(conn))


def at(minutes: int) -> datetime:
    return MONDAY + minutes * MINUTE


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a day of steady traffic that is already evaluated."""
    path = tmp_path_factory.mktemp("day") / "store.db"
    with Database(f"sqlite:///{path}") as store:
        store.upgrade()
        fill_minutes(store, MONDAY, DAY, USUAL)
        outcome = evaluate(store.begin, PARAMS, at(DAY))
        assert outcome.begun == ()
        assert outcome.evaluated_to == at(DAY - 2)
    return path


@pytest.fixture
def store(day: Path, tmp_path: Path) -> Iterator[Database]:
    (tmp_path / "store.db").write_bytes(day.read_bytes())
    with Database(f"sqlite:///{tmp_path / 'store.db'}") as opened:
        yield opened


def test_an_alarm_has_begin_end_size_slice_and_examples(store: Database) -> None:
    shifted = [drawn(f"late-{n}", at=at(DAY + 5 + n), app="shop", workflow="refunds") for n in range(12)]
    other = [drawn("elsewhere", at=at(DAY + 20), app="shop", workflow="billing")]
    for unit in shifted + other:
        object.__setattr__(unit, "indicators", {"abstention": "full", "words": 9})
    with store.begin() as conn:
        units.insert_units(conn, shifted + other, at(DAY))
    fill_minutes(store, at(DAY), 45, {"billing": 0.05, "refunds": 0.30}, seed=2)
    fill_minutes(store, at(DAY + 45), 60, USUAL, seed=3)
    outcome = evaluate(store.begin, PARAMS, at(DAY + 105))
    assert [(told.series, told.direction) for told in outcome.begun] == [("abstained", "up")]
    assert outcome.ended == 1
    (alarm,) = alarms_of(store)
    assert (alarm.app, alarm.version, alarm.series, alarm.direction) == ("shop", "", "abstained", "up")
    assert abs(alarm.onset_at - at(DAY)) <= 5 * MINUTE
    assert at(DAY) < alarm.begun_at <= at(DAY + 12)
    assert at(DAY + 45) < alarm.ended_at <= at(DAY + 70)  # type: ignore[operator]
    assert alarm.end_reason == "back"
    size = alarm.findings.size
    assert size["lower"] < size["observed"] < size["upper"]
    assert size["lower"] > size["usual"]
    assert size["usual"] == pytest.approx(0.05, rel=0.2)
    part = alarm.findings.slice
    assert part is not None
    assert (part["domain"], part["value"]) == ("workflow", "refunds")
    assert part["share_of_shift"] > 0.7
    assert 1 <= len(alarm.findings.example_event_ids) <= 5
    assert set(alarm.findings.example_event_ids) <= {f"late-{n}" for n in range(12)}


def test_pieces_with_restarts_give_what_one_look_gives(day: Path, tmp_path: Path) -> None:
    found = []
    for name, cuts in (("whole", [150]), ("pieces", [1, 2, 13, 14, 47, 60, 61, 110, 150])):
        path = tmp_path / f"{name}.db"
        path.write_bytes(day.read_bytes())
        with Database(f"sqlite:///{path}") as store:
            fill_minutes(store, at(DAY), 40, {"billing": 0.2, "refunds": 0.1}, seed=2)
            fill_minutes(store, at(DAY + 40), 110, USUAL, words=150.0, seed=3)
            for cut in cuts:
                with Database(f"sqlite:///{path}") as restarted:
                    evaluate(restarted.begin, PARAMS, at(DAY + cut))
            with store.read() as conn:
                states = [tuple(row) for row in conn.execute(sa.select(shift_states))]
            found.append((alarms_of(store), states, path))
    (whole, whole_states, _), (pieces, pieces_states, _) = found
    assert {alarm.series for alarm in whole} == {"abstained", "answer_words"}
    assert whole_states == pieces_states
    assert [_without_findings(alarm) for alarm in whole] == [_without_findings(alarm) for alarm in pieces]
    assert [alarm.findings for alarm in whole] == [alarm.findings for alarm in pieces]


def _without_findings(alarm: Alarm) -> tuple[Any, ...]:
    return (alarm.series, alarm.direction, alarm.onset_at, alarm.begun_at, alarm.ended_at, alarm.end_reason)


def test_a_look_without_new_minutes_changes_nothing_and_minutes_wait_until_they_settle(
    store: Database,
) -> None:
    assert evaluate(store.begin, PARAMS, at(DAY + 600)).evaluated_to is None
    fill_minutes(store, at(DAY), 1, USUAL)
    assert evaluate(store.begin, PARAMS, at(DAY + 600)).evaluated_to == at(DAY - 1)
    fill_minutes(store, at(DAY + 30), 1, USUAL)
    assert evaluate(store.begin, PARAMS, at(DAY + 600)).evaluated_to == at(DAY + 29)


def test_a_clock_that_is_ahead_does_not_settle_what_is_to_come(store: Database) -> None:
    fill_minutes(store, at(DAY + 900), 1, USUAL, app="wrong clock")
    assert evaluate(store.begin, PARAMS, at(DAY + 3)).evaluated_to == at(DAY + 2)


def test_an_empty_store_has_nothing_to_look_at(database: Database) -> None:
    assert evaluate(database.begin, PARAMS, MONDAY).evaluated_to is None


def test_apps_are_watched_apart(database: Database) -> None:
    for number, app in enumerate(("a", "b")):
        fill_minutes(database, MONDAY, 8 * 60, USUAL, app=app, seed=number)
        rates = {"billing": 0.4} if app == "b" else USUAL
        fill_minutes(database, at(8 * 60), 40, rates, app=app, seed=number + 10)
    evaluate(database.begin, PARAMS, at(9 * 60))
    assert {(alarm.app, alarm.series) for alarm in alarms_of(database)} == {("b", "abstained")}


def test_a_full_change_of_version_is_named_as_what_the_shift_came_with(store: Database) -> None:
    fill_minutes(store, at(DAY), 40, {"billing": 0.2, "refunds": 0.2}, version="model=m2", seed=5)
    evaluate(store.begin, PARAMS, at(DAY + 40))
    (alarm,) = alarms_of(store)
    assert alarm.version == ""
    assert alarm.findings.slice == {"domain": "version", "value": "model=m2"}


def test_a_canary_is_compared_with_the_version_before(store: Database) -> None:
    fill_minutes(store, at(DAY), 180, {"billing": 0.05}, per_minute=57, seed=6)
    fill_minutes(store, at(DAY), 180, {"billing": 0.4}, per_minute=3, version="model=m2", seed=7)
    evaluate(store.begin, PARAMS, at(DAY + 180))
    canary = [alarm for alarm in alarms_of(store) if alarm.version]
    assert [(alarm.version, alarm.series, alarm.direction) for alarm in canary] == [
        ("model=m2", "abstained", "up")
    ]
    assert canary[0].begun_at < at(DAY + 60)
    assert canary[0].findings.slice == {"domain": "version", "value": "model=m2"}


def test_a_series_that_is_ignored_raises_no_alarm(store: Database) -> None:
    fill_minutes(store, at(DAY), 60, {"billing": 0.3}, words=200.0, seed=4)
    evaluate(store.begin, MonitoringParams(ignored_series=("abstained",)), at(DAY + 60))
    assert {alarm.series for alarm in alarms_of(store)} == {"answer_words"}


def test_metrics_show_what_is_active_from_the_store_alone(store: Database, tmp_path: Path) -> None:
    metrics = Metrics()
    with Database(f"sqlite:///{tmp_path / 'empty.db'}") as empty:
        empty.upgrade()
        with empty.read() as conn:
            show_shifts(conn, PARAMS, metrics)
    assert "sentinel_shift_active{" not in metrics.exposition().decode()
    fill_minutes(store, at(DAY), 40, {"billing": 0.3}, seed=4)
    look(store.begin, PARAMS, metrics, FixedClock(at(DAY + 40)))
    with store.read() as conn:
        show_shifts(conn, PARAMS, metrics)
    restarted = Metrics()
    with store.read() as conn:
        show_shifts(conn, PARAMS, restarted)
    for shown in (metrics, restarted):
        text = shown.exposition().decode()
        assert 'sentinel_shift_active{series="abstained"} 1.0' in text
        assert 'sentinel_shift_active{series="answer_words"} 0.0' in text
        assert 'sentinel_shift_active_alarms{app="shop"} 1.0' in text
        seen = re.search(r"^sentinel_shift_evaluated_timestamp_seconds (\S+)$", text, re.MULTILINE)
        assert seen is not None
        assert float(seen[1]) == at(DAY + 38).timestamp()
    show_shifts(None, PARAMS, restarted)
    assert "sentinel_shift_active" not in _samples(restarted)
    counted = 'sentinel_shift_alarms_total{direction="up",series="abstained"} 1.0'
    assert counted in metrics.exposition().decode()


def _samples(metrics: Metrics) -> str:
    lines = metrics.exposition().decode().splitlines()
    return "\n".join(line for line in lines if not line.startswith("#"))


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps what it is sent; answers with the statuses it was told to, then 204."""

    statuses: ClassVar[list[int]] = []
    bodies: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.statuses.pop(0) if self.statuses else 204
        if status < 300:
            self.bodies.append(json.loads(body))
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[tuple[str, type[Receiver]]]:
    handler = type("Own", (Receiver,), {"statuses": [], "bodies": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/secret-token", handler
    server.shutdown()
    thread.join()
    server.server_close()


def alarmed(store: Database) -> datetime:
    fill_minutes(store, at(DAY), 40, {"billing": 0.3}, seed=4)
    evaluate(store.begin, PARAMS, at(DAY + 40))
    return at(DAY + 40)


def test_the_webhook_is_told_of_begin_and_end_once(
    store: Database, receiver: tuple[str, type[Receiver]]
) -> None:
    url, handler = receiver
    params = patient(url)
    clock = FixedClock(alarmed(store))
    for _ in range(2):
        tell(store.begin, params, Metrics(), clock)
    assert [body["event"] for body in handler.bodies] == ["begin"]
    fill_minutes(store, at(DAY + 40), 60, USUAL, seed=9)
    evaluate(store.begin, PARAMS, at(DAY + 100))
    for _ in range(2):
        tell(store.begin, params, Metrics(), clock)
    assert [body["event"] for body in handler.bodies] == ["begin", "end"]
    assert handler.bodies[1]["series"] == "abstained"
    assert handler.bodies[1]["ended_at"].endswith("Z")
    assert handler.bodies[1]["size"]["observed"] > 0.2


def patient(url: str) -> WebhookParams:
    """A message is told at least once: on a busy machine a receiver slower than the timeout gets it again."""
    return WebhookParams(url=url, first_wait_seconds=0.01, timeout_seconds=60.0)


@pytest.mark.parametrize("statuses", [[500], [503, 500], [302], [404, 429]])
def test_a_message_that_fails_is_tried_again(
    store: Database, receiver: tuple[str, type[Receiver]], statuses: list[int]
) -> None:
    url, handler = receiver
    handler.statuses = list(statuses)
    tell(
        store.begin,
        patient(url),
        Metrics(),
        FixedClock(alarmed(store)),
    )
    assert [body["event"] for body in handler.bodies] == ["begin"]


def test_an_address_that_is_away_is_asked_again_next_time_and_never_named(
    store: Database, receiver: tuple[str, type[Receiver]], capsys: pytest.CaptureFixture[str]
) -> None:
    url, handler = receiver
    handler.statuses = [500] * 3
    params = patient(url)
    metrics, clock = Metrics(), FixedClock(alarmed(store))
    tell(store.begin, params, metrics, clock)
    assert handler.bodies == []
    assert 'sentinel_shift_notifications_total{outcome="failed"} 1.0' in metrics.exposition().decode()
    tell(store.begin, params, metrics, clock)
    assert len(handler.bodies) == 1
    assert "secret-token" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/nobody", "http://no-such-host.invalid/x"])
def test_nobody_at_the_address_is_no_error(store: Database, url: str) -> None:
    params = WebhookParams(url=url, first_wait_seconds=0.0, timeout_seconds=0.5)
    tell(store.begin, params, Metrics(), FixedClock(alarmed(store)))
    assert alarms_of(store)[0].begin_sent_at is None


def test_an_alarm_of_long_ago_is_not_told(store: Database, receiver: tuple[str, type[Receiver]]) -> None:
    url, handler = receiver
    later = FixedClock(alarmed(store) + timedelta(days=2))
    tell(store.begin, WebhookParams(url=url), Metrics(), later)
    assert handler.bodies == []
    assert alarms_of(store)[0].begin_sent_at is not None


def test_the_command_lists_alarms(store: Database, tmp_path: Path) -> None:
    alarmed(store)
    url = f"sqlite:///{tmp_path / 'store.db'}"
    text = CliRunner().invoke(command_line, ["alarms", "--store", url])
    assert text.exit_code == 0, text.output
    assert "shop: abstained up" in text.output
    assert re.search(
        r"    30\.\d\d% \(2\d\.\d\d% to 3\d\.\d\d%\), usually [45]\.\d\d%; since about", text.output
    )
    lines = CliRunner().invoke(command_line, ["alarms", "--active", "--format", "jsonl", "--store", url])
    assert [json.loads(line)["series"] for line in lines.stdout.splitlines()] == ["abstained"]
    nothing = CliRunner().invoke(command_line, ["alarms", "--app", "nobody", "--store", url])
    assert nothing.exit_code == 0
    assert nothing.stdout == ""
    assert "No alarms up to 2026-11-17 00:38 UTC" in nothing.stderr


def test_the_pipelines_own_counts_lead_to_an_alarm(tmp_path: Path) -> None:
    topic = MemoryTopic("answers", 2)
    refusal = "I cannot find that in the provided documents."
    events = []
    for number in range(8 * 60 * 6):
        moment = WEEK + timedelta(seconds=10 * number)
        shifted = moment >= WEEK + timedelta(hours=7) and number % 2 == 0
        answer = refusal if shifted or number % 20 == 0 else f"The fee is {number % 7 + 3} euro [fees]."
        workflow = "refunds" if number % 2 == 0 else "billing"
        events.append(event(number, moment, answer=answer, workflow=workflow))
    fill(topic, events)
    store = fresh_database(tmp_path)
    consume_topic(topic, store, settings_for(rate=0.2))
    params = MonitoringParams(detection=ShiftParams())
    evaluate(store.begin, params, WEEK + timedelta(days=1))
    found = {alarm.series: alarm for alarm in alarms_of(store)}
    assert found["abstained"].direction == "up"
    assert found["abstained"].findings.slice["value"] == "refunds"  # type: ignore[index]
    assert found["abstained"].app == "shop"
    ids = found["abstained"].findings.example_event_ids
    assert ids
    assert all(int(event_id[1:]) % 2 == 0 for event_id in ids)
    store.close()


def test_the_leader_looks(store: Database) -> None:
    fill_minutes(store, at(DAY), 40, {"billing": 0.3}, seed=4)
    take_turn(store, JOB, at(DAY + 40))
    assert [alarm.series for alarm in alarms_of(store)] == ["abstained"]


def test_who_no_longer_leads_writes_nothing(store: Database) -> None:
    fill_minutes(store, at(DAY), 40, {"billing": 0.3}, seed=4)
    with pytest.raises(LeaseLostError):
        take_turn(store, JOB, at(DAY + 40), lost=True)
    assert alarms_of(store) == []
    with store.read() as conn:
        assert shifts.evaluated_to(conn) == at(DAY - 2)


def test_a_store_can_be_told_to_leave_shifts_alone() -> None:
    off = replace(settings_for(), monitoring=MonitoringParams(enabled=False))
    assert JOB not in [job.name for job in jobs_of(off, Metrics(), FixedClock(MONDAY), None)]
