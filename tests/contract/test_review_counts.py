"""What a queue counts is what it lists is what can be opened, whatever was done before, on both databases."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from alembic import command

from sentinel.clock import FixedClock
from sentinel.review.identity.permission import Person
from sentinel.review.label_import import LabelImport, NumberedLine
from sentinel.review.labelling_page.opinions import Sent, give
from sentinel.review.labelling_page.reserving import escalate, keep_open, skip, take_next
from sentinel.review.queueing.assigning import assign
from sentinel.review.queueing.selection import (
    Position,
    WorkFilter,
    count_unreserved,
    count_work,
    is_open_to,
    open_unit_ids,
    work_page,
)
from sentinel.review.refusals import RefusedError
from sentinel.store.database import Database, alembic_config
from sentinel.store.people import add_person
from sentinel.store.reservations import active_reservation
from sentinel.store.schema import units
from sentinel.store.units import insert_units, purge_contents, set_status
from tests.contract.store_samples import a_unit
from tests.review_bench import ANN, BEN, CEM, DORA, KEY, NOW, document, label, redaction, workshop

PEOPLE = (ANN, BEN, CEM, DORA)
FILTERS = (
    WorkFilter(),
    WorkFilter({"app": "shop"}),
    WorkFilter({"app": "shop", "locale": "de"}),
    WorkFilter(answered_before=NOW - timedelta(days=1) + timedelta(minutes=6)),
    WorkFilter({"app": "bank"}, answered_after=NOW - timedelta(days=1) + timedelta(minutes=4)),
)
_UNITS = 12


class Walk:
    """People who do one thing after the other on the same few answers, whatever comes into their heads."""

    def __init__(self, database: Database, seed: int) -> None:
        self.chance = random.Random(seed)
        self.database = database
        self.shop = workshop(database, second_review_share=0.6)
        self.to_draw = [
            a_unit(
                f"e{place:05d}",
                event_time=NOW - timedelta(days=1) + timedelta(minutes=place),
                domains={"app": ("shop", "bank")[place % 2], "locale": ("de", "en", "fr")[place % 3]},
            )
            for place in range(_UNITS)
        ]
        self.ids: list[int] = []
        with database.begin() as conn:
            for person in PEOPLE:
                add_person(conn, person.id, person.name, str(person.role), NOW)
        for _ in range(_UNITS - 4):
            self.draw()
        self.deeds = (
            self.label,
            self.label,
            self.label,
            self.take,
            self.skip,
            self.escalate,
            self.decide,
            self.assign,
            self.bring,
            self.purge,
            self.lose,
            self.wait,
            self.draw,
        )

    def step(self) -> None:
        person, unit_id = self.chance.choice(PEOPLE), self.chance.choice(self.ids)
        with suppress(RefusedError):  # what is refused is a step that changes nothing
            self.chance.choice(self.deeds)(person, unit_id)

    def draw(self, *_: object) -> None:
        """Draw one answer more, which may have labels from before."""
        with self.database.begin() as conn:
            insert_units(conn, self.to_draw[:1], NOW)
            self.ids = list(conn.scalars(sa.text("SELECT id FROM units ORDER BY event_id")))
        del self.to_draw[:1]

    def label(self, person: Person, unit_id: int) -> None:
        bad = self.chance.random() < 0.4
        labels = ("supported", "contradicted" if bad else "supported", "supported")
        label(self.shop, person, unit_id, *labels, severity=self.chance.choice(("low", "critical")))

    def take(self, person: Person, unit_id: int) -> None:
        if self.chance.random() < 0.5:
            keep_open(self.shop, person, unit_id)
        else:
            take_next(self.shop, person)

    def skip(self, person: Person, unit_id: int) -> None:
        skip(self.shop, person, unit_id, "")

    def escalate(self, person: Person, unit_id: int) -> None:
        escalate(self.shop, person, unit_id, "why")

    def decide(self, person: Person, unit_id: int) -> None:
        give(self.shop, person, unit_id, "adjudication", Sent(document()))

    def assign(self, person: Person, unit_id: int) -> None:
        assign(self.shop, person, self.chance.choice(PEOPLE).id, self.chance.choice(FILTERS), unit_id % 3)

    def bring(self, person: Person, _unit_id: int) -> None:
        """Bring a label by file, of an answer that may not be drawn yet."""
        line = {
            "event_id": f"e{self.chance.randrange(_UNITS):05d}",
            "annotator": person.id,
            "answered": True,
            "abstention": "none",
            "claims": [{"text": "x", "label": "supported"}],
        }
        taking = LabelImport(self.database, redaction().texts, KEY, self.shop.clock)
        taking.run([NumberedLine(1, json.dumps(line).encode())])

    def purge(self, _person: Person, unit_id: int) -> None:
        if self.chance.random() < 0.2:
            with self.database.begin() as conn:
                purge_contents(conn, NOW - timedelta(days=1) + timedelta(minutes=4), unit_id % 2)

    def lose(self, _person: Person, unit_id: int) -> None:
        if self.chance.random() < 0.2:
            with self.database.begin() as conn:
                set_status(conn, [f"e{self.ids.index(unit_id):05d}"], "lost")

    def wait(self, _person: Person, _unit_id: int) -> None:
        assert isinstance(self.shop.clock, FixedClock)
        self.shop.clock.set(
            self.shop.clock.now() + timedelta(minutes=self.chance.choice((1, 31, 60 * 24 * 8)))
        )


def truly_open(conn: sa.Connection, person: Person | None, now: datetime) -> list[int]:
    """What a person can open (or anybody be given), by what was said and done, not by a unit's marks."""
    rows = conn.execute(
        sa.text(
            "SELECT u.id, u.event_id, u.status, r.state FROM units u "
            "JOIN unit_contents c ON c.unit_id = u.id LEFT JOIN second_reviews r ON r.unit_id = u.id "
            "ORDER BY u.priority, u.event_time, u.id"
        )
    ).all()
    in_sample = sa.text("SELECT event_id, annotator FROM annotations WHERE probability_sample")
    said = {tuple(row) for row in conn.execute(in_sample)}
    found = []
    for row in rows:
        held = active_reservation(conn, row.id, "opinion", now)
        if held is not None and (person is None or held.annotator != person.id):
            continue
        first = row.state is None and row.status == "pending"
        second = person and row.state == "waiting" and (row.event_id, person.id) not in said
        if first or second:
            found.append(row.id)
    return found


def listed(conn: sa.Connection, person: Person, wanted: WorkFilter, now: datetime) -> list[int]:
    """All that the person's queue lists, page by page."""
    found: list[int] = []
    after: Position | None = None
    while True:
        page = work_page(conn, person.id, wanted, 5, now, after=after)
        found += [row.id for row in page.rows]
        if page.after is None:
            return found
        after = Position.parse(page.after)


def passing(conn: sa.Connection, wanted: WorkFilter) -> set[int]:
    return set(conn.scalars(sa.select(units.c.id).where(*wanted.conditions())))


@pytest.mark.parametrize("seed", range(4))
def test_counts_lists_and_what_can_be_opened_are_one(database: Database, seed: int) -> None:
    walk = Walk(database, seed)
    for _ in range(40):
        walk.step()
        now = walk.shop.clock.now()
        with database.read() as conn:
            free = truly_open(conn, None, now)
            for person in PEOPLE:
                true = truly_open(conn, person, now)
                assert [one for one in walk.ids if is_open_to(conn, one, person.id, now)] == true
                wanted = walk.chance.choice(FILTERS)
                among = passing(conn, wanted)
                shown = [one for one in true if one in among]
                assert listed(conn, person, wanted, now) == shown
                assert count_work(conn, person.id, wanted, now) == len(shown)
                left = [one for one in free if one in among]
                assert open_unit_ids(conn, wanted, now) == left
                assert count_unreserved(conn, wanted, now) == len(left)


def test_what_waits_is_the_same_after_a_migration_there_and_back(database: Database) -> None:
    walk = Walk(database, 7)
    for _ in range(25):
        walk.step()
    with database.read() as conn:
        first, *_ = truly_open(conn, None, walk.shop.clock.now())
    label(workshop(database, second_review_share=1.0), ANN, first)
    marks = sa.text("SELECT id, awaits_opinion, first_annotator FROM units ORDER BY id")
    with database.begin() as conn:
        before = conn.execute(marks).all()
        waiting = set(conn.scalars(sa.text("SELECT id FROM units WHERE first_annotator <> ''")))
        command.downgrade(alembic_config(conn), "0004")
        of_old = set(conn.scalars(sa.text("SELECT id FROM units WHERE awaits_second = (1 = 1)")))
    database.upgrade()
    with database.read() as conn:
        assert conn.execute(marks).all() == before
    assert of_old == waiting
    assert len({(row.awaits_opinion, bool(row.first_annotator)) for row in before}) == 3
