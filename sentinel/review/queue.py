"""The review queue as pages: which units there are, a page at a time, without what could sway a reviewer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.review.queueing.selection import WorkFilter, beginning, holds
from sentinel.store.columns import stored_key
from sentinel.store.known_values import all_values
from sentinel.store.metadata import QUEUE_SLICES
from sentinel.store.review_schema import second_reviews, submissions
from sentinel.store.schema import unit_contents, units
from sentinel.store.unit_rows import UnitStatus

STATUSES: tuple[UnitStatus, ...] = ("pending", "labelled", "lost", "purged")
_QUESTION_CHARACTERS = 90
#: Labelled units whose reasons are offered to filter by: all of a large store would take too long.
_LOOKED_AT = 5_000
_LOOKED_AT_OF_ONE = 1_000
_MOST_VALUES = 200


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which units: of one status, one app, drawn for one reason; None is all.

    A reason looks at labelled units only, so that nobody labels with it in mind. `labelled_by`: those an
    annotator has labelled; `work` narrows by further slices and by age. `is_over`: those whose review has
    ended alone.
    """

    status: UnitStatus | None = None
    app: str | None = None
    reason: str | None = None
    labelled_by: str | None = None
    work: WorkFilter = field(default_factory=WorkFilter)
    is_over: bool = False

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return what a row of `units` must fulfil."""
        wanted = self.work.conditions()
        if self.reason is not None:
            wanted += [holds(units.c.reasons, self.reason), units.c.status == "labelled"]
        elif self.status is not None:
            wanted.append(units.c.status == self.status)
        if self.app is not None:
            wanted.append(units.c.app == stored_key(self.app))
        if self.labelled_by is not None:
            wanted.append(units.c.id.in_(_labelled_by(self.labelled_by)))
        if self.is_over:
            wanted.append(_review_is_over())
        return wanted

    def order(self) -> tuple[sa.Column[Any], ...]:
        """Return the columns that order the units: the queue's order where an index has it."""
        by_time = (units.c.event_time, units.c.id)
        return by_time if self.status is None or self.reason is not None else (units.c.priority, *by_time)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One unit as the queue shows it. `question` is the beginning of the redacted question."""

    id: int
    event_time: datetime
    app: str
    workflow: str
    status: UnitStatus
    question: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """Rows in order; `before` and `after` are the ids to page on from, None at an end."""

    rows: tuple[QueueRow, ...]
    before: int | None
    after: int | None


def status_totals(conn: Connection) -> Counter[str]:
    """Return the number of units by status."""
    query = sa.select(units.c.status, sa.func.count().label("units")).group_by(units.c.status)
    return Counter({row.status: row.units for row in conn.execute(query)})


def known_slices(conn: Connection) -> dict[str, list[str]]:
    """Return the values that have been seen of each field the queue is filtered by, in order."""
    seen: dict[str, list[str]] = {name: [] for name in QUEUE_SLICES}
    for name, value in sorted(all_values(conn, QUEUE_SLICES)):
        seen[name].append(value)
    return {name: values[:_MOST_VALUES] for name, values in seen.items() if values}


def known_reasons(conn: Connection, labelled_by: str | None = None) -> list[str]:
    """Return the reasons for which the newest labelled units were drawn, in order.

    `labelled_by`: of those that one person has labelled and whose review has ended.
    """
    newest = sa.select(units.c.reasons)
    if labelled_by is None:
        newest = newest.where(units.c.status == "labelled").order_by(units.c.event_time.desc())
        newest = newest.limit(_LOOKED_AT)
    else:
        # No word of the status: SQLite would begin with all that are labelled.
        own = _labelled_by(labelled_by).order_by(submissions.c.unit_id.desc()).limit(_LOOKED_AT_OF_ONE)
        newest = newest.where(units.c.id.in_(own), _review_is_over())
    query = sa.select(newest.subquery().c.reasons).distinct()
    return sorted({reason for reasons in conn.scalars(query) for reason in reasons})


def queue_page(
    conn: Connection, wanted: QueueFilter, size: int, *, after: int | None = None, before: int | None = None
) -> QueuePage:
    """Return up to `size` units after (or before) the unit with an id, in the filter's order."""
    backwards = before is not None
    pivot = before if backwards else after
    order = wanted.order()
    query: sa.Select[Any] = (
        sa.select(units.c.id, units.c.event_time, units.c.domains, units.c.status, unit_contents.c.content)
        .select_from(units.outerjoin(unit_contents, unit_contents.c.unit_id == units.c.id))
        .where(*wanted.conditions())
        .order_by(*(column.desc() if backwards else column for column in order))
        .limit(size + 1)
    )
    if pivot is not None:
        query = query.where(_beyond(order, pivot, backwards))
    found = [_row(row) for row in conn.execute(query)]
    more, rows = len(found) > size, found[:size]
    if backwards:
        rows.reverse()
    if not rows:
        return QueuePage((), None, None)
    has_before = more if backwards else pivot is not None
    has_after = True if backwards else more
    return QueuePage(tuple(rows), rows[0].id if has_before else None, rows[-1].id if has_after else None)


def any_unit() -> sa.ColumnElement[bool]:
    """Return, as an expression, whether any answer was drawn yet."""
    return sa.select(sa.func.min(units.c.id)).scalar_subquery().is_not(None)


def unit_count(status: UnitStatus) -> sa.ColumnElement[int]:
    """Return, as an expression, how many units of a status there are."""
    return sa.select(sa.func.count()).where(units.c.status == status).scalar_subquery()


def labelled_count(person_id: str) -> sa.ColumnElement[int]:
    """Return, as an expression, how many units a person has labelled."""
    own = _labelled_by(person_id).distinct().subquery()
    return sa.select(sa.func.count()).select_from(own).scalar_subquery()


def _review_is_over() -> sa.ColumnElement[bool]:
    ended = second_reviews.c.state.in_(("single", "settled"))
    return sa.exists().where(second_reviews.c.unit_id == units.c.id, ended)


def _labelled_by(person_id: str) -> sa.Select[Any]:
    """The ids of the units that a person has labelled, once for each record."""
    return sa.select(submissions.c.unit_id).where(
        submissions.c.annotator == stored_key(person_id), submissions.c.slot == "opinion"
    )


def _beyond(order: tuple[sa.Column[Any], ...], pivot: int, backwards: bool) -> sa.ColumnElement[bool]:
    """What lies after (or before) the unit with an id; nothing, where there is none."""
    names = [column.name for column in order]
    place = units.alias("pivot")
    given = [sa.select(place.c[name]).where(place.c.id == pivot).scalar_subquery() for name in names]
    return sa.tuple_(*order) < sa.tuple_(*given) if backwards else sa.tuple_(*order) > sa.tuple_(*given)


def _row(row: sa.Row[Any]) -> QueueRow:
    domains = row.domains
    return QueueRow(
        row.id,
        row.event_time,
        domains.get("app", ""),
        domains.get("workflow", ""),
        row.status,
        beginning(row.content, _QUESTION_CHARACTERS),
    )
