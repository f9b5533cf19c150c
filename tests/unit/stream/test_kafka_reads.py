"""A socket of the client gives all that has come, however little it is asked for."""

from __future__ import annotations

import socket

import pytest

from sentinel.stream.kafka_reads import EagerSocket


def test_more_than_was_asked_for_is_given() -> None:
    here, there = socket.socketpair()
    with here, there:
        there.sendall(b"x" * 50_000)
        assert len(EagerSocket(here).recv(4096)) > 4096


def test_it_is_the_socket_in_everything_else() -> None:
    here, there = socket.socketpair()
    with here, there:
        here.setblocking(False)
        eager = EagerSocket(here)
        assert eager.fileno() == here.fileno()
        with pytest.raises(BlockingIOError):
            eager.recv(4096)
        assert eager.send(b"abc") == 3
        assert there.recv(10) == b"abc"
        there.close()
        assert eager.recv(4096) == b"", "a closed connection is told as such"
