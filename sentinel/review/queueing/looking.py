"""A look at the queue, as page and API show it: what a person can open, counts, what to filter by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.review.identity.permission import Action, Person
from sentinel.review.queue import (
    QueueFilter,
    QueueRow,
    any_unit,
    known_reasons,
    known_slices,
    labelled_count,
    queue_page,
    status_totals,
    unit_count,
)
from sentinel.review.queueing.asked import asked, work_filter
from sentinel.review.queueing.selection import Position, WorkFilter, WorkRow, work_page, work_totals
from sentinel.store.unit_rows import UnitStatus

_LARGEST_ID = 2**63 - 1
_STATUSES: tuple[UnitStatus, ...] = get_args(UnitStatus)


@dataclass(frozen=True, slots=True)
class QueueLook:
    """One page of a tab of the queue.

    `tab` is the one that is shown, `tabs` are all of the person's: name, words, how many answers it shows.
    `rows` are in the queue's order; `before` and `after` are the places to page on from, None at an end.
    `shown`: how many of the open ones are wanted, None where the tab is another or nothing is filtered.
    `slices` and `reasons` are the values that can be asked for.
    """

    tab: str
    tabs: tuple[tuple[str, str, int], ...]
    any_drawn: bool
    open: int
    shown: int | None
    rows: tuple[WorkRow, ...] | tuple[QueueRow, ...]
    before: str | None
    after: str | None
    slices: Mapping[str, list[str]]
    reasons: list[str]


def look_at_queue(
    conn: Connection, person: Person, query: Mapping[str, str], size: int, now: datetime
) -> QueueLook:
    """Return up to `size` answers of a tab.

    `query`: status, slices, reason, age, and a place to page on from: `after` or `before`.
    """
    wanted = work_filter(query, now, person)
    totals = _totals(conn, person, wanted, now)
    tab = _tab_of(query, person, totals)
    after, before = (place_of(tab, query.get(name)) for name in ("after", "before"))
    found: Any
    if tab == "open":
        found = work_page(conn, person.id, wanted, size, now, after=after, before=before)  # type: ignore[arg-type]
    else:
        narrowed = _queue_filter(tab, query, person, now)
        found = queue_page(conn, narrowed, size, after=after, before=before)  # type: ignore[arg-type]
    return QueueLook(
        tab,
        tuple(_tabs(person, totals)),
        bool(totals["any"]),
        totals["open"],
        totals["shown"] if tab == "open" and asked(query) else None,
        found.rows,
        None if found.before is None else str(found.before),
        None if found.after is None else str(found.after),
        known_slices(conn),
        # A reason that shows up when somebody else labels would tell that they did.
        known_reasons(conn, person.id if person.is_blind else None),
    )


def place_of(tab: str, text: str | None) -> Position | int | None:
    """Return the place in a tab that a text names; None where it names none."""
    return Position.parse(text) if tab == "open" else _id(text)


def _totals(conn: Connection, person: Person, wanted: WorkFilter, now: datetime) -> Counter[str]:
    """Return how many answers each tab of a person shows; `shown`: how many of the open ones are wanted."""
    totals = status_totals(conn) if not person.is_blind else Counter()
    parts: dict[str, sa.ColumnElement[Any]] = {"any": any_unit()}
    if person.is_blind:
        parts |= {"lost": unit_count("lost"), "purged": unit_count("purged")}
    query = sa.select()
    if person.may(Action.LABEL):
        work = work_totals(person.id, wanted, now)
        query = query.select_from(work).add_columns(work.c.open, work.c.shown)
        parts["yours"] = labelled_count(person.id)
    row = conn.execute(query.add_columns(*(part.label(name) for name, part in parts.items()))).one()
    totals.update({name: int(number) for name, number in row._mapping.items()})
    return totals


def _tabs(person: Person, totals: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """Return the tabs of a person: name, words, how many answers it shows."""
    tabs = []
    if person.may(Action.LABEL):
        tabs += [("open", "for you to label", totals["open"]), ("yours", "labelled by you", totals["yours"])]
    if not person.is_blind:
        tabs += [(status, status, totals[status]) for status in ("pending", "labelled")]
    tabs.append(("lost", "lost", totals["lost"]))
    if totals["purged"]:
        tabs.append(("purged", "purged", totals["purged"]))
    if not person.is_blind:
        tabs.append(("all", "all", sum(totals[status] for status in _STATUSES)))
    return tabs


def _tab_of(query: Mapping[str, str], person: Person, totals: Mapping[str, int]) -> str:
    """Return the tab of a request; without one, what waits, or all where nothing does."""
    known = [name for name, _, _ in _tabs(person, totals)] + ["purged"]
    given = query.get("status", "")
    if given in known:
        return given
    if person.is_blind:
        return "open"
    return "pending" if totals["pending"] else "all"


def _queue_filter(kind: str, query: Mapping[str, str], person: Person, now: datetime) -> QueueFilter:
    status = next((one for one in _STATUSES if one == kind), None)
    work = work_filter({**query, "reason": ""}, now, person)
    reason = query.get("reason") or None
    if kind == "yours":
        return QueueFilter(labelled_by=person.id, work=work)
    # Whoever labels blind looks for a reason among what they have labelled themselves and nobody labels now.
    is_blind = bool(reason) and person.is_blind
    by = person.id if is_blind else None
    return QueueFilter(status, reason=reason, work=work, labelled_by=by, is_over=is_blind)


def _id(text: str | None) -> int | None:
    """Return a row id, None where the text is none."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 19:
        return None
    return min(int(text), _LARGEST_ID)
