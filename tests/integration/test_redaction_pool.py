"""The pool with real worker processes and the real model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sentinel.errors import ConfigurationError, DeadLetterError, StopError
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.records import RawAnswer, RedactedAnswer
from sentinel.redaction import RedactionParams

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.fixture(scope="module")
def pool() -> Iterator[RedactionPool]:
    with RedactionPool(
        RedactionParams(), RedactionPoolParams(processes=2, batch=4, max_in_flight=8)
    ) as opened:
        opened.warm_up()
        yield opened


def answers(count: int) -> list[RawAnswer]:
    return [
        RawAnswer(event_id=str(i), answer=f"Mail n{i}@corp.test, John Smith.", user_id="u")
        for i in range(count)
    ]


def texts(results: list[RedactedAnswer | DeadLetterError]) -> list[str]:
    return [result.content["answer"] for result in results if isinstance(result, RedactedAnswer)]


def test_results_come_back_in_order_and_equal_those_in_process(pool: RedactionPool) -> None:
    batch = [RawAnswer(event_id=str(i), answer=f"{'x' * (40 - i)} a{i}@corp.test {i}") for i in range(23)]
    here = RedactionPool(RedactionParams(), RedactionPoolParams(processes=0))
    results = pool.redact(batch)
    assert results == here.redact(batch)
    assert [text.split()[-1] for text in texts(results)] == [str(i) for i in range(23)]
    assert pool.redact([]) == []


def workers(pool: RedactionPool) -> list[int]:
    return [process.pid for process in pool._processes]


def test_a_killed_worker_costs_a_retry_and_no_answer(pool: RedactionPool) -> None:
    pool.redact(answers(8))
    for pid in workers(pool):
        os.kill(pid, signal.SIGKILL)
    results = pool.redact(answers(8))
    assert texts(results) == ["Mail <EMAIL_1>, <PERSON_1>."] * 8


def test_workers_leave_signals_to_the_parent(pool: RedactionPool) -> None:
    pool.redact(answers(8))
    before = workers(pool)
    for pid in before:
        os.kill(pid, signal.SIGINT)
        os.kill(pid, signal.SIGTERM)
    time.sleep(0.2)
    assert len(texts(pool.redact(answers(8)))) == 8
    assert set(before) <= set(workers(pool))


@pytest.mark.parametrize("processes", [0, 2])
@pytest.mark.parametrize(
    ("params", "says"),
    [
        (RedactionParams(model="no_such_model"), "no_such_model"),
        (RedactionParams(model="numpy"), "numpy"),
        (RedactionParams(model="en-core-web-sm"), "en-core-web-sm"),
        (RedactionParams(model="blank:en"), "recognises no named entities"),
        (RedactionParams(model=""), "redaction"),
        (RedactionParams(model="."), "not installed"),
        (RedactionParams(entities=("EMAIL_ADDRESS", "SHOE_SIZE")), "SHOE_SIZE"),
        (RedactionParams(language="de", entities=("EMAIL_ADDRESS", "XX_NUMBER")), "XX_NUMBER"),
    ],
    ids=lambda value: value.model + value.entities[-1] if isinstance(value, RedactionParams) else "",
)
def test_a_fault_of_the_installation_costs_no_answer(
    params: RedactionParams, says: str, processes: int
) -> None:
    with RedactionPool(params, RedactionPoolParams(processes=processes)) as broken:
        for work in (lambda: broken.redact(answers(40)), broken.warm_up):
            with pytest.raises(StopError, match=says) as fault:
                work()
            assert "corp.test" not in str(fault.value)
            assert fault.value.__cause__ is None


def test_what_names_a_key_is_a_configuration_error() -> None:
    with (
        RedactionPool(RedactionParams(model="no_such_model")) as broken,
        pytest.raises(ConfigurationError, match=r"redaction\.model"),
    ):
        broken.redact(answers(1))
    with (
        RedactionPool(RedactionParams(entities=("SHOE_SIZE",))) as broken,
        pytest.raises(ConfigurationError, match=r"redaction\.entities"),
    ):
        broken.redact(answers(1))


def small_and(*big: int) -> list[RawAnswer]:
    """Answers of milliseconds, and at the given places one that keeps the model busy for minutes."""
    made = answers(6)
    for place in big:
        words = " ".join(f"Anna Kowalski{i} met Bob Smith{i} in Paris." for i in range(60_000))
        made[place] = RawAnswer(event_id=str(place), answer=words, user_id="u")
    return made


@contextmanager
def killing_the_slow(pool: RedactionPool, seconds: float) -> Iterator[list[int]]:
    """Kill every worker that has had one task for so long, as a lack of memory would; yields their ids."""
    killed: list[int] = []
    ended = threading.Event()

    def watch() -> None:
        since: dict[object, float] = {}
        while not ended.wait(0.05):
            for process in list(pool._processes):
                if process.task is None:
                    continue
                began = since.setdefault(id(process.task), time.monotonic())
                if process.pid not in killed and time.monotonic() - began > seconds:
                    os.kill(process.pid, signal.SIGKILL)
                    killed.append(process.pid)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield killed
    finally:
        ended.set()
        watching.join()


def check_only_lost(results: list[RedactedAnswer | DeadLetterError], culprits: set[int], says: str) -> None:
    assert {i for i, result in enumerate(results) if isinstance(result, DeadLetterError)} == culprits
    assert texts(results) == ["Mail <EMAIL_1>, <PERSON_1>."] * (len(results) - len(culprits))
    for result in results:
        if isinstance(result, DeadLetterError):
            assert result.reason == "redaction_failed"
            assert says in result.detail
            assert "Kowalski" not in result.detail


@pytest.mark.parametrize(("processes", "culprits"), [(1, {0}), (1, {2, 5}), (2, {3})])
def test_of_a_batch_only_the_answers_that_kill_are_lost(processes: int, culprits: set[int]) -> None:
    params = RedactionPoolParams(processes=processes, batch=6, max_in_flight=12, seconds_per_task=100)
    with RedactionPool(RedactionParams(), params) as pool:
        pool.warm_up()
        with killing_the_slow(pool, 3.0) as killed:
            results = pool.redact(small_and(*culprits))
        assert len(killed) == 1 + len(culprits)
        check_only_lost(results, culprits, "exit code -9")
        assert len(texts(pool.redact(answers(6)))) == 6


@pytest.mark.parametrize(("processes", "culprits"), [(1, {5}), (2, {0, 3})])
def test_of_a_batch_only_the_answers_that_hang_are_lost(processes: int, culprits: set[int]) -> None:
    params = RedactionPoolParams(
        processes=processes, batch=6, max_in_flight=12, seconds_per_task=3, seconds_per_megabyte=0
    )
    with RedactionPool(RedactionParams(), params) as pool:
        pool.warm_up()
        began = time.monotonic()
        results = pool.redact(small_and(*culprits))
        assert time.monotonic() - began < 60
        check_only_lost(results, culprits, "took more than 3 s (redaction_pool.seconds_per_task)")
        assert len(texts(pool.redact(answers(6)))) == 6


@pytest.mark.parametrize("padding", [0, 5_000_000], ids=["fits the pipe", "fills the pipe"])
def test_a_stopped_worker_is_killed_and_costs_no_answer(padding: int) -> None:
    params = RedactionPoolParams(seconds_per_task=2, seconds_per_megabyte=0)
    with RedactionPool(RedactionParams(), params) as pool:
        pool.warm_up()
        (pid,) = workers(pool)
        os.kill(pid, signal.SIGSTOP)
        batch = [*answers(4), RawAnswer(event_id="x", answer="7" * padding)]
        results = pool.redact(batch)
        assert texts(results)[:4] == ["Mail <EMAIL_1>, <PERSON_1>."] * 4
        assert workers(pool) != [pid]
        assert not Path(f"/proc/{pid}").exists()


def test_a_model_that_never_stands_stops_the_pool() -> None:
    with RedactionPool(RedactionParams(), RedactionPoolParams(seconds_to_start=0.05)) as pool:
        with pytest.raises(StopError, match=r"loading the model .* took more than 0\.05 s"):
            pool.redact(answers(3))
        assert workers(pool) == []


def test_a_process_that_dies_while_it_loads_stops_the_pool_at_the_second_time() -> None:
    killed: list[int] = []
    ended = threading.Event()
    with RedactionPool(RedactionParams()) as pool:

        def kill_all() -> None:
            while not ended.wait(0.02):
                for pid in workers(pool):
                    if pid and pid not in killed:
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)

        killing = threading.Thread(target=kill_all)
        killing.start()
        try:
            with pytest.raises(
                StopError, match=r"ended its worker process \(exit code -9\), 2 times running"
            ):
                pool.redact(answers(3))
        finally:
            ended.set()
            killing.join()
        assert len(killed) == 2
        assert len(texts(pool.redact(answers(3)))) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"processes": -1},
        {"batch": 0},
        {"max_in_flight": 1},
        {"seconds_to_start": 0},
        {"seconds_to_start": float("nan")},
        {"seconds_per_task": 0},
        {"seconds_per_task": -1},
        {"seconds_per_task": float("inf")},
        {"seconds_per_task": 1e9},
        {"seconds_per_megabyte": -0.1},
        {"seconds_per_megabyte": float("nan")},
    ],
    ids=str,
)
def test_values_that_could_never_work_are_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RedactionPoolParams(**wrong)


def test_nothing_is_written_to_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with RedactionPool(RedactionParams(), RedactionPoolParams(processes=1)) as pool:
        assert len(texts(pool.redact(answers(3)))) == 3
        assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
    out, err = capfd.readouterr()
    assert out == ""
    assert "corp.test" not in err


ORPHANS = """
import os, signal
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.redaction import RedactionParams
if __name__ == "__main__":
    pool = RedactionPool(RedactionParams(), RedactionPoolParams(processes=1))
    pool.warm_up()
    print(*[p.pid for p in pool._processes], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(ORPHANS)
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.wait()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < deadline, "the worker outlived its parent"
        time.sleep(0.05)


def test_a_closed_pool_ends_its_workers_and_takes_no_more() -> None:
    pool = RedactionPool(RedactionParams(), RedactionPoolParams(processes=1))
    pool.redact(answers(1))
    (pid,) = workers(pool)
    pool.close()
    pool.close()
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(RuntimeError, match="closed"):
        pool.redact(answers(1))


UNCLOSED = """
from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.redaction import RedactionParams
if __name__ == "__main__":
    pool = RedactionPool(RedactionParams())
    pool.warm_up()
"""


def test_a_pool_that_nobody_closed_holds_up_no_exit(tmp_path: Path) -> None:
    script = tmp_path / "unclosed.py"
    script.write_text(UNCLOSED)
    subprocess.run([sys.executable, str(script)], env=ENVIRONMENT, check=True, timeout=60)


@pytest.fixture
def _hears_interrupts() -> Iterator[None]:
    """Undo that a suite which a shell started in the background is deaf to the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_hears_interrupts")
def test_an_interrupted_call_leaves_no_answer_for_the_next() -> None:
    params = RedactionPoolParams(batch=6, max_in_flight=12)
    with RedactionPool(RedactionParams(), params) as pool:
        pool.warm_up()
        interrupt = threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            pool.redact(small_and(0))
        assert texts(pool.redact(answers(6))) == ["Mail <EMAIL_1>, <PERSON_1>."] * 6
