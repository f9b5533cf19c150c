"""Drawn answers as tasks of Label Studio, and the labelling interface that asks what a label says.

The format is that of its documentation (*Label Studio JSON format of annotated tasks*): a task has `data`,
and its annotations a list of results with `from_name`, `to_name`, `type` and `value`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from sentinel.labelling.label_fields import Abstention, EvidenceRetrieved
from sentinel.labelling.taxonomy import ROOT_CAUSES
from sentinel.records import ClaimLabel, Severity
from sentinel.review.unit_view import unit_view
from sentinel.store.unit_rows import StoredUnit


def task_of(stored: StoredUnit) -> dict[str, Any]:
    """Return the task of one answer: what a reviewer sees, and the ids by which its label finds it."""
    view = unit_view(stored)
    content = stored.content or {}
    return {
        "data": {
            "unit_id": stored.id,
            "event_id": stored.unit.facts.event_id,
            "question": view.question or "",
            "answer": view.answer,
            "passages": [
                {"id": str(passage.get("id", "")), "text": str(passage.get("text") or "")}
                for passage in content.get("retrieved") or ()
            ],
            "citations": [{"id": str(one.get("id", ""))} for one in content.get("citations") or ()],
        }
    }


def labelling_interface() -> str:
    """Return the interface to set up in Label Studio (Settings, Labeling Interface, Code)."""
    labels = "".join(f'<Label value="{name}"/>' for name in get_args(ClaimLabel))
    return (
        "<View>\n"
        '  <Header value="Question"/><Text name="question" value="$question"/>\n'
        '  <Header value="Evidence"/>\n'
        '  <Repeater on="$passages" indexFlag="{{idx}}">\n'
        '    <Text name="passage_{{idx}}" value="$passages[{{idx}}].text"/>\n'
        "  </Repeater>\n"
        '  <Header value="Mark each claim of the answer"/>\n'
        f'  <Labels name="claim" toName="answer">{labels}</Labels>\n'
        '  <Text name="answer" value="$answer" granularity="word"/>\n'
        f"  {_choices('severity', get_args(Severity), 'perRegion')}\n"
        '  <TextArea name="subtype" toName="answer" perRegion="true" rows="1" maxSubmissions="1"/>\n'
        '  <Header value="The answer as a whole"/>\n'
        f"  {_choices('answered', ('true', 'false'), 'required')}\n"
        f"  {_choices('abstention', get_args(Abstention))}\n"
        f"  {_choices('evidence_retrieved', get_args(EvidenceRetrieved))}\n"
        f"  {_choices('complete', ('true', 'false'))}\n"
        f"  {_choices('root_causes', sorted(ROOT_CAUSES), 'multiple')}\n"
        '  <Repeater on="$citations" indexFlag="{{idx}}">\n'
        '    <Text name="citation_{{idx}}" value="$citations[{{idx}}].id"/>\n'
        '    <Choices name="entails_{{idx}}" toName="citation_{{idx}}" showInline="true">'
        '<Choice value="true"/><Choice value="false"/></Choices>\n'
        "  </Repeater>\n"
        '  <TextArea name="comment" toName="answer" rows="3" maxSubmissions="1"/>\n'
        "</View>\n"
    )


_ATTRIBUTES = {
    "": "",
    "perRegion": ' perRegion="true"',
    "required": ' required="true"',
    "multiple": ' choice="multiple"',
}


def _choices(name: str, values: Sequence[str], kind: str = "") -> str:
    inside = "".join(f'<Choice value="{value}"/>' for value in values)
    return f'<Choices name="{name}" toName="answer" showInline="true"{_ATTRIBUTES[kind]}>{inside}</Choices>'
