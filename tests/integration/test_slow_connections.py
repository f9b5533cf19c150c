"""Clients that are slow, silent or too many keep nobody else from the workbench."""

from __future__ import annotations

import asyncio
import re
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from sentinel.review.connections import Patience
from sentinel.review.guard import Guard
from sentinel.review.identity.params import AccessParams
from sentinel.review.server import server_config
from tests.browser.workbench import Bench, served_bench
from tests.services.ports import free_port

BEGUN = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
#: As long as a test waits for what comes at once.
LONG = 30.0


@contextmanager
def opened(bench: Bench) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", int(bench.url.rsplit(":", 1)[1])), LONG) as connection:
        yield connection


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with served_bench(tmp_path, Patience(0.5, 0.5, most_connections=20)) as (bench, _):
        yield bench


@contextmanager
def served_megabytes(megabytes: int, patience: Patience) -> Iterator[socket.socket]:
    """Serve one body of so many MB, as a page is: handed over whole; yield a connection that asked for it."""
    answer, port = Response(bytes(megabytes * 1_000_000)), free_port()
    server = uvicorn.Server(server_config(answer, patience, port=port))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
            connection.settimeout(LONG)
            connection.connect(("127.0.0.1", port))
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            yield connection
    finally:
        server.should_exit = server.force_exit = True
        thread.join(LONG)


def read_all(connection: socket.socket, size: int, pause: float = 0.0) -> int:
    """Read so many bytes, with a pause before each 64 KiB; return how many came."""
    taken = 0
    while taken < size and (part := connection.recv(min(65_536, size - taken), socket.MSG_WAITALL)):
        taken += len(part)
        time.sleep(pause)
    return taken


def is_closed(connection: socket.socket) -> bool:
    """Read until the server has closed the connection."""
    try:
        while connection.recv(65536):
            pass
    except (ConnectionResetError, BrokenPipeError):
        return True
    except TimeoutError:
        return False
    return True


def drip(connection: socket.socket, byte: bytes) -> bool:
    """Send a byte at a time for as long as the server takes it; return whether it stopped."""
    connection.settimeout(0.05)
    for _ in range(int(LONG / 0.05)):
        try:
            connection.sendall(byte)
            if not connection.recv(65536):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def test_a_connection_that_says_nothing_is_closed(bench: Bench) -> None:
    with opened(bench) as connection:
        assert is_closed(connection)


@pytest.mark.parametrize("after_an_answer", [False, True])
def test_a_request_that_drips_in_is_cut_off(bench: Bench, after_an_answer: bool) -> None:
    with opened(bench) as connection:
        if after_an_answer:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        assert drip(connection, b"a")


def test_a_body_that_drips_in_after_its_answer_is_cut_off(bench: Bench) -> None:
    with opened(bench) as connection:
        connection.sendall(BEGUN.replace(b"/sign-in", b"/nothing") + b"Content-Length: 100000\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 404")
        assert drip(connection, b"a")


def test_who_does_not_read_is_given_up(bench: Bench) -> None:
    bench.fill(150, answer="A long answer. " * 7_000)
    with opened(bench) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asked = (
            "GET /api/v1/units/export HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {bench.tokens['erin']}\r\n\r\n"
        )
        connection.sendall(asked.encode())
        broken = select.poll()
        broken.register(connection, select.POLLERR | select.POLLHUP)
        assert broken.poll(LONG * 1000)


def test_silent_connections_make_room_for_one_that_asks(tmp_path: Path) -> None:
    with (
        served_bench(tmp_path, Patience(600.0, 600.0, most_connections=20)) as (bench, _),
        ExitStack() as held,
    ):
        silent = [held.enter_context(opened(bench)) for _ in range(60)]
        for _ in range(5):
            assert httpx.get(f"{bench.url}/healthz", timeout=LONG).status_code == 200
        assert is_closed(silent[0]), "the one that waited longest went first"


def test_a_body_has_its_time_and_what_comes_buys_more() -> None:
    """Straight at the guard: no test waits half a minute."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        answer = PlainTextResponse(str(len(await Request(scope, receive).body())))
        await answer(scope, receive, send)

    guard = Guard(ExceptionMiddleware(app), "127.0.0.1", AccessParams(), body_seconds=0.3)
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "headers": [(b"host", b"127.0.0.1")],
        "query_string": b"",
    }

    async def ask(size: int, parts: int) -> list[Message]:
        sent: list[Message] = []
        left = parts

        async def receive() -> Message:
            nonlocal left
            left -= 1
            await asyncio.sleep(0.1)
            return {"type": "http.request", "body": b"x" * size, "more_body": left > 0}

        async def send(message: Message) -> None:
            sent.append(message)

        await guard(scope, receive, send)
        return sent

    slow = asyncio.run(ask(1, 1000))
    assert slow[0]["status"] == 408
    assert (b"connection", b"close") in slow[0]["headers"]
    steady = asyncio.run(ask(65_536, 10))
    assert steady[1]["body"] == b"655360"


def test_who_reads_steadily_may_take_longer_than_the_patience() -> None:
    with served_megabytes(20, Patience(send_seconds=1.5)) as connection:
        assert read_all(connection, 20_000_000, pause=0.015) == 20_000_000


def test_who_has_still_to_be_sent_an_answer_makes_no_room() -> None:
    with served_megabytes(20, Patience(most_connections=3)) as connection, ExitStack() as held:
        assert read_all(connection, 1000) == 1000
        address = connection.getpeername()
        for _ in range(8):
            held.enter_context(socket.create_connection(address, LONG))
        assert httpx.get(f"http://{address[0]}:{address[1]}/", timeout=LONG).status_code == 200
        assert read_all(connection, 19_000_000) == 19_000_000


def test_a_body_refused_early_may_be_sent_to_its_end(tmp_path: Path) -> None:
    with served_bench(tmp_path, Patience(header_seconds=1.0)) as (bench, _), opened(bench) as connection:
        begun = BEGUN.replace(b"/sign-in", b"/nothing") + b"Content-Length: 4000000\r\n\r\n"
        connection.sendall(begun)
        assert _whole_answer(connection).startswith(b"HTTP/1.1 413")
        for _ in range(40):
            connection.sendall(bytes(100_000))
            time.sleep(0.06)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b"HTTP/1.1 200" in connection.recv(65536)


def _whole_answer(connection: socket.socket) -> bytes:
    """Read one answer to its end: head and body may come in pieces."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    while len(body) < length:
        body += connection.recv(65536)
    return answer
