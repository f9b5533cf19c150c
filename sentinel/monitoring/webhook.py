"""Tells an address of alarms that began or ended: JSON by POST, bounded in time, without any text."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from sentinel.clock import Clock
from sentinel.monitoring.params import WebhookParams
from sentinel.store import shifts
from sentinel.store.shifts import Alarm, alarm_document
from sentinel.telemetry import catalogue as c
from sentinel.telemetry.logs import get_logger
from sentinel.telemetry.metrics import Metrics

log = get_logger("monitoring")
Begin = Callable[[], AbstractContextManager[Connection]]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the message to an address nobody configured."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow nothing."""


def tell(begin: Begin, params: WebhookParams, metrics: Metrics, clock: Clock) -> None:
    """Send what was not sent yet, in order; what cannot be delivered waits for the next call.

    At least once: if the store is away right after a delivery, the message is sent again.
    """
    if not params.url:
        return
    with begin() as conn:
        waiting = shifts.unsent_alarms(conn)
    for alarm in waiting:
        for is_begin in (True, False):
            if (alarm.begin_sent_at if is_begin else alarm.end_sent_at) is not None:
                continue
            at = alarm.begun_at if is_begin else alarm.ended_at
            if at is None:
                continue
            too_old = clock.now() - at > timedelta(hours=params.give_up_after_hours)
            if too_old:
                metrics.increment(c.SHIFT_NOTIFICATIONS, outcome="given_up")
            elif not _delivered(params, message(alarm, begin=is_begin)):
                metrics.increment(c.SHIFT_NOTIFICATIONS, outcome="failed")
                return
            else:
                metrics.increment(c.SHIFT_NOTIFICATIONS, outcome="delivered")
            with begin() as conn:
                shifts.mark_sent(conn, alarm.id, clock.now(), begin=is_begin)


def message(alarm: Alarm, *, begin: bool) -> dict[str, Any]:
    """Return the JSON object that is sent."""
    return {"event": "begin" if begin else "end", **alarm_document(alarm)}


def _delivered(params: WebhookParams, body: Mapping[str, Any]) -> bool:
    wait = params.first_wait_seconds
    for attempt in range(params.attempts):
        if attempt:
            time.sleep(wait)
            wait *= 2.0
        status = _post(params, body)
        if status is not None and 200 <= status < 300:
            return True
        # The address is a secret: neither it nor the error's own words, which hold it, are logged.
        log.warning("webhook not delivered", status=status, attempt=attempt + 1, alarm=body["id"])
    return False


def _post(params: WebhookParams, body: Mapping[str, Any]) -> int | None:
    """Return the status, None where there was no answer in time."""
    request = urllib.request.Request(  # noqa: S310 - the parameters admit http and https alone
        params.url,
        data=json.dumps(body, ensure_ascii=False).encode(),
        headers={"Content-Type": "application/json", "User-Agent": "sentinel"},
        method="POST",
    )
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        with opener.open(request, timeout=params.timeout_seconds) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except (OSError, http.client.HTTPException, ValueError):
        return None
