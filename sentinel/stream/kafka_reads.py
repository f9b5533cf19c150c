"""What the broker sends is read in large pieces.

The client (kafka-python 3.0.12) asks a socket for 4 KB at a time and lets go of the interpreter for each.
A worker at work takes it then, and keeps it for up to five milliseconds: of a fetch of megabytes hardly
anything comes in until the worker waits for it.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any

from kafka.net.compat import KafkaNetClient

#: So much at once, if it is there.
_PIECE_BYTES = 256 * 1024


class EagerSocket:
    """A socket that gives more than it is asked for, where more has come."""

    __slots__ = ("_socket",)

    def __init__(self, wrapped: socket.socket) -> None:
        self._socket = wrapped

    def recv(self, size: int) -> bytes:
        """Return what has come, `size` bytes or 256 KB at most; raises what the socket raises."""
        return self._socket.recv(max(size, _PIECE_BYTES))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)


def read_in_large_pieces(client: KafkaNetClient) -> None:
    """Have the connections that `client` makes from now on read like that."""
    manager = client._manager
    build: Callable[..., Awaitable[Any]] = manager._build_transport

    async def build_eager(*arguments: Any, **more: Any) -> Any:
        transport = await build(*arguments, **more)
        transport._sock = EagerSocket(transport._sock)
        return transport

    manager._build_transport = build_eager
