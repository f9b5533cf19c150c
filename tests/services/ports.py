"""Free loopback ports."""

from __future__ import annotations

import socket
from contextlib import ExitStack


def free_port() -> int:
    """Return a port nothing listens on; the kernel rarely hands it out again at once."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Return as many different ones."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
