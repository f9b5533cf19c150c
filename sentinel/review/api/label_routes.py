"""Labels: given one by one, taken in and out as files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse

from sentinel.review.api.label_csv import csv_header, csv_row
from sentinel.review.api.label_files import import_labels
from sentinel.review.api.label_studio_tasks import labelling_interface
from sentinel.review.api.models import ImportCounts, LabelIn, LabelKept
from sentinel.review.api.opinions import give_opinion
from sentinel.review.api.problems import described
from sentinel.review.api.shared import COUNTED, ApiParts, Exporter, Importer, Labeller, Viewer
from sentinel.review.api.unit_routes import MEDIA_TYPES, Form, download
from sentinel.review.blindness import reviews_of
from sentinel.review.identity.permission import Person
from sentinel.review.json_lines import json_line
from sentinel.review.label_export import label_row
from sentinel.store.annotations import annotation_page
from sentinel.store.audit import record_deed

_PAGE = 200
_KEY = r"^[\x21-\x7e]{1,255}$"
IdempotencyKey = Annotated[
    str | None,
    Header(
        pattern=_KEY,
        description="Yours to choose, new for each label: sent again with it, a label is written once.",
    ),
]
_BODY = {
    "requestBody": {
        "required": True,
        "content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in MEDIA_TYPES.values()},
    }
}


def label_routes(parts: ApiParts) -> APIRouter:
    """Return the routes of labels."""
    router = APIRouter(tags=["labels"])

    @router.post(
        "/labels",
        dependencies=COUNTED,
        status_code=201,
        response_model=LabelKept,
        responses=described(400, 409, 413, 415),
    )
    def label(person: Labeller, body: LabelIn, idempotency_key: IdempotencyKey = None) -> Response:
        """Give your opinion on a drawn answer, or correct the one you gave."""
        given = give_opinion(parts, person, body, idempotency_key)
        headers = {"Idempotency-Replayed": "true"} if given.is_repeated else None
        return JSONResponse(given.body, 201, headers)

    @router.get(
        "/labels/export",
        response_class=StreamingResponse,
        responses={
            200: {"description": "The file.", "content": {MEDIA_TYPES[one]: {} for one in ("jsonl", "csv")}}
        },
    )
    def export(
        person: Exporter,
        format: Literal["jsonl", "csv"] = "jsonl",  # noqa: A002 - the name of the query parameter
    ) -> StreamingResponse:
        """Take labels out as a file that can be imported: your own, and others' that you may see."""
        with parts.database.begin() as conn:
            record_deed(conn, person.id, "labels_exported", parts.clock.now(), about=format)
        return download(_lines(parts, person, format), "labels", format)

    @router.post(
        "/labels/import",
        dependencies=COUNTED,
        responses=described(400, 413),
        openapi_extra=_BODY,
    )
    async def import_(
        request: Request,
        person: Importer,
        format: Form = "jsonl",  # noqa: A002 - the name of the query parameter
        ground_truth_decides: Annotated[
            bool, Query(description="Label Studio: what is marked as ground truth is an adjudicator's.")
        ] = False,
    ) -> ImportCounts:
        """Take in labels that were given elsewhere. What cannot be used costs only itself."""
        content = await request.body()
        return await run_in_threadpool(
            import_labels, parts, person, content, format, ground_truth_decides=ground_truth_decides
        )

    @router.get("/label-studio/interface", response_class=PlainTextResponse)
    def interface(_person: Viewer) -> PlainTextResponse:
        """Return the labelling interface whose annotations can be imported from Label Studio."""
        return PlainTextResponse(labelling_interface())

    return router


def _lines(parts: ApiParts, person: Person, form: Form) -> Iterator[str]:
    if form == "csv":
        yield csv_header()
    after = 0
    while True:
        with parts.database.read() as conn:
            found = annotation_page(conn, _PAGE, after)
            reviews = reviews_of(conn, [one.annotation.event_id for one in found], person)
        for one in found:
            is_own = one.annotation.annotator == person.id
            if is_own or reviews[one.annotation.event_id].is_seen_by(person):
                row = label_row(one)
                yield csv_row(row) if form == "csv" else json_line(row)
        if len(found) < _PAGE:
            return
        after = found[-1].id
