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

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

#: As many bytes of a body that was answered before it was sent buy it more time.
_STEP_BYTES = 65_536
#: To linger, for no time.
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Patience:
    """Bounds of waiting, in seconds, and of connections.

    `header_seconds`: from its opening, or from the first byte of a further request, until a request has been
    told but for its body; and for each 64 KiB of a body that was answered before it was sent.
    `send_seconds`: until a client has taken something of what waits for it in this process, again and again.
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
        self._untaken = 0
        self._of_step = 0

    @property
    def is_answered(self) -> bool:
        """Return whether the application has nothing more to say on this connection."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_waiting(self) -> bool:
        """Return whether there is nothing to do on this connection: no request, and nothing unsent."""
        return self.is_answered and self.transport.get_write_buffer_size() == 0

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
        was_answered, is_rest = self.is_answered, self.conn.their_state is h11.SEND_BODY
        super().data_received(data)
        if not self.is_answered:
            self._stop_expecting_headers()
            if was_answered and not self.flow.write_paused:
                # It reads, or it would not ask; if not, the next answer shows.
                self._stop_expecting_to_be_read()
            return
        self._of_step += len(data) if is_rest else 0
        if self._of_step >= _STEP_BYTES:
            self._stop_expecting_headers()
        if self._until_headers is None:
            self._expect_headers()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request, and for the client to take what is left of the answer."""
        self._waits_since = self.loop.time()
        super().on_response_complete()
        # Where the next request was there already, its answer will add to what is unsent.
        if self.is_answered and self.transport.get_write_buffer_size() and self._until_taken is None:
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
        self._of_step = 0
        self._until_headers = self.loop.call_later(self._patience.header_seconds, self.transport.abort)

    def _expect_to_be_read(self) -> None:
        self._untaken = self.transport.get_write_buffer_size()
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
        left = self.transport.get_write_buffer_size()
        if not left:
            return
        if left < self._untaken:
            # It reads, but is not down to where writing goes on.
            self._expect_to_be_read()
            return
        # Reset: closed in peace, the kernel would go on offering the megabytes it holds.
        opened = self.transport.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()
