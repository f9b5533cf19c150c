"""The pool with real worker processes and the real model."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sentinel.errors import ConfigurationError, DeadLetterError
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.records import RawAnswer, RedactedAnswer
from sentinel.redaction import RedactionParams


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
    executor = pool._executor
    assert executor is not None
    return list(executor._processes)


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


def test_a_missing_model_fails_closed_and_is_named() -> None:
    params = RedactionParams(model="no_such_model")
    with RedactionPool(params, RedactionPoolParams(processes=1)) as broken:
        (result,) = broken.redact(answers(1))
        assert isinstance(result, DeadLetterError)
        assert result.reason == "redaction_failed"
        with pytest.raises(ConfigurationError, match="no_such_model"):
            broken.warm_up()


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
    print(*pool._executor._processes, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(ORPHANS)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=env
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
