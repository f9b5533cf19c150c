"""What goes on beside the measured pages: `consume URL PER_SECOND SECONDS`, `label URL TOKENS SECONDS`."""

from __future__ import annotations

import json
import sys
import threading
import time
from datetime import UTC, datetime

import httpx

from sentinel.labelling.claim_splitter import split_claims
from sentinel.labelling.draft import draft_document, first_draft
from sentinel.store.database import Database
from sentinel.store.units import insert_units
from tests.browser.workbench import EIGHT_CLAIMS, PASSAGES
from tests.contract.store_samples import a_unit

_COMMITS_A_SECOND = 5


def consume(url: str, per_second: int, seconds: float) -> dict[str, int]:
    """Write units at a steady pace, several a commit; return how many."""
    written, began = 0, time.monotonic()
    content = {"question": "Can I?", "answer": EIGHT_CLAIMS, "retrieved": PASSAGES}
    with Database(url) as database:
        for step in range(int(seconds * _COMMITS_A_SECOND)):
            time.sleep(max(0.0, began + step / _COMMITS_A_SECOND - time.monotonic()))
            now = datetime.now(UTC)
            drawn = [
                a_unit(f"new-{step:06d}-{n}", offset=step, event_time=now, content=content)
                for n in range(per_second // _COMMITS_A_SECOND)
            ]
            with database.begin() as conn:
                insert_units(conn, drawn, now)
            written += len(drawn)
    return {"units": written}


def label(url: str, tokens: list[str], seconds: float) -> dict[str, int]:
    """Have people label one answer after the other; return how many labels they gave."""
    given = [0] * len(tokens)
    ends = time.monotonic() + seconds

    def work(number: int) -> None:
        document = draft_document(first_draft(split_claims(EIGHT_CLAIMS), []))
        for claim in document["claims"]:
            claim["label"] = "supported"
        headers = {"authorization": f"Bearer {tokens[number]}", "accept": "application/json"}
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            place = client.post("/next").headers["location"]
            while time.monotonic() < ends and place.startswith("/units/"):
                client.get(place)
                client.post(f"{place}/lease", json={})
                body = {"draft": document, "base_revision": 0, "save_id": place, "seconds": 1.0}
                saved = client.put(f"{place}/draft", json=body)
                sent = {"draft": document, "base_revision": saved.json().get("revision"), "go_on": True}
                answer = client.post(f"{place}/opinion", json=sent | {"idempotency_key": place})
                given[number] += answer.status_code == 200
                place = answer.json().get("next", "/")
                time.sleep(0.3)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(tokens))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"labels": sum(given)}


def main() -> None:
    """Do one of both and print what it was."""
    kind, url, what, seconds = sys.argv[1:]
    if kind == "consume":
        told = consume(url, int(what), float(seconds))
    else:
        told = label(url, what.split(","), float(seconds))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
