"""The small server for /metrics, /healthz and /readyz of a process without a web app."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import TCPServer, ThreadingMixIn
from types import TracebackType
from typing import Any

from prometheus_client.exposition import choose_encoder

from sentinel.clock import Clock, SystemClock
from sentinel.errors import StopError
from sentinel.telemetry.health import Health
from sentinel.telemetry.metrics import Metrics

_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class HttpParams:
    """Where the server listens.

    `port` 0 takes any free one, None means no server. At most `connections` requests are answered at
    once and each gets `request_seconds`; what comes on top is closed unanswered.
    """

    host: str = "127.0.0.1"
    port: int | None = 9464
    connections: int = 16
    request_seconds: float = 5.0

    def __post_init__(self) -> None:
        if self.connections < 1 or not self.request_seconds > 0:
            raise ValueError("connections must be at least 1 and request_seconds above 0")


@dataclass(frozen=True, slots=True)
class Response:
    """One answer to a GET: status, content type, body."""

    status: int
    content_type: str
    body: bytes


def respond(path: str, accept: str, metrics: Metrics, health: Health) -> Response:
    """Return what a GET of `path` (without its query) gets; `accept` is the request's header."""
    if path == "/metrics":
        encode, content_type = choose_encoder(accept)
        return Response(200, content_type, encode(metrics.registry))
    if path == "/healthz":
        return Response(200, _JSON, json.dumps({"status": "alive"}).encode())
    if path == "/readyz":
        reasons = health.not_ready()
        status: dict[str, Any] = {"status": "not ready" if reasons else "ready", "not_ready": reasons}
        notes = health.notes()
        if notes:
            status["notes"] = notes
        return Response(503 if reasons else 200, _JSON, json.dumps(status).encode())
    # The path is not repeated: it is the caller's text.
    return Response(404, _JSON, json.dumps({"status": "not found"}).encode())


class _Server(ThreadingMixIn, HTTPServer):
    daemon_threads = True
    request_queue_size = 32

    def __init__(
        self,
        address: tuple[str, int],
        params: HttpParams,
        metrics: Metrics,
        health: Health,
        refresh: Callable[[], None] | None,
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.metrics = metrics
        self.health = health
        self.refresh = refresh
        self.request_seconds = params.request_seconds
        self._clock: Clock = SystemClock()
        self._slots = threading.BoundedSemaphore(params.connections)
        self._open: dict[socket.socket, float] = {}
        self._open_lock = threading.Lock()
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # HTTPServer would look up the machine's name in DNS here, which can take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "sentinel", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._slots.acquire(blocking=False):
            self.shutdown_request(request)
            return
        with self._open_lock:
            self._open[request] = self._clock.monotonic_seconds()
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no further thread can be started
            self._release(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._release(request)

    def _release(self, request: socket.socket) -> None:
        with self._open_lock:
            self._open.pop(request, None)
        self._slots.release()

    def service_actions(self) -> None:
        # A per-read timeout alone lets a client hold a slot for ever, one byte at a time.
        self.end_requests(older_than_seconds=self.request_seconds)

    def end_requests(self, older_than_seconds: float) -> None:
        now = self._clock.monotonic_seconds()
        with self._open_lock:
            for request, started in self._open.items():
                if now - started >= older_than_seconds:
                    _disconnect(request)

    def wait_for_requests(self, limit: int, seconds: float) -> None:
        taken = sum(self._slots.acquire(timeout=seconds) for _ in range(limit))
        for _ in range(taken):
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that went away is no event, and a traceback may hold what it sent."""


def _disconnect(request: socket.socket) -> None:
    try:
        request.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the client was faster


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def setup(self) -> None:
        self.request.settimeout(self.server.request_seconds)
        super().setup()

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        if path == "/metrics" and self.server.refresh is not None:
            self.server.refresh()
        answer = respond(path, self.headers.get("Accept", ""), self.server.metrics, self.server.health)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)

    def send_error(
        self,
        code: int,
        message: str | None = None,  # noqa: ARG002 - not repeated: it quotes the request line
        explain: str | None = None,  # noqa: ARG002
    ) -> None:
        self.send_response(code, "refused")
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def version_string(self) -> str:
        return "sentinel"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the inherited name
        """Say nothing: scrapes and probes would drown the log."""


class TelemetryServer:
    """The server of one process, listening from construction until `close`; a context manager."""

    def __init__(
        self,
        metrics: Metrics,
        health: Health,
        params: HttpParams | None = None,
        refresh: Callable[[], None] | None = None,
    ) -> None:
        """Start listening; StopError when host and port cannot be had.

        `refresh` is called before each scrape, for what is only known when it is asked for.
        """
        self._params = params or HttpParams()
        host, port = self._params.host, self._params.port or 0
        try:
            self._server = _Server((host, port), self._params, metrics, health, refresh)
        except (OSError, OverflowError) as error:
            raise StopError(_cannot_listen(host, port, error)) from error
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.1},
            name="telemetry-http",
            daemon=True,
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Return the port it listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Return the address to call, without a path."""
        host = f"[{self._params.host}]" if ":" in self._params.host else self._params.host
        return f"http://{host}:{self.port}"

    def close(self) -> None:
        """Stop listening and end running requests; a second call does nothing."""
        if not self._thread.is_alive():
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server.end_requests(older_than_seconds=0.0)
        self._server.wait_for_requests(self._params.connections, self._params.request_seconds)

    def __enter__(self) -> TelemetryServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _cannot_listen(host: str, port: int, error: Exception) -> str:
    why = error.strerror or "no such address" if isinstance(error, OSError) else "ports go from 0 to 65535"
    return (
        f"telemetry.http cannot listen on {host} port {port} ({why}); "
        "free it, or set telemetry.http.port (0 takes any free one) or telemetry.http.host"
    )
