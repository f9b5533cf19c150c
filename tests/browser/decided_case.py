"""A store in which something of everything has happened: labels, a disagreement, an alarm, a report."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sentinel.clock import SystemClock
from sentinel.labelling.claim_splitter import split_claims
from sentinel.labelling.draft import draft_document, first_draft
from sentinel.review.calibration.trials import make_batch
from sentinel.review.identity.permission import Person, Role
from sentinel.review.labelling_page.opinions import Sent, give
from sentinel.review.labelling_page.reserving import escalate
from sentinel.review.params import ReviewParams
from sentinel.review.text_door import TextDoor
from sentinel.review.workshop import Workshop
from sentinel.store.reports import Period, save_report
from sentinel.store.shifts import AlarmFindings, begin_alarm, move_progress
from sentinel.store.units import set_status
from tests.browser.workbench import EIGHT_CLAIMS, Bench
from tests.review_bench import redaction


def an_opinion(wrong: int | None, comment: str = "") -> dict[str, Any]:
    """Return a finished draft of `EIGHT_CLAIMS` in which one claim, or none, is contradicted."""
    found = draft_document(first_draft(split_claims(EIGHT_CLAIMS), ["archive"]))
    for number, claim in enumerate(found["claims"]):
        claim["label"] = "contradicted" if number == wrong else "supported"
        claim["severity"] = "high" if number == wrong else None
        claim["subtype"] = "wrong number" if number == wrong else None
    return found | {"comment": comment, "evidence_retrieved": "hit"}


def an_alarm(bench: Bench, *example_event_ids: str) -> None:
    """Begin an alarm of two hours ago with some example answers."""
    size = {
        "observed": 0.173,
        "lower": 0.156,
        "upper": 0.191,
        "usual": 0.049,
        "unit": "share",
        "answers": 1840,
        "level": 0.95,
    }
    part = {"domain": "workflow", "value": "returns", "share_of_shift": 0.98, "answers": 1310}
    now = datetime.now(UTC)
    onset = now - timedelta(hours=2)
    with bench.database.begin() as conn:
        findings = AlarmFindings(size, part, example_event_ids)
        begin_alarm(conn, "shop", "", "abstained", "up", onset, onset + timedelta(minutes=6), findings)
        move_progress(conn, None, now)


def live_a_little(bench: Bench) -> None:
    """Units 1 to 6 agreed on, 7 disagreed, 8 decided, 9 escalated, 10 lost; an alarm and a report."""
    door = TextDoor(redaction())
    shop = Workshop(bench.database, ReviewParams(second_review_share=1.0), SystemClock(), door)
    ann, ben = (Person(bench.ids[name], name, Role.REVIEWER) for name in ("ann", "ben"))
    dora = Person(bench.ids["dora"], "dora", Role.ADJUDICATOR)
    for unit_id in range(1, 9):
        give(
            shop,
            ann,
            unit_id,
            "opinion",
            Sent(an_opinion(2, "The leaflet is of no help."), seconds=70.0 + unit_id),
        )
        wrong = None if unit_id > 6 else 2
        give(shop, ben, unit_id, "opinion", Sent(an_opinion(wrong, "Looks right."), seconds=95.0))
    give(shop, dora, 8, "adjudication", Sent(an_opinion(2)))
    escalate(shop, ann, 9, "Two price lists contradict each other.")
    an_alarm(bench, "e00000", "e00006")
    now = datetime.now(UTC)
    with bench.database.begin() as conn:
        conn.exec_driver_sql("DELETE FROM unit_contents WHERE unit_id = 10")
        set_status(conn, ["e00009"], "lost")
        make_batch(conn, "first week", 5, dora.id, now)
        rate = {
            "estimate": 0.084, "lower": 0.051, "upper": 0.127, "numerator": 17, "denominator": 206,
            "effective_sample_size": 171.3, "method": "korn-graubard", "status": "ok",
        }  # fmt: skip
        document = {
            "period": {"from": "2026-11-16", "to": "2026-11-23", "timezone": "UTC"},
            "rates": {
                "case": rate,
                "claim": rate | {"estimate": 0.031, "lower": 0.02, "upper": 0.05},
                "critical_claim": rate
                | {"estimate": 0.0, "lower": 0.0, "upper": 0.018, "numerator": 0, "status": "zero_observed"},
            },
            "coverage": {
                "drawn": 214,
                "labelled": 206,
                "provisional": 160,
                "pending": 7,
                "lost": 1,
                "labelled_share": 0.9626,
            },
            "notes": ["Labels of 7 answers are outstanding."],
        }
        period = Period(datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 23, tzinfo=UTC))
        save_report(conn, period, document, now, 0)
