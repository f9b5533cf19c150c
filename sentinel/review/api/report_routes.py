"""Reports, alarms, and how far reviewers agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from pydantic import AwareDatetime
from sqlalchemy import Connection

from sentinel.labelling.adjudication import standing_opinions
from sentinel.labelling.agreement import agreement, verdict
from sentinel.review.api.cursor import cursor_of, row_of
from sentinel.review.api.models import AgreementOut, AlarmPage, ReportPage, ReportRow
from sentinel.review.api.oversight_models import QualityOut
from sentinel.review.api.problems import ProblemError
from sentinel.review.api.quality_figures import quality_out
from sentinel.review.api.shared import ApiParts, Cursor, Limit, Measurer, Slice, UnitId, Viewer
from sentinel.review.blindness import visible_examples
from sentinel.review.identity.permission import Person
from sentinel.review.overview.quality import quality_of
from sentinel.store.annotations import StoredAnnotation, iter_period
from sentinel.store.reports import report_by_id, report_page
from sentinel.store.shifts import Alarm, alarm_document, alarm_page, evaluated_to

_LONGEST = timedelta(days=366)
_USUAL = timedelta(days=28)


def report_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of what comes out of the labels."""
    router = APIRouter(tags=["results"])

    @router.get("/reports")
    def reports(_person: Viewer, cursor: Cursor = None, limit: Limit = 50) -> ReportPage:
        """List the published reports, all revisions."""
        with parts.database.read() as conn:
            found = report_page(conn, limit + 1, row_of(cursor))
        rows = [
            ReportRow(
                id=one.id,
                period_from=one.period.start,
                period_to=one.period.end,
                timezone=one.period.timezone,
                revision=one.revision,
                created_at=one.created_at,
            )
            for one in found[:limit]
        ]
        return ReportPage(items=rows, next=cursor_of(rows[-1].id) if len(found) > limit else None)

    @router.get("/reports/{report_id}")
    def report(_person: Viewer, report_id: UnitId) -> dict[str, Any]:
        """Show one report, as it was published."""
        with parts.database.read() as conn:
            stored = report_by_id(conn, report_id)
        if stored is None:
            raise ProblemError(404, "There is no report of this id.", "List the reports.", reason="report")
        return dict(stored.report.document)

    @router.get("/alarms")
    def alarms(
        person: Viewer,
        app: Slice = None,
        active: bool = False,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> AlarmPage:
        """List the shifts that were found. Examples that you may still label are left out."""
        with parts.database.read() as conn:
            found = alarm_page(conn, limit + 1, row_of(cursor), app, active=active)
            rows = [_shown(conn, person, alarm) for alarm in found[:limit]]
            seen = evaluated_to(conn)
        following = cursor_of(found[limit - 1].id) if len(found) > limit else None
        return AlarmPage(items=rows, next=following, looked_at_up_to=seen)

    @router.get("/agreement")
    def agree(
        _person: Measurer,
        answered_from: AwareDatetime | None = None,
        answered_before: AwareDatetime | None = None,
    ) -> AgreementOut:
        """Work out how far annotators agree on the answers of a time; of the last four weeks without one."""
        end = answered_before or parts.clock.now()
        try:
            start = answered_from or end - _USUAL
        except OverflowError:
            start = end
        if not timedelta(0) <= end - start <= _LONGEST:
            raise ProblemError(422, "A time goes forward, for at most 366 days.", reason="period")
        with parts.database.read() as conn:
            verdicts = _verdicts(list(iter_period(conn, start, end)))
        found = agreement(verdicts)
        return AgreementOut(
            answers=found.units,
            pairs=found.pairs,
            agreeing=found.agreeing,
            share=found.share,
            krippendorff_alpha=found.alpha,
        )

    @router.get("/quality")
    def quality(_person: Measurer) -> QualityOut:
        """Show agreement by label, severity, family and pair, drift and time on task, over eight weeks."""
        with parts.database.read() as conn:
            return quality_out(quality_of(conn, parts.clock.now()))

    return router


def _verdicts(records: Sequence[StoredAnnotation]) -> list[list[str]]:
    by_event: dict[str, list[StoredAnnotation]] = defaultdict(list)
    for record in records:
        by_event[record.annotation.event_id].append(record)
    return [
        [verdict(one) for one in standing_opinions(opinions) if one.role == "annotator"]
        for opinions in by_event.values()
    ]


def _shown(conn: Connection, person: Person, alarm: Alarm) -> dict[str, Any]:
    document = alarm_document(alarm)
    document["example_event_ids"] = visible_examples(conn, document["example_event_ids"], person)
    return document
