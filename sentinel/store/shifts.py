"""What shift detection keeps: how far it has come, a state per app, and alarms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.store.schema import shift_alarms, shift_progress, shift_states
from sentinel.store.upsert import insert_into

Direction = Literal["up", "down"]
EndReason = Literal["back", "accepted", "stopped"]


@dataclass(frozen=True, slots=True)
class AlarmFindings:
    """What is found out about an alarm; all JSON values."""

    size: Mapping[str, Any]
    slice: Mapping[str, Any] | None
    example_event_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class Alarm:
    """A shift of a series of an app, in a comparison of one of its versions; times are of events."""

    id: int
    app: str
    version: str
    series: str
    direction: Direction
    onset_at: datetime
    begun_at: datetime
    ended_at: datetime | None
    end_reason: EndReason | None
    findings: AlarmFindings
    begin_sent_at: datetime | None
    end_sent_at: datetime | None


def evaluated_to(conn: Connection) -> datetime | None:
    """Return the minute from which on nothing has been looked at; None before the first look."""
    return conn.scalar(sa.select(shift_progress.c.evaluated_to))


def move_progress(conn: Connection, expected: datetime | None, to: datetime) -> bool:
    """Move the progress from `expected` to `to`; False if another process has moved it meanwhile."""
    statement: sa.Insert | sa.Update
    if expected is None:
        statement = insert_into(conn, shift_progress).values(id=1, evaluated_to=to).on_conflict_do_nothing()
    else:
        at_expected = shift_progress.c.evaluated_to == expected
        statement = sa.update(shift_progress).where(at_expected).values(evaluated_to=to)
    return conn.execute(statement.returning(shift_progress.c.id)).one_or_none() is not None


def read_states(conn: Connection) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return the profile and the state of every app."""
    return {row.app: (row.profile, row.state) for row in conn.execute(sa.select(shift_states))}


def write_state(
    conn: Connection, app: str, profile: Mapping[str, Any] | None, state: Mapping[str, Any]
) -> None:
    """Write an app's state, and its profile unless that is None: as it was."""
    values: dict[str, Any] = {"state": state} | ({} if profile is None else {"profile": profile})
    updated = conn.execute(sa.update(shift_states).where(shift_states.c.app == app).values(**values))
    if not updated.rowcount:
        conn.execute(sa.insert(shift_states).values(app=app, profile=profile, state=state))


def begin_alarm(
    conn: Connection,
    app: str,
    version: str,
    series: str,
    direction: Direction,
    onset_at: datetime,
    begun_at: datetime,
    findings: AlarmFindings,
) -> int:
    """Write a new alarm and return its id."""
    values: dict[str, Any] = {"app": app, "version": version, "series": series, "direction": direction}
    values |= {"onset_at": onset_at, "begun_at": begun_at} | _columns(findings)
    statement = sa.insert(shift_alarms).values(**values).returning(shift_alarms.c.id)
    return int(conn.execute(statement).scalar_one())


def update_alarm(conn: Connection, alarm_id: int, findings: AlarmFindings) -> None:
    """Write what is known of an alarm by now."""
    conn.execute(sa.update(shift_alarms).where(shift_alarms.c.id == alarm_id).values(**_columns(findings)))


def end_alarm(conn: Connection, alarm_id: int, ended_at: datetime, reason: EndReason) -> None:
    """Write the end of an alarm."""
    is_open = sa.and_(shift_alarms.c.id == alarm_id, shift_alarms.c.ended_at.is_(None))
    conn.execute(sa.update(shift_alarms).where(is_open).values(ended_at=ended_at, end_reason=reason))


def active_alarms(conn: Connection) -> list[Alarm]:
    """Return the alarms that have not ended, by app, version and series."""
    query = sa.select(shift_alarms).where(shift_alarms.c.ended_at.is_(None))
    return [
        _alarm(row)
        for row in conn.execute(
            query.order_by(shift_alarms.c.app, shift_alarms.c.version, shift_alarms.c.series)
        )
    ]


def iter_alarms(
    conn: Connection, start: datetime | None = None, end: datetime | None = None, app: str | None = None
) -> Iterator[Alarm]:
    """Yield alarms in order of their begin; with times those that were active in [`start`, `end`)."""
    query = sa.select(shift_alarms).order_by(shift_alarms.c.begun_at, shift_alarms.c.id)
    if start is not None:
        query = query.where(sa.or_(shift_alarms.c.ended_at.is_(None), shift_alarms.c.ended_at >= start))
    if end is not None:
        query = query.where(shift_alarms.c.begun_at < end)
    if app is not None:
        query = query.where(shift_alarms.c.app == app)
    for row in conn.execute(query):
        yield _alarm(row)


def alarm_page(
    conn: Connection, limit: int, before: int | None = None, app: str | None = None, *, active: bool = False
) -> tuple[Alarm, ...]:
    """Return up to `limit` alarms, the newest first, older than the alarm `before`."""
    query = sa.select(shift_alarms).order_by(shift_alarms.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(shift_alarms.c.id < before)
    if app is not None:
        query = query.where(shift_alarms.c.app == app)
    if active:
        query = query.where(shift_alarms.c.ended_at.is_(None))
    return tuple(_alarm(row) for row in conn.execute(query))


def alarm_document(alarm: Alarm) -> dict[str, Any]:
    """Return an alarm as a JSON object: numbers, names and ids, no text of any answer."""
    return {
        "id": alarm.id,
        "app": alarm.app,
        "version": alarm.version,
        "series": alarm.series,
        "direction": alarm.direction,
        "onset_at": _shown(alarm.onset_at),
        "begun_at": _shown(alarm.begun_at),
        "ended_at": _shown(alarm.ended_at),
        "end_reason": alarm.end_reason,
        "size": dict(alarm.findings.size),
        "slice": None if alarm.findings.slice is None else dict(alarm.findings.slice),
        "example_event_ids": list(alarm.findings.example_event_ids),
    }


def _shown(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat().replace("+00:00", "Z")


def unsent_alarms(conn: Connection) -> list[Alarm]:
    """Return the alarms of whose begin or end nobody outside was told, oldest first."""
    unsent = sa.or_(
        shift_alarms.c.begin_sent_at.is_(None),
        sa.and_(shift_alarms.c.ended_at.is_not(None), shift_alarms.c.end_sent_at.is_(None)),
    )
    query = sa.select(shift_alarms).where(unsent).order_by(shift_alarms.c.begun_at, shift_alarms.c.id)
    return [_alarm(row) for row in conn.execute(query)]


def mark_sent(conn: Connection, alarm_id: int, now: datetime, *, begin: bool) -> None:
    """Note that an alarm's begin, or else its end, was told, or is too old to be."""
    column = "begin_sent_at" if begin else "end_sent_at"
    conn.execute(sa.update(shift_alarms).where(shift_alarms.c.id == alarm_id).values({column: now}))


def _columns(findings: AlarmFindings) -> dict[str, Any]:
    return {
        "size": dict(findings.size),
        "slice": None if findings.slice is None else dict(findings.slice),
        "example_event_ids": list(findings.example_event_ids),
    }


def _alarm(row: Any) -> Alarm:
    findings = AlarmFindings(row.size, row.slice, tuple(row.example_event_ids))
    return Alarm(
        row.id,
        row.app,
        row.version,
        row.series,
        row.direction,
        row.onset_at,
        row.begun_at,
        row.ended_at,
        row.end_reason,
        findings,
        row.begin_sent_at,
        row.end_sent_at,
    )
