"""Which addresses only this machine can reach."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host: 127.0.0.0/8, ::1 or the name localhost."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_address(host: str) -> bool:
    """Return whether a host is written as an address and not as a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
