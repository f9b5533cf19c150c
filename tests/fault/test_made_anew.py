"""A file or topic that is made anew under its old name: refused with the mend, never read from its middle."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from kafka import KafkaAdminClient

from tests.fault.processes import Run, kafka_settings, run_to_end, wait_until
from tests.fault.streams import answers
from tests.fault.topics import counted, new_topic, send
from tests.harness import encoded
from tests.services.topics import make_topic


def lines(count: int, first: int = 0) -> bytes:
    return b"".join(encoded(one) + b"\n" for one in answers(count, first=first))


def another(path: Path) -> None:
    path.write_bytes(lines(60, first=1000))


def another_by_rename(path: Path) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_bytes(lines(60, first=1000))
    fresh.rename(path)


def same_head(path: Path) -> None:
    """The first answers are the old ones: only what stands before the checkpoint differs."""
    path.write_bytes(lines(15) + lines(60, first=1000))


def without_its_first_line(path: Path) -> None:
    path.write_bytes(path.read_bytes().partition(b"\n")[2] + lines(40, first=1000))


@pytest.mark.parametrize("rewrite", [another, another_by_rename, same_head, without_its_first_line])
def test_a_file_written_anew_with_more_bytes_is_refused(
    rewrite: Callable[[Path], None], tmp_path: Path
) -> None:
    path, url = tmp_path / "answers.jsonl", f"sqlite:///{tmp_path / 's.db'}"
    path.write_bytes(lines(20))
    assert run_to_end(tmp_path, f"file:{path}", url)["events"] == 20
    rewrite(path)
    with Run(tmp_path, f"file:{path}", url) as run:
        assert run.ends() == 1, run.log
        assert "was written or made anew" in run.log
        assert "another store" in run.log, "the mend is named"
        assert "fee" not in run.log, "nothing of the content is"
    assert counted(url) == 20


def test_a_file_that_grows_or_is_copied_back_goes_on(tmp_path: Path) -> None:
    """Also a short one, whose head was not yet whole at the last checkpoint."""
    path, url = tmp_path / "answers.jsonl", f"sqlite:///{tmp_path / 's.db'}"
    path.write_bytes(lines(1))
    assert run_to_end(tmp_path, f"file:{path}", url)["events"] == 1
    for count in (2, 5, 30):
        copy = tmp_path / "copy"
        copy.write_bytes(lines(count))
        copy.rename(path)  # another inode with the same beginning, as from a backup
        run_to_end(tmp_path, f"file:{path}", url)
        assert counted(url) == count
    assert run_to_end(tmp_path, f"file:{path}", url)["events"] == 0


def test_a_file_that_is_written_anew_while_it_is_followed_is_refused(tmp_path: Path) -> None:
    path, url = tmp_path / "answers.jsonl", f"sqlite:///{tmp_path / 's.db'}"
    path.write_bytes(lines(20))
    with Run(tmp_path, f"file:{path}", url, until_end=False) as run:
        wait_until(lambda: counted(url) == 20, run=run)
        with path.open("r+b") as file:  # in place and longer at once: no moment at which it is shorter
            file.write(lines(60, first=1000))
        assert run.ends(15) == 1, run.log
        assert "anew" in run.log
    assert counted(url) == 20


@pytest.mark.kafka
def test_a_topic_made_anew_with_more_records_is_refused(kafka_bootstrap: str, tmp_path: Path) -> None:
    topic, url = new_topic(kafka_bootstrap, "anew", 1), f"sqlite:///{tmp_path / 's.db'}"
    settings = kafka_settings(kafka_bootstrap, topic, topic)
    send(kafka_bootstrap, topic, [(0, encoded(one)) for one in answers(20)])
    assert run_to_end(tmp_path, "kafka", url, settings=settings)["events"] == 20
    admin = KafkaAdminClient(bootstrap_servers=kafka_bootstrap)
    admin.delete_topics([topic])
    wait_until(lambda: topic not in admin.list_topics())
    admin.close()
    make_topic(kafka_bootstrap, topic, 1, {"retention.ms": "-1"})
    send(kafka_bootstrap, topic, [(0, encoded(one)) for one in answers(40, first=1000)])
    with Run(tmp_path, "kafka", url, until_end=False, settings=settings) as run:
        assert run.ends(30) == 1, run.log
        assert "made anew" in run.log
    assert counted(url) == 20
    # Under a store of its own it is read.
    fresh = f"sqlite:///{tmp_path / 'fresh.db'}"
    with Run(tmp_path, "kafka", fresh, until_end=False, settings=settings) as run:
        wait_until(lambda: counted(fresh) == 40, run=run)
        run.send(signal.SIGTERM)
        assert run.ends(15) == 0, run.log
