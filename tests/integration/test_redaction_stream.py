"""Lines through the redactor, and the detector without a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sentinel.errors import DeadLetterError
from sentinel.pipeline.redact_stream import RedactionCounts, redact_event_lines, redact_text_lines
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.records import RawAnswer
from sentinel.redaction import RedactionParams

ROOT = Path(__file__).parents[2]
POOL = RedactionPool(RedactionParams(), RedactionPoolParams(processes=0))


def decode(line: bytes) -> RawAnswer:
    try:
        return msgspec.json.decode(line, type=RawAnswer)
    except msgspec.MsgspecError:
        reason = "malformed"
    raise DeadLetterError(reason)


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
    events = [json.loads(line) for line in redact_event_lines(lines, decode, POOL, counts)]
    assert [event["event_id"] for event in events] == ["1", "3"]
    assert events[0]["answer"] == "mail <EMAIL_1>"
    assert events[0]["app"] == "<EMAIL>"
    assert events[1]["attributes"] == {"n": "<CREDIT_CARD>", "k": 3, "m": "<EMAIL>"}
    assert not {"user_id", "session_id", "other"} & set(events[0])
    assert counts.lines == 3
    assert counts.refused == {"malformed": 1}


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
