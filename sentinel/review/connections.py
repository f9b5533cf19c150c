"""Connections that wait: how long one may, and how many there may be.

uvicorn ends a connection that is silent after an answer. It waits for ever for one that says nothing at
first, that sends its request a byte at a time, or that does not read what it asked for. Each costs a file
descriptor, and somebody who opens a thousand of them keeps everybody else out.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from dataclasses import dataclass
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

#: To linger, for no time.
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Patience:
    """Bounds of waiting, in seconds, and of connections.

    `header_seconds`: from its opening, or from the first byte of a further request, until a request has been
    told but for its body. `send_seconds`: until a client has taken something of what waits for it.
    `most_connections`: with more, the one that has waited longest for a request is closed.
    """

    header_seconds: float = 10.0
    send_seconds: float = 60.0
    most_connections: int = 512


class PatientProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn with an end to its patience."""

    def __init__(
        self,
        patience: Patience,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._patience = patience
        self._waits_since = self.loop.time()
        self._until_headers: asyncio.TimerHandle | None = None
        self._until_taken: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Return whether no request of this connection is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, in the place of another connection where there are too many."""
        super().connection_made(transport)
        self._expect_headers()
        if len(self.connections) > self._patience.most_connections:
            others = [one for one in self.connections if isinstance(one, PatientProtocol) and one.is_waiting]
            # Itself, where all others have their requests answered just now.
            min(others, key=lambda one: one._waits_since).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take bytes; those of a request that is not told yet, or that no answer waits for, for a while."""
        super().data_received(data)
        if not self.is_waiting:
            self._stop_expecting_headers()
        elif self._until_headers is None:
            self._expect_headers()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request, and for the client to take what is left of the answer."""
        self._waits_since = self.loop.time()
        super().on_response_complete()
        if self.transport.get_write_buffer_size() and self._until_taken is None:
            self._expect_to_be_read()

    def pause_writing(self) -> None:
        """Wait until the client has taken something."""
        super().pause_writing()
        if self._until_taken is None:
            self._expect_to_be_read()

    def resume_writing(self) -> None:
        """Go on: the client reads."""
        self._stop_expecting_to_be_read()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_expecting_headers()
        self._stop_expecting_to_be_read()
        super().connection_lost(exc)

    def _expect_headers(self) -> None:
        self._until_headers = self.loop.call_later(self._patience.header_seconds, self.transport.abort)

    def _expect_to_be_read(self) -> None:
        self._until_taken = self.loop.call_later(self._patience.send_seconds, self._give_up_if_unread)

    def _stop_expecting_headers(self) -> None:
        if self._until_headers is not None:
            self._until_headers.cancel()
            self._until_headers = None

    def _stop_expecting_to_be_read(self) -> None:
        if self._until_taken is not None:
            self._until_taken.cancel()
            self._until_taken = None

    def _give_up_if_unread(self) -> None:
        self._until_taken = None
        if self.transport.get_write_buffer_size():
            # Reset: closed in peace, the kernel would go on offering the megabytes it holds.
            opened = self.transport.get_extra_info("socket")
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.transport.abort()
