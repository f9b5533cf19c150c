"""Labels from a file: each line is parsed, freed of personal data, and kept or refused with its reason."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO

from sqlalchemy import Connection

from sentinel.clock import Clock
from sentinel.errors import DeadLetterError
from sentinel.labelling.label_line import parse_label_line
from sentinel.labelling.limits import LabelLimits
from sentinel.records import Annotation
from sentinel.redaction import RedactionParams, personal_data_in_id
from sentinel.review.double_review.course import after_import
from sentinel.review.label_redaction import LabelRedaction, RedactTexts
from sentinel.store.annotations import StoredAnnotation, add_annotation, current_annotation
from sentinel.store.database import Database
from sentinel.store.label_queries import drawn_among
from sentinel.store.units import set_status

#: Lines redacted and written together, and their bytes: between two batches the redactor serves others.
BATCH_LINES = 200
BATCH_BYTES = 65_536
#: With so many lines that cannot be used, and fewer that can, a file is another one than was meant.
MOST_REFUSED = 1_000
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a line was not kept; `number` counts from 1, `detail` names key and rule, never a value."""

    number: int
    reason: str
    detail: str


@dataclass(slots=True)
class ImportOutcome:
    """What became of the lines of a file.

    `corrections` and `outside_sample` are among the accepted: labels that replace an earlier one of the
    same annotator, and labels of answers that were never drawn (they enter no rate). `refusals` holds
    the first 20, `first_outside_sample` the line numbers of the first 20 of those labels. `is_cut_short`: the
    rest of the file was not read.
    """

    lines: int = 0
    accepted: int = 0
    corrections: int = 0
    outside_sample: int = 0
    abstentions_with_unsupported_claims: int = 0
    unknown_keys: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)
    first_outside_sample: list[int] = field(default_factory=list)
    is_cut_short: bool = False

    @property
    def is_hopeless(self) -> bool:
        """Return whether hardly anything of the file can be used; what is there already can."""
        unused = self.refused.total() - self.refused["duplicate"]
        return unused > MOST_REFUSED and unused > self.accepted + self.refused["duplicate"]

    def accept(self, number: int, annotation: Annotation, *, corrects: bool, in_sample: bool) -> None:
        """Count a label that is in the store now."""
        self.accepted += 1
        self.corrections += corrects
        if not in_sample:
            self.outside_sample += 1
            self.first_outside_sample = [*self.first_outside_sample, number][:_SHOWN]
        asserts = not annotation.answered and annotation.unsupported_claims > 0
        self.abstentions_with_unsupported_claims += asserts

    def refuse(self, number: int, error: DeadLetterError) -> None:
        """Count a line that is not kept."""
        self.refused[error.reason] += 1
        # A batch is written after the lines behind it were read: the first ones are found by number.
        insort(self.refusals, Refusal(number, error.reason, error.detail), key=lambda one: one.number)
        del self.refusals[_SHOWN:]


@dataclass(frozen=True, slots=True)
class Kept:
    """A label that was written, and whether it corrects an earlier one of the same annotator."""

    stored: StoredAnnotation
    corrects: bool


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line of a file; `value` is None where it has more bytes than the limit, or for another `refusal`."""

    number: int
    value: bytes | None = field(repr=False)
    refusal: DeadLetterError | None = None


def numbered_lines(stream: BinaryIO, most_bytes: int) -> Iterator[NumberedLine]:
    """Yield the lines that are not blank, counted from 1, without holding one that is too long."""
    number = 0
    while chunk := stream.readline(most_bytes + 2):
        number += 1
        line = chunk.rstrip(b"\r\n")
        whole = chunk.endswith(b"\n")
        while not whole and (rest := stream.readline(most_bytes + 2)):
            whole = rest.endswith(b"\n")
            line = chunk  # longer than the limit: only its beginning is held
        if len(line) > most_bytes:
            yield NumberedLine(number, None)
        elif line.strip():
            yield NumberedLine(number, line)


class LabelImport:
    """Takes labels into a store: no text of them is written before it was redacted.

    `key`, `redaction`: as `LabelRedaction` takes them.
    """

    def __init__(
        self,
        database: Database,
        redact_texts: RedactTexts,
        key: bytes | None,
        clock: Clock,
        limits: LabelLimits | None = None,
        redaction: RedactionParams | None = None,
    ) -> None:
        self._database = database
        self._redaction = LabelRedaction(redact_texts, key, redaction)
        self._clock = clock
        self._limits = limits or LabelLimits()

    def run(self, lines: Iterable[NumberedLine], *, gives_up: bool = False) -> ImportOutcome:
        """Import the lines in their order; one that cannot be used costs only itself.

        An identical line of the same annotator is refused as `duplicate`, another one is a correction,
        a new record that names the one it replaces. Raises RetryError or StopError if the store fails:
        what was written stays, and importing the same file again goes on from there. With `gives_up` a file
        of which hardly anything can be used is not read to its end.
        """
        outcome = ImportOutcome()
        batch: list[tuple[int, Annotation]] = []
        size = 0
        for line in lines:
            outcome.lines += 1
            try:
                batch.append((line.number, self._parsed(line, outcome)))
                size += len(line.value or b"")
            except DeadLetterError as error:
                outcome.refuse(line.number, error)
            if len(batch) >= BATCH_LINES or size >= BATCH_BYTES:
                self._write(batch, outcome)
                batch, size = [], 0
            if gives_up and outcome.is_hopeless:
                outcome.is_cut_short = True
                break
        self._write(batch, outcome)
        return outcome

    def _parsed(self, line: NumberedLine, outcome: ImportOutcome) -> Annotation:
        if line.refusal is not None:
            raise line.refusal
        if line.value is None:
            raise DeadLetterError("too_large", f"a line may have {self._limits.line_bytes} bytes")
        parsed = parse_label_line(line.value, self._limits)
        personal = personal_data_in_id(parsed.annotation.event_id)
        if personal is not None:
            raise DeadLetterError("personal_data_in_id", f"event_id holds {personal}")
        outcome.unknown_keys += parsed.unknown_keys
        return parsed.annotation

    def _write(self, batch: Sequence[tuple[int, Annotation]], outcome: ImportOutcome) -> None:
        if not batch:
            return
        redacted = self._redacted(batch, outcome)
        with self._database.begin() as conn:
            drawn = drawn_among(conn, (annotation.event_id for _, annotation in redacted))
            fates = [self._fate(conn, annotation, annotation.event_id in drawn) for _, annotation in redacted]
            kept = {
                annotation.event_id
                for (_, annotation), fate in zip(redacted, fates, strict=True)
                if not isinstance(fate, DeadLetterError)
            }
            set_status(conn, kept & drawn, "labelled")
            after_import(conn, kept & drawn, self._redaction.key, self._clock.now())
        # Counted once it is certain that it was written.
        for (number, annotation), fate in zip(redacted, fates, strict=True):
            if isinstance(fate, DeadLetterError):
                outcome.refuse(number, fate)
            else:
                outcome.accept(number, annotation, corrects=fate, in_sample=annotation.event_id in drawn)

    def _fate(self, conn: Connection, annotation: Annotation, in_sample: bool) -> bool | DeadLetterError:
        try:
            return keep_label(conn, annotation, self._clock.now(), in_sample=in_sample).corrects
        except DeadLetterError as error:
            return error

    def _redacted(
        self, batch: Sequence[tuple[int, Annotation]], outcome: ImportOutcome
    ) -> list[tuple[int, Annotation]]:
        kept = []
        redacted = self._redaction.annotations([annotation for _, annotation in batch])
        for (number, _), annotation in zip(batch, redacted, strict=True):
            if isinstance(annotation, DeadLetterError):
                outcome.refuse(number, annotation)
            else:
                kept.append((number, annotation))
        return kept


def keep_label(conn: Connection, annotation: Annotation, now: datetime, *, in_sample: bool) -> Kept:
    """Write a redacted label: a first opinion, or a correction of the annotator's own earlier one.

    Raises:
        DeadLetterError: `duplicate`, it is there already, unchanged; or as `add_annotation` does.
    """
    current = current_annotation(conn, annotation.event_id, annotation.annotator, annotation.role)
    if current is None:
        return Kept(add_annotation(conn, annotation, now), corrects=False)
    # A label that came before its answer was drawn is outside the sample: said again, it is in it.
    if current.annotation == annotation and (current.probability_sample or not in_sample):
        raise DeadLetterError("duplicate", "this annotator's label is in the store already, unchanged")
    return Kept(add_annotation(conn, annotation, now, replaces=current.id), corrects=True)
