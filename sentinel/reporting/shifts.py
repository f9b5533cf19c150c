"""What shift detection said about the period: alarms that began in it or were open, as it knows them now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sentinel.reporting.inputs import PeriodInputs
from sentinel.reporting.section import Document, Section
from sentinel.reporting.wording import DASH, count, decimal, percent, words
from sentinel.store.shifts import Alarm

#: A week with more alarms than this has one cause; `count` has their number.
MOST_LISTED = 40
_MOST_EXAMPLES = 3


def alarms(inputs: PeriodInputs) -> dict[str, Any]:
    """Return the alarms of the period, oldest first; `no_data` where nobody has looked at any of it.

    An alarm is no rate: it says that an indicator left its usual level, and when.
    """
    seen_to = inputs.shifts_seen_to
    looked = seen_to is not None and seen_to > inputs.period.start
    return {
        "status": "ok" if looked or inputs.alarms else "no_data",
        "evaluated_to": seen_to.isoformat() if seen_to is not None and looked else None,
        "count": len(inputs.alarms) if looked or inputs.alarms else None,
        "listed": [_listed(alarm, inputs.period.end) for alarm in inputs.alarms[:MOST_LISTED]],
    }


def _listed(alarm: Alarm, period_end: datetime) -> dict[str, Any]:
    ended = alarm.ended_at
    return {
        "app": alarm.app,
        "version": alarm.version,
        "series": alarm.series,
        "direction": alarm.direction,
        "onset_at": alarm.onset_at.isoformat(),
        "begun_at": alarm.begun_at.isoformat(),
        "ended_at": None if ended is None else ended.isoformat(),
        "end_reason": alarm.end_reason,
        "open_at_end": ended is None or ended >= period_end,
        "size": dict(alarm.findings.size),
        "slice": None if alarm.findings.slice is None else dict(alarm.findings.slice),
        "example_event_ids": list(alarm.findings.example_event_ids),
    }


def alarm_section(document: Document) -> Section:
    """Return the table of the alarms."""
    found = document["alarms"]
    return Section(
        "alarms",
        "Shifts",
        _explanation(document, found),
        ("Series", "App", "Begun", "Ended", "Observed", "95 % interval", "Usual", "Mostly in", "For example"),
        tuple(_row(alarm) for alarm in found["listed"]),
    )


def _explanation(document: Document, found: Mapping[str, Any]) -> str:
    if found["status"] == "no_data":
        return "Shift detection has looked at no answer of this period: nothing is known of shifts."
    text = (
        "Indicators, answer lengths or retrieval distances that left their usual level in this period, or "
        "had left it before. A shift is no rate of failures. Times in UTC."
    )
    left_out = found["count"] - len(found["listed"])
    if left_out:
        text += f" {count(left_out)} more are not listed."
    if found["evaluated_to"] is not None and found["evaluated_to"] < _end_in_utc(document):
        text += f" Looked at up to {_moment(found['evaluated_to'])}."
    return text


def _end_in_utc(document: Document) -> str:
    # Both are ISO 8601; a period's end may stand in its own zone.
    return datetime.fromisoformat(document["period"]["end"]).astimezone(UTC).isoformat()


def _row(alarm: Mapping[str, Any]) -> tuple[str, ...]:
    size, part = alarm["size"], alarm["slice"]
    arrow = "↑" if alarm["direction"] == "up" else "↓"
    series = f"{words(alarm['series'])} {arrow}"
    return (
        f"{series}, version {alarm['version']}" if alarm["version"] else series,
        alarm["app"] or DASH,
        _moment(alarm["begun_at"]),
        "open" if alarm["ended_at"] is None else f"{_moment(alarm['ended_at'])} ({alarm['end_reason']})",
        _value(size, "observed"),
        f"{_value(size, 'lower')} to {_value(size, 'upper')}",
        _value(size, "usual"),
        f"{part['domain']} = {part['value']}" if part else "everywhere",
        ", ".join(alarm["example_event_ids"][:_MOST_EXAMPLES]) or DASH,
    )


def _value(size: Mapping[str, Any], part: str) -> str:
    value = size.get(part)
    if size.get("unit") == "share":
        return percent(value)
    return DASH if value is None else f"{decimal(value)} {size.get('unit')}"


def _moment(text: str) -> str:
    return text[:16].replace("T", " ")
