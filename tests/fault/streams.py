"""Streams that hold everything a real topic does: repeats, poison, late signals, personal data."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tests.harness import WEEK, encoded, event

#: Each form of record that cannot be used, by the reason it must be parked for.
POISON: dict[str, tuple[bytes, ...]] = {
    "not_utf8": (b'\xff\xfe{"', b'{"event_id":"p1","answer":"\xc3\x28"}', b"\x80\x81\x82"),
    "not_json": (b"not json", b'{"event_id":"p2","answer":"cut o', b"{'event_id': 'p3'}", b'{"a":1}{"b":2}'),
    "not_an_object": (b"[]", b'"text"', b"17", b"[null]", b"true", b'[{"event_id":"p4","answer":"a"}]'),
    "missing_field": (b"{}", b'{"event_id":"p5"}', b'{"answer":"no id"}', b'{"event_id":"","answer":"a"}'),
    "wrong_type": (
        b'{"event_id":["p6"],"answer":"a"}',
        b'{"event_id":"p7","answer":{"text":"a"}}',
        b'{"event_id":"p8","answer":"a","retrieved":["x"]}',
    ),
    "too_deep": (b'{"event_id":"p9","answer":"a","attributes":' + b"[" * 500 + b"]" * 500 + b"}",),
    "personal_data_in_id": (b'{"event_id":"ana.q@mail.test","answer":"a"}',),
}
PERSONAL = ("ana.q@mail.test", "bo.r@mail.test", "4111 1111 1111 1111")


def poison(position: int) -> tuple[str, bytes]:
    """Return a reason and a record for it, another one for each position."""
    every = [(reason, value) for reason, values in POISON.items() for value in values]
    return every[position % len(every)]


def answers(count: int, began: datetime = WEEK, first: int = 0) -> list[dict[str, Any]]:
    """Ordinary answers, a minute apart; every seventh holds personal data, every eleventh a signal."""
    made = []
    for number in range(first, first + count):
        fields: dict[str, Any] = {}
        if number % 7 == 0:
            fields["question"] = f"Write to {PERSONAL[0]} and {PERSONAL[1]}, card {PERSONAL[2]}?"
            fields["user_id"] = PERSONAL[0]
        if number % 11 == 5:
            fields["signals"] = {"user_correction": True}
        if number % 5 == 0:
            fields["tenant"] = f"tenant-{number % 3}"
        made.append(event(number, began + timedelta(minutes=number - first), **fields))
    return made


def mixed(count: int) -> list[bytes]:
    """Answers with, among them: repeats, late signals with and without content, poison."""
    lines: list[bytes] = []
    events = answers(count)
    for position, one in enumerate(events):
        lines.append(encoded(one))
        if position % 6 == 4:
            lines.append(encoded(events[position - 4]))
        if position % 9 == 8:
            lines.append(encoded(events[position - 8] | {"signals": {"unsupported_citation_report": True}}))
        if position % 13 == 12:
            lines.append(encoded(events[position - 6] | {"answer": "", "signals": {"safety_incident": True}}))
        if position % 10 == 9:
            lines.append(poison(position // 10)[1])
    return lines
