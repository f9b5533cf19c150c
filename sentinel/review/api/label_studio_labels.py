"""Annotations of Label Studio as lines of a label file.

Read is what the interface of `label_studio_tasks` asks. Predictions and drafts are a model's and nobody's
opinion, and are left alone; a skipped annotation (`was_cancelled`) says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sentinel.errors import DeadLetterError
from sentinel.review.api.json_elements import elements

_TRUTHS = {"true": True, "false": False, "yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class ReadAnnotation:
    """One annotation; `number` counts them from 1. `line` None: it was skipped there."""

    number: int
    line: dict[str, Any] | None = field(repr=False)


def read_export(
    content: bytes, *, ground_truth_decides: bool = False
) -> Iterator[ReadAnnotation | tuple[int, DeadLetterError]]:
    """Yield the annotations of an exported file, or with its number why one cannot be read.

    `ground_truth_decides`: one that is marked as ground truth counts as an adjudicator's.

    Raises:
        DeadLetterError: `not_json`, `not_a_list`: this is no export of Label Studio in the form JSON.
    """
    number = 0
    try:
        for number, read in enumerate(_annotations(content, ground_truth_decides), 1):
            yield (number, read) if isinstance(read, DeadLetterError) else ReadAnnotation(number, read)
    except DeadLetterError as error:
        if number == 0:
            raise
        # What stands before it may be in the store already, and is counted: only what follows is lost.
        yield number + 1, DeadLetterError(error.reason, f"{error.detail}: it is read no further")


def _annotations(
    content: bytes, ground_truth_decides: bool
) -> Iterator[dict[str, Any] | DeadLetterError | None]:
    for task in elements(content):
        annotations = task.get("annotations", task.get("completions")) if isinstance(task, Mapping) else None
        if not isinstance(annotations, list):
            yield DeadLetterError("wrong_type", "a task is an object with a list of annotations")
            continue
        for annotation in annotations:
            try:
                yield _line(task, annotation, ground_truth_decides)
            except DeadLetterError as error:
                yield error


def _line(task: Mapping[str, Any], annotation: Any, ground_truth_decides: bool) -> dict[str, Any] | None:
    if not isinstance(annotation, Mapping):
        raise DeadLetterError("wrong_type", "an annotation is an object")
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return None
    data = task.get("data")
    if not isinstance(data, Mapping) or not isinstance(data.get("event_id"), str):
        raise DeadLetterError("missing_key", "data.event_id is required: export tasks from this workbench")
    results = annotation.get("result")
    if not isinstance(results, list):
        raise DeadLetterError("wrong_type", "result must be a list")
    answer = data.get("answer")
    read = _Results(
        [one for one in results if isinstance(one, Mapping)], answer if isinstance(answer, str) else ""
    )
    claims = read.claims()
    abstention = read.choice("abstention") or "none"
    answered = read.truth("answered")
    if answered is None:
        # Who marked a claim saw an answer; who marked none and chose nothing has not said.
        if not claims and abstention == "none":
            raise DeadLetterError("missing_key", "answered is required: nothing was marked or chosen")
        answered = bool(claims) or abstention == "failed"
    decides = ground_truth_decides and annotation.get("ground_truth") is True
    return {
        "event_id": data["event_id"],
        "annotator": _annotator(annotation.get("completed_by")),
        "role": "adjudicator" if decides else "annotator",
        "answered": answered,
        "abstention": abstention,
        "claims": claims,
        "evidence_retrieved": read.choice("evidence_retrieved") or "unknown",
        "root_causes": read.choices("root_causes"),
        "citations": read.citations(data.get("citations")),
        "complete": read.truth("complete"),
        "comment": read.text("comment"),
    }


def _annotator(completed_by: Any) -> str:
    """A user's e-mail address, which is stored as a keyed hash, else their number there."""
    if isinstance(completed_by, Mapping):
        completed_by = completed_by.get("email") or completed_by.get("username") or completed_by.get("id")
    if isinstance(completed_by, str) and completed_by.strip():
        return completed_by
    if isinstance(completed_by, int) and not isinstance(completed_by, bool):
        return f"label-studio-user {completed_by}"
    raise DeadLetterError("missing_key", "completed_by is required: whose annotation is it?")


class _Results:
    """The results of one annotation, by the name of the control they come from."""

    def __init__(self, results: Sequence[Mapping[str, Any]], answer: str) -> None:
        self._results = results
        self._answer = answer

    def claims(self) -> list[dict[str, Any]]:
        """Return the marked claims in the order in which they stand in the answer."""
        marked = [one for one in self._results if one.get("from_name") == "claim"]
        spans = [(self._start(one), one) for one in marked]
        return [self._claim(one) for _, one in sorted(spans, key=lambda pair: pair[0])]

    def _claim(self, result: Mapping[str, Any]) -> dict[str, Any]:
        value = _value(result)
        region = result.get("id")
        severity = self._first("severity", "choices", region)
        subtype = self._first("subtype", "text", region)
        return {
            "text": self._text_of(value),
            "label": _one_of(value.get("labels")),
            "severity": severity,
            "subtype": subtype,
        }

    def _text_of(self, value: Mapping[str, Any]) -> str:
        text = value.get("text")
        if isinstance(text, str):
            return text
        start, end = value.get("start"), value.get("end")
        if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end:
            raise DeadLetterError("wrong_type", "a claim has its text, or start and end in the answer")
        # Offsets count UTF-16 code units, as a browser does.
        units = self._answer.encode("utf-16-le", "surrogatepass")
        return units[2 * start : 2 * end].decode("utf-16-le", "replace")

    @staticmethod
    def _start(result: Mapping[str, Any]) -> int:
        start = _value(result).get("start")
        return start if isinstance(start, int) else 0

    def choice(self, name: str) -> str | None:
        """Return what was chosen of one control; None for nothing."""
        return self._first(name, "choices")

    def choices(self, name: str) -> list[str]:
        """Return all that was chosen of a control that allows several."""
        chosen = [_value(one).get("choices") for one in self._results if one.get("from_name") == name]
        return [item for part in chosen if isinstance(part, list) for item in part if isinstance(item, str)]

    def truth(self, name: str) -> bool | None:
        """Return a choice of true and false; None for nothing."""
        chosen = self.choice(name)
        if chosen is None:
            return None
        if chosen.strip().casefold() not in _TRUTHS:
            message = f"{name.partition('_')[0]} must be true or false"
            raise DeadLetterError("unknown_value", message)
        return _TRUTHS[chosen.strip().casefold()]

    def text(self, name: str) -> str | None:
        """Return what was written into an area, its parts as lines; None for nothing."""
        parts = [_value(one).get("text") for one in self._results if one.get("from_name") == name]
        lines = [line for part in parts for line in (part if isinstance(part, list) else [part])]
        written = "\n".join(line for line in lines if isinstance(line, str) and line.strip())
        return written or None

    def citations(self, cited: Any) -> list[dict[str, Any]]:
        """Return the judged citations; they are found by their place in the task."""
        judged = []
        for place, citation in enumerate(cited if isinstance(cited, list) else []):
            entails = self.truth(f"entails_{place}")
            if entails is not None and isinstance(citation, Mapping):
                judged.append({"id": citation.get("id"), "entails": entails})
        return judged

    def _first(self, name: str, key: str, region: Any = None) -> str | None:
        for one in self._results:
            if one.get("from_name") == name and (region is None or one.get("id") == region):
                return _one_of(_value(one).get(key))
        return None


def _value(result: Mapping[str, Any]) -> Mapping[str, Any]:
    value = result.get("value")
    return value if isinstance(value, Mapping) else {}


def _one_of(values: Any) -> str | None:
    """The one value of a list, or what stands there instead of one."""
    if isinstance(values, list):
        if len(values) > 1:
            raise DeadLetterError("too_many", "one value may be chosen here")
        values = values[0] if values else None
    return values if isinstance(values, str) else None
