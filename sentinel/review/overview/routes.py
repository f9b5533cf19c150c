"""Routes of the pages to look at: overview, reports, alarms, history, agreement, guideline."""

from __future__ import annotations

from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Depends, Form, Request, Response
from sqlalchemy import Connection
from starlette.responses import RedirectResponse

from sentinel.review.blindness import visible_examples
from sentinel.review.identity.permission import Action, Person, allowed
from sentinel.review.labelling_page.guideline import guideline_seen
from sentinel.review.labelling_page.new_guideline import put_in_force
from sentinel.review.labelling_page.routes import row_id
from sentinel.review.overview.history import history_seen
from sentinel.review.overview.quality import quality_of
from sentinel.review.overview.week import week_seen
from sentinel.review.pages import page
from sentinel.review.queueing.reviewers import known_reviewers
from sentinel.review.refusals import RefusedError
from sentinel.review.unit_access import unit_by_id
from sentinel.review.workshop import Workshop
from sentinel.store.reports import StoredReport, recent_reports
from sentinel.store.schema import units
from sentinel.store.shifts import Alarm, active_alarms, evaluated_to, iter_alarms

Viewer = Annotated[Person, Depends(allowed(Action.VIEW))]
Measurer = Annotated[Person, Depends(allowed(Action.MEASURE))]
Manager = Annotated[Person, Depends(allowed(Action.MANAGE))]
_MOST_ALARMS = 200


def overview_routes(shop: Workshop) -> APIRouter:
    """Return the routes of the pages to look at."""
    router = APIRouter(include_in_schema=False)

    @router.get("/overview")
    def overview(request: Request, person: Viewer) -> Response:
        now = shop.clock.now()
        with shop.database.read() as conn:
            week, reports = week_seen(conn, person, now), recent_reports(conn, 1)
            alarms = active_alarms(conn)
        return page(
            "overview.html",
            request=request,
            week=week,
            budget=shop.budget,
            report=reports[0] if reports else None,
            alarms=alarms,
            sees_all=not person.is_blind,
        )

    @router.get("/reports", dependencies=[Depends(allowed(Action.VIEW))])
    def reports(request: Request) -> Response:
        with shop.database.read() as conn:
            found = recent_reports(conn)
        return page("reports.html", request=request, reports=found, address=_report_address)

    @router.get("/reports/{name}", dependencies=[Depends(allowed(Action.VIEW))])
    def report(request: Request, name: str) -> Response:
        with shop.database.read() as conn:
            found = next((one for one in recent_reports(conn) if _report_address(one) == name), None)
        if found is None:
            raise RefusedError("not_found", "There is no such report among the last ones.", 404)
        return page("report.html", request=request, report=found, document=found.report.document)

    @router.get("/alarms")
    def alarms(request: Request, person: Viewer) -> Response:
        with shop.database.read() as conn:
            found = list(iter_alarms(conn))[-_MOST_ALARMS:][::-1]
            shown = [(alarm, _examples(conn, person, alarm)) for alarm in found]
            seen = evaluated_to(conn)
        return page("alarms.html", request=request, alarms=shown, seen=seen)

    @router.get("/units/{unit_id}/history")
    def history(request: Request, unit_id: str, person: Viewer) -> Response:
        with shop.database.read() as conn:
            found = history_seen(conn, person, row_id(unit_id))
            names = {one.id: one.name for one in known_reviewers(conn, person)}
        return page("history.html", request=request, history=found, names=names)

    @router.get("/agreement")
    def agreement(request: Request, person: Measurer) -> Response:
        with shop.database.read() as conn:
            found = quality_of(conn, shop.clock.now())
            names = {one.id: one.name for one in known_reviewers(conn, person)}
        return page("agreement.html", request=request, quality=found, names=names)

    @router.get("/guideline")
    def guideline(request: Request, person: Viewer, version: str = "") -> Response:
        with shop.database.read() as conn:
            found, versions, text = guideline_seen(conn, version)
        return page(
            "guideline.html",
            request=request,
            guideline=found,
            versions=versions,
            text=text,
            may_write=person.may(Action.MANAGE) and shop.door is not None,
        )

    @router.post("/guideline")
    def new_guideline(
        person: Manager, version: Annotated[str, Form()] = "", text: Annotated[str, Form()] = ""
    ) -> Response:
        put_in_force(shop, person, version, text)
        return RedirectResponse("/guideline", 303)

    return router


def _report_address(report: StoredReport) -> str:
    period = report.period
    return f"{period.start:%Y%m%dT%H%M}-{period.end:%Y%m%dT%H%M}-{report.report.revision}"


def _examples(conn: Connection, person: Person, alarm: Alarm) -> list[tuple[int, str]]:
    """Return an alarm's example answers, as far as a person may know them to be some."""
    found: list[tuple[int, str]] = []
    for event_id in visible_examples(conn, alarm.findings.example_event_ids, person):
        unit_id = conn.scalar(sa.select(units.c.id).where(units.c.event_id == event_id))
        stored = None if unit_id is None else unit_by_id(conn, unit_id)
        if stored is not None:
            content: Any = stored.content or {}
            found.append((stored.id, str(content.get("question") or "")[:90]))
    return found
