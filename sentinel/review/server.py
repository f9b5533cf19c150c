"""The workbench's HTTP server: bound before it starts, ended by SIGTERM or Ctrl-C within its grace time."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from sentinel.errors import StopError
from sentinel.review.connections import Patience, PatientProtocol

#: What running requests get to end in after a signal.
GRACE_SECONDS = 5
# A request gives the interpreter away at each statement and then waits until another request lets go of it.
# By default one may keep it for 5 ms, and a page has some ten statements.
_KEEPS_INTERPRETER_SECONDS = 0.0005


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on a signal, with success: the inherited way raises it again once all is closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def end(number: int, frame: FrameType | None) -> None:
            self.handle_exit(number, frame)

        before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listening_socket(host: str, port: int, *, or_any: bool = False) -> socket.socket:
    """Return a socket that holds a port; with `or_any`, any free one where that is taken.

    Raises:
        StopError: host and port cannot be had.
    """
    address = "127.0.0.1" if host == "localhost" else host
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for wanted in (port, 0) if or_any else (port,):
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((address, wanted))
        except OSError as error:
            opened.close()
            reason = error.strerror or "no such address"
        else:
            return opened
    message = (
        f"cannot listen on {host} port {port} ({reason}): free it, or give --port another (0: any free one)"
    )
    raise StopError(message)


def url_of(opened: socket.socket) -> str:
    """Return the address of the workbench on a socket."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve_until_signal(app: FastAPI, opened: socket.socket) -> None:
    """Serve on a bound socket until SIGTERM or SIGINT; a second signal does not wait for requests.

    Has the threads of the process take turns more often than Python's own 5 ms.
    """
    sys.setswitchinterval(_KEEPS_INTERPRETER_SECONDS)
    with opened:
        _Server(server_config(app)).run(sockets=[opened])


def server_config(app: ASGIApp, patience: Patience | None = None, **more: Any) -> uvicorn.Config:
    """Return how the workbench is served; `more` is what uvicorn takes besides."""
    protocol: Any = partial(PatientProtocol, patience or Patience())
    return uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # Whose forwarded addresses are believed is decided with the trusted proxy, not by the server.
        proxy_headers=False,
        lifespan="off",
        timeout_graceful_shutdown=GRACE_SECONDS,
        **more,
    )
