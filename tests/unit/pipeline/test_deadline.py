"""A process that is late is killed, one that answered in time is not, whatever the deadlines before."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.process import BaseProcess

import pytest

from sentinel.pipeline.deadline import Deadline


@pytest.fixture
def sleeper() -> Iterator[BaseProcess]:
    process = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    process.start()
    yield process
    process.kill()
    process.join()


def test_a_late_process_is_killed_and_it_is_told(sleeper: BaseProcess) -> None:
    deadline = Deadline(sleeper, lambda: False)
    deadline.begin(0.05)
    sleeper.join(20)
    assert sleeper.exitcode is not None
    assert deadline.end()
    deadline.close()


def test_a_shorter_deadline_counts_while_a_longer_one_is_slept_for(sleeper: BaseProcess) -> None:
    deadline = Deadline(sleeper, lambda: False)
    deadline.begin(1000)
    assert not deadline.end()
    time.sleep(0.05)
    deadline.begin(0.05)
    sleeper.join(20)
    assert sleeper.exitcode is not None
    assert deadline.end()
    deadline.close()


def test_who_answers_in_time_lives(sleeper: BaseProcess) -> None:
    deadline = Deadline(sleeper, lambda: False)
    for _ in range(50):
        deadline.begin(0.2)
        assert not deadline.end()
    sleeper.join(0.5)
    assert sleeper.exitcode is None
    deadline.close()


def test_nothing_is_killed_once_it_is_closed(sleeper: BaseProcess) -> None:
    deadline = Deadline(sleeper, lambda: False)
    deadline.begin(0.2)
    deadline.close()
    deadline.close()
    sleeper.join(0.5)
    assert sleeper.exitcode is None


def test_who_answered_is_not_late_however_long_nobody_comes_for_it(sleeper: BaseProcess) -> None:
    deadline = Deadline(sleeper, lambda: True)
    deadline.begin(0.05)
    sleeper.join(0.5)
    assert sleeper.exitcode is None
    assert not deadline.end()
    deadline.close()


def test_the_time_runs_again_once_the_answer_is_read(sleeper: BaseProcess) -> None:
    answered = [True, False]
    deadline = Deadline(sleeper, lambda: answered.pop(0))
    deadline.begin(0.1)
    sleeper.join(0.5)
    assert sleeper.exitcode is None
    deadline.again()
    sleeper.join(20)
    assert sleeper.exitcode is not None
    assert deadline.end()
    deadline.close()
