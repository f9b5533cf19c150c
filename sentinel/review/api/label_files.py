"""Files of labels in three forms, all by the one way in that files have."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from typing import Any

from sentinel.errors import DeadLetterError
from sentinel.labelling.limits import LabelLimits
from sentinel.review.api.label_csv import read_csv
from sentinel.review.api.label_studio_labels import ReadAnnotation, read_export
from sentinel.review.api.models import ImportCounts, ImportRefusal
from sentinel.review.api.problems import ProblemError
from sentinel.review.api.shared import ApiParts
from sentinel.review.identity.permission import Person
from sentinel.review.label_import import ImportOutcome, LabelImport, NumberedLine, numbered_lines
from sentinel.store.audit import record_deed

_ONE_AT_A_TIME = threading.Lock()
_LATER = {"Retry-After": "30"}


def import_labels(
    parts: ApiParts, person: Person, content: bytes, form: str, *, ground_truth_decides: bool
) -> ImportCounts:
    """Import a file and return what became of it.

    One file at a time: a second one would have the redactor, which all share, work for nobody else.

    Raises:
        ProblemError: 400, nothing of the file can be read in this form; 503, another file is being taken in.
    """
    if not _ONE_AT_A_TIME.acquire(blocking=False):
        raise ProblemError(
            503,
            "Another file is being taken in.",
            "Send it when that is done.",
            reason="busy",
            headers=_LATER,
        )
    try:
        return _import(parts, person, content, form, ground_truth_decides)
    finally:
        _ONE_AT_A_TIME.release()


def _import(
    parts: ApiParts, person: Person, content: bytes, form: str, ground_truth_decides: bool
) -> ImportCounts:
    reading = _Reading(content, form, ground_truth_decides)
    limits = LabelLimits()
    redaction = parts.redaction
    taking = LabelImport(
        parts.database, redaction.texts, redaction.lasting_key, parts.clock, limits, redaction.params
    )
    try:
        outcome = taking.run(reading.lines(limits), gives_up=True)
    except DeadLetterError as error:
        raise ProblemError(400, error.detail, "Check the format of the file.", reason=error.reason) from None
    with parts.database.begin() as conn:
        about = f"{form}: {outcome.accepted} of {outcome.lines}"
        record_deed(conn, person.id, "labels_imported", parts.clock.now(), about=about)
    return _counts(outcome, reading.skipped)


class _Reading:
    """The lines of a file, and what stands beside them."""

    def __init__(self, content: bytes, form: str, ground_truth_decides: bool) -> None:
        self._content = content
        self._form = form
        self._ground_truth_decides = ground_truth_decides
        self.skipped = 0

    def lines(self, limits: LabelLimits) -> Iterator[NumberedLine]:
        """Yield the labels as lines of JSON."""
        if self._form == "jsonl":
            yield from numbered_lines(io.BytesIO(self._content), limits.line_bytes)
        elif self._form == "csv":
            for number, label in read_csv(self._content):
                yield _line(number, label)
        else:
            yield from self._annotations()

    def _annotations(self) -> Iterator[NumberedLine]:
        for read in read_export(self._content, ground_truth_decides=self._ground_truth_decides):
            if not isinstance(read, ReadAnnotation):
                yield _line(*read)
            elif read.line is None:
                self.skipped += 1
            else:
                yield _line(read.number, read.line)


def _line(number: int, label: dict[str, Any] | DeadLetterError) -> NumberedLine:
    if isinstance(label, DeadLetterError):
        return NumberedLine(number, None, label)
    # Escaped, so that a lone surrogate, too, is UTF-8; what it stands for is cleaned like any other text.
    return NumberedLine(number, json.dumps(label).encode())


def _counts(outcome: ImportOutcome, skipped: int) -> ImportCounts:
    return ImportCounts(
        lines=outcome.lines,
        accepted=outcome.accepted,
        corrections=outcome.corrections,
        non_probability=outcome.outside_sample,
        refused=outcome.refused.total(),
        reasons=dict(sorted(outcome.refused.items())),
        unknown_keys=outcome.unknown_keys,
        skipped=skipped,
        cut_short=outcome.is_cut_short,
        refusals=[
            ImportRefusal(number=one.number, reason=one.reason, detail=one.detail) for one in outcome.refusals
        ],
    )
