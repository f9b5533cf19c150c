"""Lines through the redactor, and the detector without a network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sentinel.errors import DeadLetterError
from sentinel.pipeline.redact_stream import RedactionCounts, redact_event_lines, redact_text_lines
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.records import RawAnswer
from sentinel.redaction import RedactionParams, redact_value

ROOT = Path(__file__).parents[2]
POOL = RedactionPool(RedactionParams(), RedactionPoolParams(processes=0))


def decode(line: bytes) -> RawAnswer:
    try:
        return msgspec.json.decode(line, type=RawAnswer)
    except msgspec.MsgspecError:
        reason = "malformed"
    raise DeadLetterError(reason)


def clean(value: str) -> str:
    return redact_value(value, b"a key of the tests")


def test_text_mode_gives_one_line_per_line() -> None:
    lines = [b"a@b.test\n", b"\n", b"plain\r\n", b"bad \xff\xfe a@b.test\n", "u\u2028a@b.test".encode(), b""]
    counts = RedactionCounts()
    out = list(redact_text_lines(lines, POOL, counts, batch=2))
    assert out == ["<EMAIL_1>", "", "plain", "bad \ufffd\ufffd <EMAIL_1>", "u\u2028<EMAIL_1>", ""]
    assert counts.lines == 6
    assert counts.refused == {}


def test_event_mode_keeps_known_fields_and_counts_bad_lines() -> None:
    lines = [
        b'{"event_id": "1", "answer": "mail a@b.test", "user_id": "u@b.test", '
        b'"other": "x@b.test", "domains": {"app": "c@b.test"}}\n',
        b'{"event_id": "2", "answer": "a@b.test\n',
        b"\n",
        b'{"event_id": "3", "answer": "ok", '
        b'"attributes": {"n": 4111111111111111, "k": 3, "m": "a@b.test"}}\n',
    ]
    counts = RedactionCounts()
    events = [json.loads(line) for line in redact_event_lines(lines, decode, POOL, clean, counts)]
    assert [event["event_id"] for event in events] == ["1", "3"]
    assert events[0]["answer"] == "mail <EMAIL_1>"
    assert re.fullmatch(r"<EMAIL_[0-9a-f]{12}>", events[0]["app"])
    attributes = events[1]["attributes"]
    assert attributes["k"] == 3
    assert re.fullmatch(r"<CREDIT_CARD_[0-9a-f]{12}>", attributes["n"])
    assert re.fullmatch(r"<EMAIL_[0-9a-f]{12}>", attributes["m"])
    assert not {"user_id", "session_id", "other"} & set(events[0])
    assert counts.lines == 3
    assert counts.refused == {"malformed": 1}


#: Pairs of ids, domains or attribute names that hold personal data and are not the same.
DIFFERENT = [
    ("202-555-0143", "202-555-0144"),
    ("+1 202 555 0143", "+1 202 555 0199"),
    ("call 202-555-0143", "call 202-555-0144"),
    ("zoe@corp.test", "zoe@other.test"),
    ("a-zoe@corp.test-1", "a-ann@corp.test-1"),
    ("Mary Johnson", "Mary Jackson"),
    ("ticket of Mary Johnson", "ticket of James Wilson"),
    ("4111 1111 1111 1111", "5500 0000 0000 0004"),
    ("DE89370400440532013000", "GB82WEST12345698765432"),
    ("078-05-1120", "219-09-9999"),
    ("10.1.2.3 host", "10.1.2.4 host"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_values_never_share_a_placeholder(one: str, other: str) -> None:
    found = [clean(one), clean(other), clean(one)]
    assert found[0] == found[2]
    assert found[0] != found[1]
    assert one not in found[0]
    lines = [
        json.dumps({"event_id": str(number), "answer": "x", "domains": {"app": value}}).encode()
        for number, value in enumerate((one, other, one))
    ]
    lines.append(json.dumps({"event_id": "3", "answer": "x", "attributes": {one: 1, other: 2}}).encode())
    events = [json.loads(line) for line in redact_event_lines(lines, decode, POOL, clean, RedactionCounts())]
    assert [event.get("app") for event in events] == [*found, None]
    assert events[3]["attributes"] == {found[0]: 1, found[1]: 2}


@pytest.mark.parametrize("salt", ["", "a salt of the tests"])
def test_the_command_keeps_two_events_two(salt: str, tmp_path: Path) -> None:
    ids = ["202-555-0143", "202-555-0144", "202-555-0143"]
    text = "\n".join(json.dumps({"event_id": one, "answer": "x"}) for one in ids)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "SENTINEL_REDACTION__ENTITIES": "[PHONE_NUMBER]",
        "SENTINEL_REDACTION_POOL__PROCESSES": "0",
        "SENTINEL_SAMPLING__SALT": salt,
    }
    runs = []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-m", "sentinel", "redact", "-"],
            input=text, text=True, capture_output=True, cwd=tmp_path, env=environment, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        runs.append([json.loads(line)["event_id"] for line in run.stdout.splitlines()])
        assert runs[-1][0] == runs[-1][2] != runs[-1][1]
        assert "555" not in re.sub("<[^>]*>", "", run.stdout)
    assert (runs[0] == runs[1]) == bool(salt)


OFFLINE = """
import socket
def refuse(*a, **k):
    raise AssertionError("a socket was opened")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
socket.create_connection = refuse
from sentinel.redaction import RedactionParams, redact_text
from sentinel.redaction.presidio import PresidioDetector
types = ("EMAIL_ADDRESS", "PERSON", "URL", "US_DRIVER_LICENSE", "LOCATION", "DATE_TIME")
params = RedactionParams(entities=types)
text = "See https://docs.corp.com/x or mail zoe@corp.test in Paris"
print(redact_text(text, PresidioDetector(params), params))
"""


def test_no_socket_is_opened_even_by_presidios_own_recognisers(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", OFFLINE], capture_output=True, text=True, env=env, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == "See <URL_1> or mail <EMAIL_1> in <LOCATION_1>\n"


def test_an_unknown_entity_type_is_refused_by_name() -> None:
    from sentinel.errors import ConfigurationError
    from sentinel.redaction.presidio import PresidioDetector

    with pytest.raises(ConfigurationError, match="SHOE_SIZE"):
        PresidioDetector(RedactionParams(entities=("SHOE_SIZE",)))
