"""`sentinel redact` between other programs: each line at once, clean ends, bad bytes, very long lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = {"SENTINEL_REDACTION_POOL__PROCESSES": "0"}
COMMAND = [sys.executable, "-m", "sentinel", "redact"]


def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SENTINEL_")}
    return kept | SETTINGS | {"PYTHONPATH": str(ROOT)}


def redact(given: bytes, *options: str, codes: tuple[int, ...] = (0,)) -> tuple[bytes, str]:
    run = subprocess.run(
        [*COMMAND, *options, "-"], input=given, capture_output=True, env=environment(), check=False
    )
    assert run.returncode in codes, run.stderr
    return run.stdout, run.stderr.decode()


def test_each_line_comes_out_before_the_next_goes_in() -> None:
    with subprocess.Popen(
        [*COMMAND, "--text", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(f"{number}: mail zoe{number}@corp.test\n".encode())
            process.stdin.flush()
            assert process.stdout.readline() == f"{number}: mail <EMAIL_1>\n".encode()
        process.stdin.write(b"and ann@corp.test without an end")
        process.stdin.close()
        assert process.stdout.read() == b"and <EMAIL_1> without an end\n"
        assert process.wait(60) == 0


def test_a_reader_that_leaves_ends_it_without_a_word() -> None:
    command = f"yes 'mail zoe@corp.test' | {sys.executable} -m sentinel redact --text - | head -n 3"
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    assert run.stdout == b"mail <EMAIL_1>\n" * 3
    assert b"Traceback" not in run.stderr
    assert b"Error" not in run.stderr


def test_as_many_lines_come_out_as_go_in_whatever_they_hold() -> None:
    long = b"x " * 300_000 + b"zoe@corp.test"
    lines = [
        b"",
        b"\xff\xfe bo@corp.test",
        b"a\r",
        b"\x00",
        "é 🙂 ana@corp.test".encode(),
        long,
        b" ",
        b"last",
    ]
    out, _ = redact(b"\n".join(lines) + b"\n", "--text")
    found = out.split(b"\n")
    assert found.pop() == b""
    assert len(found) == len(lines)
    assert found[1] == "\ufffd\ufffd <EMAIL_1>".encode()
    assert found[2] == b"a"
    assert found[4] == "é 🙂 <EMAIL_1>".encode()
    assert found[5].endswith(b"x <EMAIL_1>")


def test_bad_events_are_named_by_line_and_the_others_come_out_in_order() -> None:
    good = [json.dumps({"event_id": f"e{n}", "answer": f"mail zoe{n}@corp.test"}).encode() for n in range(5)]
    given = b"\n".join([good[0], b"{cut", good[1], b"", b"\xff\xfe", good[2], b"[]", *good[3:]])
    out, said = redact(given)
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["event_id"] for event in events] == [f"e{n}" for n in range(5)]
    assert all(event["answer"] == "mail <EMAIL_1>" for event in events)
    assert "3 lines refused" in said
    assert "corp.test" not in said


@pytest.mark.parametrize("arguments", [("no-such-file",), ("--no-such-option", "-"), ()])
def test_bad_usage_ends_with_2_and_one_line(arguments: tuple[str, ...]) -> None:
    run = subprocess.run([*COMMAND, *arguments], capture_output=True, env=environment(), check=False)
    assert run.returncode == 2
    assert run.stdout == b""
    assert b"Traceback" not in run.stderr
