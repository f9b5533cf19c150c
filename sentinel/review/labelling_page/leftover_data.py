"""Personal data that redaction left over: a reviewer points at it, and it is gone from everything stored.

The words themselves are written nowhere but over: not in a log, not in the note of the step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from sentinel.labelling.free_text import reworded, words_of
from sentinel.review.identity.permission import Action, Person
from sentinel.review.labelling_page.marked_words import pattern_of
from sentinel.review.labelling_page.standing import standing_of
from sentinel.review.queueing.selection import is_open_to
from sentinel.review.refusals import RefusedError
from sentinel.review.unit_access import at_hand, strings_in, unit_by_id
from sentinel.review.workshop import Workshop
from sentinel.store.annotations import annotations_of_event, current_annotation
from sentinel.store.calibration import reword_trials
from sentinel.store.drafts import drafts_of_unit, replace_documents
from sentinel.store.schema import unit_contents
from sentinel.store.unit_events import add_event, reword_events

#: What a reviewer may call what they found, and the word of its placeholder.
KINDS = {
    "PERSON": "a name",
    "EMAIL": "an e-mail address",
    "PHONE": "a telephone number",
    "ADDRESS": "a postal address",
    "ID": "a number or id of a person",
    "OTHER": "something else about a person",
}
_SHORTEST = 2
_LONGEST = 500
_PLACEHOLDER = re.compile(r"<[A-Z][A-Z_]*_[0-9]{1,9}>")
#: Keys whose values find a thing again; a placeholder there would break the link to a passage.
_KEPT_KEYS = frozenset(("id",))


@dataclass(frozen=True, slots=True)
class Removed:
    """How often the words stood in the answer, and in how many label records, which nothing can change.

    Of labels, everybody is told of their own alone until all of them are in.
    """

    in_answer: int
    in_labels: int


def remove_left_over(shop: Workshop, person: Person, unit_id: int, words: str, kind: str) -> Removed:
    """Replace every occurrence of `words` in an answer, and redact all of it once more.

    Raises:
        RefusedError: `unknown_kind`, `not_there` (the words stand nowhere in it, whole), `too_short`,
            `too_long`, `forbidden`: the answer is neither theirs to label, nor labelled by them, nor theirs
            to oversee.
    """
    if kind not in KINDS:
        raise RefusedError("unknown_kind", f"kind must be one of {', '.join(KINDS)}.", 422)
    wanted = " ".join(words.split())
    if not _SHORTEST <= len(wanted) <= _LONGEST:
        raise RefusedError(
            "too_long" if len(wanted) > _LONGEST else "too_short",
            f"Mark between {_SHORTEST} and {_LONGEST} characters.",
            422,
        )
    if _PLACEHOLDER.fullmatch(wanted):
        raise RefusedError("not_there", "This is a placeholder: the data is gone already.", 422)
    pattern = pattern_of(wanted)
    door, now = shop.writing(), shop.clock.now()
    with shop.database.read() as conn:
        before = at_hand(conn, unit_id).content or {}
        _require_at_work(conn, person, unit_id, now)
    new, found = _replaced(before, pattern, kind)
    if not found:
        raise RefusedError("not_there", "These words stand nowhere in this answer: mark whole words.", 422)
    texts = list(dict.fromkeys(strings_in(new)))
    clean = dict(zip(texts, door.clean(texts), strict=True))
    with shop.database.begin() as conn:
        unit = at_hand(conn, unit_id, lock=True)
        _require_at_work(conn, person, unit_id, now)
        if unit.content != before:
            raise RefusedError("conflict", "The answer was changed meanwhile: load the page again.")
        _overwrite(conn)
        content = _mapped(new, lambda text: clean.get(text, text))
        of_unit = unit_contents.c.unit_id == unit.id
        conn.execute(sa.update(unit_contents).where(of_unit).values(content=content))
        placeholder = _placeholder(strings_in(before), kind)

        def without(text: str) -> str:
            return pattern.sub(placeholder, text)

        every = _labels_that_hold(conn, unit.event_id, pattern, None)
        add_event(
            conn, unit.id, person.id, "cleaned", now, f"{kind}: {found} in the answer, {every} in labels"
        )
        drafts = drafts_of_unit(conn, unit.id).items()
        replace_documents(conn, unit.id, {owner: reworded(document, without) for owner, document in drafts})
        reword_trials(conn, unit.id, lambda document: reworded(document, without))
        reword_events(conn, unit.id, without)
        removed = Removed(found, _labels_to_tell_of(conn, person, unit.id, pattern, now))
    shop.database.empty_log()
    return removed


def _require_at_work(conn: Connection, person: Person, unit_id: int, now: datetime) -> None:
    """Refuse who has nothing to do with an answer: what is replaced in it nobody can bring back."""
    if person.may(Action.ASSIGN) or is_open_to(conn, unit_id, person.id, now):
        return
    event_id = at_hand(conn, unit_id).event_id
    if current_annotation(conn, event_id, person.id) is None:
        raise RefusedError("forbidden", "Take this answer first, or tell an adjudicator.", 403)


def _labels_to_tell_of(
    conn: Connection, person: Person, unit_id: int, pattern: re.Pattern[str], now: datetime
) -> int:
    """Count the labels that hold the words: while the answer waits for opinions, the person's own alone.

    Whatever their role: who may still give one could ask, word by word, what others have written.
    """
    stored = unit_by_id(conn, unit_id)
    if stored is None:
        return 0
    is_over = standing_of(conn, person, stored, now).is_over
    return _labels_that_hold(conn, stored.unit.facts.event_id, pattern, None if is_over else person.id)


def _labels_that_hold(
    conn: Connection, event_id: str, pattern: re.Pattern[str], annotator: str | None
) -> int:
    """Count the label records that hold the words; with `annotator`, theirs alone."""
    return sum(
        any(pattern.search(text) for text in words_of(stored.annotation))
        for stored in annotations_of_event(conn, event_id)
        if annotator is None or stored.annotation.annotator == annotator
    )


def _replaced(content: Mapping[str, Any], pattern: re.Pattern[str], kind: str) -> tuple[Any, int]:
    placeholder = _placeholder(strings_in(content), kind)
    found = sum(len(pattern.findall(text)) for text in _texts_in(content))
    return _mapped(content, lambda text: pattern.sub(placeholder, text)), found


def _texts_in(content: Mapping[str, Any]) -> Sequence[str]:
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return text

    _mapped(content, keep)
    return kept


def _placeholder(texts: Any, kind: str) -> str:
    taken = {match.group() for text in texts for match in _PLACEHOLDER.finditer(text)}
    number = 1
    while f"<{kind}_{number}>" in taken:
        number += 1
    return f"<{kind}_{number}>"


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {
            key: part if key in _KEPT_KEYS and isinstance(part, str) else _mapped(part, change)
            for key, part in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_mapped(part, change) for part in value]
    return value


def _overwrite(conn: Connection) -> None:
    """Have SQLite overwrite what it replaces: by default the words stay in the file's free pages."""
    if conn.dialect.name == "sqlite":
        conn.exec_driver_sql("PRAGMA secure_delete = ON")
