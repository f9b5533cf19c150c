"""Readiness, and the server that shows it."""

import contextlib
import http.client
import json
import math
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sentinel.errors import StopError
from sentinel.telemetry import catalogue
from sentinel.telemetry.health import Health
from sentinel.telemetry.http import HttpParams, TelemetryServer
from sentinel.telemetry.metrics import Metrics


def ask(server: TelemetryServer, path: str, method: str = "GET", **headers: str) -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Content-Type", ""), answer.read()
    finally:
        connection.close()


@pytest.fixture
def health() -> Health:
    return Health(("source", "store"))


@pytest.fixture
def server(health: Health) -> Iterator[TelemetryServer]:
    metrics = Metrics()
    metrics.increment(catalogue.STREAM_EVENTS, 7)
    with TelemetryServer(metrics, health, HttpParams(port=0, connections=4, request_seconds=0.5)) as running:
        yield running


def test_parts_start_not_ready_and_a_process_without_parts_is_not_ready() -> None:
    assert Health(("store",)).not_ready() == {"store": "starting"}
    assert not Health().is_ready


def test_ready_needs_every_part(health: Health) -> None:
    health.set_ready("store")
    assert health.not_ready() == {"source": "starting"}
    health.set_ready("source")
    assert health.is_ready
    health.set_not_ready("source", "no broker\nanswers")
    assert health.not_ready() == {"source": "no broker answers"}
    health.forget("source")
    assert health.is_ready


def test_the_gauge_follows() -> None:
    metrics = Metrics()
    health = Health(("store",), metrics)
    assert b"sentinel_pipeline_ready 0.0" in metrics.exposition()
    health.set_ready("store")
    assert b"sentinel_pipeline_ready 1.0" in metrics.exposition()
    health.set_not_ready("store", "away")
    assert b"sentinel_pipeline_ready 0.0" in metrics.exposition()


def test_changes_from_many_threads_end_in_the_last_state() -> None:
    metrics = Metrics()
    health = Health((), metrics)

    def flap(part: int) -> None:
        for _ in range(300):
            health.set_not_ready(f"part-{part}", "away")
            health.set_ready(f"part-{part}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(flap, range(4)))
    assert health.is_ready
    assert b"sentinel_pipeline_ready 1.0" in metrics.exposition()


def test_alive_while_not_ready_and_each_part_is_named(server: TelemetryServer, health: Health) -> None:
    health.set_ready("store")
    health.set_not_ready("source", "no broker answers")
    assert ask(server, "/healthz")[0] == 200
    status, content_type, body = ask(server, "/readyz")
    assert (status, content_type) == (503, "application/json")
    assert json.loads(body) == {"status": "not ready", "not_ready": {"source": "no broker answers"}}
    health.set_ready("source")
    assert ask(server, "/readyz")[0] == 200


def test_the_root_says_what_there_is(server: TelemetryServer) -> None:
    status, _, body = ask(server, "/")
    paths = json.loads(body)["paths"]
    assert (status, paths) == (200, ["/metrics", "/healthz", "/readyz"])
    assert all(ask(server, path)[0] in (200, 503) for path in paths)
    assert ask(server, "/other")[0] == 404


def test_metrics_are_served_as_text_and_as_openmetrics(server: TelemetryServer) -> None:
    status, content_type, body = ask(server, "/metrics?x=1")
    assert status == 200
    assert content_type.startswith("text/plain")
    assert b"sentinel_stream_events_total 7.0" in body
    _, content_type, body = ask(server, "/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text")
    assert body.endswith(b"# EOF\n")


def test_head_has_no_body(server: TelemetryServer) -> None:
    status, _, body = ask(server, "/healthz", method="HEAD")
    assert (status, body) == (200, b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PLANTED"])
def test_other_methods_are_refused(server: TelemetryServer, method: str) -> None:
    status, _, body = ask(server, "/metrics", method=method)
    assert status == 501
    assert body == b""


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /planted-secret HTTP/1.1\r\n\r\n",
        b"GET /%2e%2e/planted-secret HTTP/1.1\r\nHost: x\r\n\r\n",
        b"planted-secret\r\n\r\n",
        b"GET / planted-secret HTTP/9.9\r\n\r\n",
        b"GET /" + b"planted-secret" * 10_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X-A: planted-secret\r\n" * 500 + b"\r\n",
        b"GET / HTTP/1.1\r\nplanted-secret\x00\xff\r\n\r\n",
        b"\x00\xff\xfe planted-secret",
    ],
)
def test_a_strange_request_is_not_repeated_anywhere(
    server: TelemetryServer, request_bytes: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        received = b""
        # The server may hang up before it has read all of this.
        with contextlib.suppress(OSError):
            client.sendall(request_bytes)
            client.shutdown(socket.SHUT_WR)
            while chunk := client.recv(65536):
                received += chunk
    assert b"planted-secret" not in received
    assert b"Python" not in received
    assert ask(server, "/healthz")[0] == 200
    captured = capfd.readouterr()
    assert "planted" not in captured.out + captured.err


def test_a_client_that_sends_nothing_or_drips_does_not_hold_the_server(server: TelemetryServer) -> None:
    clients = [socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(4)]
    try:
        deadline = time.monotonic() + 5
        answered = False
        while not answered and time.monotonic() < deadline:
            for client in clients:
                try:
                    client.send(b"G")
                except OSError:
                    continue
            time.sleep(0.1)
            try:
                answered = ask(server, "/healthz")[0] == 200
            except (OSError, http.client.HTTPException):
                continue
        assert answered
    finally:
        for client in clients:
            client.close()


def test_a_taken_port_is_one_clear_line(server: TelemetryServer, health: Health) -> None:
    with pytest.raises(StopError, match=rf"telemetry\.http.*port {server.port}.*set telemetry\.http\.port"):
        TelemetryServer(Metrics(), health, HttpParams(port=server.port))


@pytest.mark.parametrize(
    ("host", "port"), [("127.0.0.1", 70000), ("256.1.1.1", 0), ("no.such.host.invalid", 0)]
)
def test_an_address_that_cannot_be_is_one_clear_line(health: Health, host: str, port: int) -> None:
    with pytest.raises(StopError, match=r"telemetry\.http cannot listen"):
        TelemetryServer(Metrics(), health, HttpParams(host=host, port=port))


@pytest.mark.parametrize(
    "wrong", [{"connections": 0}, {"request_seconds": 0.0}, {"request_seconds": math.nan}]
)
def test_limits_that_would_serve_nobody_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="connections must be at least 1"):
        HttpParams(**wrong)


def test_loopback_is_the_default_and_closing_frees_port_and_threads(health: Health) -> None:
    assert HttpParams().host == "127.0.0.1"
    before = threading.active_count()
    server = TelemetryServer(Metrics(), health, HttpParams(port=0))
    port = server.port
    assert server.url == f"http://127.0.0.1:{port}"
    idle = socket.create_connection(("127.0.0.1", port), timeout=5)
    server.close()
    server.close()
    idle.close()
    assert threading.active_count() == before
    with TelemetryServer(Metrics(), health, HttpParams(port=port)) as again:
        assert again.port == port


def test_scraping_while_counting_is_safe(health: Health) -> None:
    metrics = Metrics()
    with TelemetryServer(metrics, health, HttpParams(port=0)) as server:

        def count(worker: int) -> None:
            for number in range(300):
                metrics.set(catalogue.SHIFT_ACTIVE, 1.0, series="events")
                metrics.increment(catalogue.STREAM_DOMAIN_EVENTS, domain="tenant", value=f"{worker}-{number}")
                metrics.clear(catalogue.SHIFT_ACTIVE)

        with ThreadPoolExecutor(4) as pool:
            work = [pool.submit(count, worker) for worker in range(3)]
            statuses = {ask(server, "/metrics")[0] for _ in range(20)}
            for future in work:
                future.result()
    assert statuses == {200}
