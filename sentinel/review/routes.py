"""The queue page: what a person can open, with filters; for those who give out work all there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, get_args
from urllib.parse import urlencode

import sqlalchemy as sa
from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy import Connection

from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.pages import page
from sentinel.review.queue import (
    QueueFilter,
    any_unit,
    known_reasons,
    known_slices,
    labelled_count,
    queue_page,
    status_totals,
    unit_count,
)
from sentinel.review.queueing.asked import AGES, asked, work_filter
from sentinel.review.queueing.selection import Position, WorkFilter, work_page, work_totals
from sentinel.review.workshop import Workshop
from sentinel.store.unit_rows import UnitStatus

_LARGEST_ID = 2**63 - 1
_STATUSES: tuple[UnitStatus, ...] = get_args(UnitStatus)
Viewer = Annotated[Person, Depends(allowed(Action.VIEW))]


def queue_routes(shop: Workshop) -> APIRouter:
    """Return the routes of the queue page."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def queue(request: Request, person: Viewer) -> Response:
        query = request.query_params
        now = shop.clock.now()
        with shop.database.read() as conn:
            wanted = work_filter(query, now, person)
            totals = _totals(conn, person, wanted, now)
            kind = _kind(query, person, totals)
            if kind == "open":
                rows: Any = work_page(
                    conn,
                    person.id,
                    wanted,
                    shop.params.page_size,
                    now,
                    after=Position.parse(query.get("after")),
                    before=Position.parse(query.get("before")),
                )
            else:
                rows = queue_page(
                    conn,
                    _queue_filter(kind, query, person, now),
                    shop.params.page_size,
                    after=_id(query.get("after")),
                    before=_id(query.get("before")),
                )
            slices = known_slices(conn)
            # A reason that shows up when somebody else labels would tell that they did.
            reasons = known_reasons(conn, None if sees_all(person) else person.id)
        kept = asked(query) | {"status": kind}
        if kept.get("reason") and kind != "open":
            kept["status"] = "labelled"
        return page(
            "queue.html",
            request=request,
            page=rows,
            totals=totals,
            drawn=totals["any"],
            tabs=_tabs(person, totals),
            shown=totals["shown"] if kind == "open" and asked(query) else None,
            slices=slices,
            reasons=reasons,
            ages={word: words for word, (words, _, _) in AGES.items()},
            chosen=kept,
            person=person,
            may_label=person.may(Action.LABEL) and shop.door is not None,
            may_assign=person.may(Action.ASSIGN),
            kept=urlencode(asked(query)),
            done=query.get("done"),
            link=lambda **more: "/?" + urlencode({k: v for k, v in (kept | more).items() if v}),
        )

    return router


def _totals(conn: Connection, person: Person, wanted: WorkFilter, now: datetime) -> Counter[str]:
    """Return how many answers each tab of a person shows; `shown`: how many of the open ones are wanted."""
    totals = status_totals(conn) if sees_all(person) else Counter()
    parts: dict[str, sa.ColumnElement[Any]] = {"any": any_unit()}
    if not sees_all(person):
        parts |= {"lost": unit_count("lost"), "purged": unit_count("purged")}
    query = sa.select()
    if person.may(Action.LABEL):
        work = work_totals(person.id, wanted, now)
        query = query.select_from(work).add_columns(work.c.open, work.c.shown)
        parts["yours"] = labelled_count(person.id)
    row = conn.execute(query.add_columns(*(part.label(name) for name, part in parts.items()))).one()
    totals.update({name: int(number) for name, number in row._mapping.items()})
    return totals


def sees_all(person: Person) -> bool:
    """Return whether a person sees how all answers stand: not whoever labels blind."""
    return person.may(Action.ASSIGN) or not person.may(Action.LABEL)


def _tabs(person: Person, totals: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """Return the tabs of a person: name, words, how many answers it shows."""
    tabs = []
    if person.may(Action.LABEL):
        tabs += [("open", "for you to label", totals["open"]), ("yours", "labelled by you", totals["yours"])]
    if sees_all(person):
        tabs += [(status, status, totals[status]) for status in ("pending", "labelled")]
    tabs.append(("lost", "lost", totals["lost"]))
    if totals["purged"]:
        tabs.append(("purged", "purged", totals["purged"]))
    if sees_all(person):
        tabs.append(("all", "all", sum(totals[status] for status in _STATUSES)))
    return tabs


def _kind(query: Mapping[str, str], person: Person, totals: Mapping[str, int]) -> str:
    """Return the tab of a request; without one, what waits, or all where nothing does."""
    known = [name for name, _, _ in _tabs(person, totals)] + ["purged"]
    given = query.get("status", "")
    if given in known:
        return given
    if not sees_all(person):
        return "open"
    return "pending" if totals["pending"] else "all"


def _queue_filter(kind: str, query: Mapping[str, str], person: Person, now: datetime) -> QueueFilter:
    status = next((one for one in _STATUSES if one == kind), None)
    work = work_filter({**query, "reason": ""}, now, person)
    reason = query.get("reason") or None
    if kind == "yours":
        return QueueFilter(labelled_by=person.id, work=work)
    # Whoever labels blind looks for a reason among what they have labelled themselves and nobody labels now.
    is_blind = bool(reason) and not sees_all(person)
    by = person.id if is_blind else None
    return QueueFilter(status, reason=reason, work=work, labelled_by=by, is_over=is_blind)


def _id(text: str | None) -> int | None:
    """Return a row id, None where the text is none."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 19:
        return None
    return min(int(text), _LARGEST_ID)
