"""Errands of redaction in real processes: begun early, dropped, broken off, overtaken by a deadline."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sentinel.pipeline.redaction_process import RedactionProcess
from sentinel.pipeline.redaction_queue import RedactionPoolParams, RedactionQueue, end_all
from sentinel.pipeline.redaction_worker import answers_redacted, texts_redacted
from sentinel.records import RawAnswer
from sentinel.redaction import RedactionParams
from tests.integration.errand_work import noted, slow

#: No language model: a process is there in a second or two.
PLAIN = RedactionParams(entities=("EMAIL_ADDRESS",))


@pytest.fixture
def processes() -> Iterator[list[RedactionProcess]]:
    opened: list[RedactionProcess] = []
    yield opened
    end_all(opened)


def queue_of(started: list[RedactionProcess], **params: Any) -> RedactionQueue:
    given = {"processes": 1, "batch": 4, **params}
    return RedactionQueue(PLAIN, RedactionPoolParams(**given), started)


def warm(queue: RedactionQueue) -> None:
    queue.outcomes(queue.begin(texts_redacted, ["Ready."]))


def listen_to(queue: RedactionQueue, seconds: float) -> None:
    """Give and take for a while without asking for anything."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        queue._advance(fewest=1, is_waiting=False)
        time.sleep(0.01)


def test_what_was_begun_is_done_before_it_is_asked_for(processes: list[RedactionProcess]) -> None:
    queue = queue_of(processes)
    warm(queue)
    answers = [RawAnswer(event_id=str(i), answer=f"Mail n{i}@corp.test. {i}") for i in range(9)]
    errands = [queue.begin(answers_redacted, [answer])[0] for answer in answers]
    deadline = time.monotonic() + 30
    while any(errand.outcome is None for errand in errands):
        assert time.monotonic() < deadline
        listen_to(queue, 0.05)
    outcomes: list[Any] = queue.outcomes(errands)
    assert [redacted.content["answer"] for _, redacted in outcomes] == [
        f"Mail <EMAIL_1>. {i}" for i in range(9)
    ]
    assert all(0.0 < errand.seconds < 30.0 and errand.value is None for errand in errands)


def test_what_nobody_holds_any_more_is_passed_over(processes: list[RedactionProcess], tmp_path: Path) -> None:
    queue = queue_of(processes, batch=1)
    log = str(tmp_path / "log")
    held = queue.begin(noted, [(log, name) for name in "abcdef"])
    del held[1:3], held[-1]
    assert [outcome[1][0] for outcome in queue.outcomes(held)] == ["a", "d", "e"]  # type: ignore[index]
    assert Path(log).read_text().split() == ["a", "d", "e"]
    del held
    (last,) = queue.outcomes(queue.begin(noted, [(log, "g")]))
    assert last[1][0] == "g"  # type: ignore[index]
    assert Path(log).read_text().split() == ["a", "d", "e", "g"]


def test_one_task_holds_one_kind_of_work(processes: list[RedactionProcess], tmp_path: Path) -> None:
    queue = queue_of(processes, batch=8)
    log = str(tmp_path / "log")
    errands = []
    for number in range(4):
        errands += queue.begin(noted, [(log, f"n{number}"), (log, f"m{number}")])
        errands += queue.begin(texts_redacted, [f"n{number}@corp.test"])
    outcomes: list[Any] = queue.outcomes(errands)
    assert [outcome if isinstance(outcome, str) else outcome[0] for _, outcome in outcomes] == [
        text for number in range(4) for text in (f"n{number}", f"m{number}", "<EMAIL_1>")
    ]
    assert all(len(line.split()) == 2 for line in Path(log).read_text().splitlines())


def test_a_call_that_is_broken_off_ends_the_processes_and_what_is_wanted_begins_anew(
    processes: list[RedactionProcess],
) -> None:
    queue = queue_of(processes, processes=2)
    warm(queue)
    errands = queue.begin(slow, [0.3] * 8)
    before = {process.pid for process in processes}

    def interrupted() -> Iterator[None]:
        yield
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        queue.outcomes(errands, spare=interrupted())
    assert processes == []
    outcomes = queue.outcomes(errands)
    assert [done for done, _ in outcomes] == [True] * 8
    assert before.isdisjoint({pid for _, pid in outcomes})


def test_a_process_that_answered_in_time_is_kept_however_long_nobody_listens(
    processes: list[RedactionProcess],
) -> None:
    queue = queue_of(processes, seconds_per_task=3.0, seconds_per_megabyte=0.0)
    warm(queue)
    pid = processes[0].pid
    errands = queue.begin(slow, [0.1, 0.1])
    time.sleep(7.0)
    assert queue.outcomes(errands) == [(True, pid)] * 2
    assert [process.pid for process in processes] == [pid]


def test_a_process_that_never_answers_is_ended_though_nobody_listens(
    processes: list[RedactionProcess],
) -> None:
    queue = queue_of(processes, batch=1, seconds_per_task=1.0, seconds_per_megabyte=0.0)
    warm(queue)
    first = processes[0]
    errands = queue.begin(slow, [60.0])
    deadline = time.monotonic() + 20
    while (
        Path(f"/proc/{first.pid}/stat").exists() and " Z " not in Path(f"/proc/{first.pid}/stat").read_text()
    ):
        assert time.monotonic() < deadline, "it still works"
        time.sleep(0.1)
    ((done, detail),) = queue.outcomes(errands)
    assert not done
    assert "second try" in str(detail)
    assert queue.outcomes(queue.begin(texts_redacted, ["a@corp.test"])) == [(True, "<EMAIL_1>")]
