"""How `sentinel serve` begins and ends: addresses, ports and stores it refuses, signals."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from tests.integration.test_serve import arguments, environment, serving, store

__all__ = ["store"]


def failed(*command: str) -> tuple[int, str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment(), check=False)
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_a_store_without_schema_is_a_clear_line(tmp_path: Path) -> None:
    code, line = failed(*arguments(f"sqlite:///{tmp_path}/new.db", "--port", "0"))
    assert code == 1
    assert "sentinel db upgrade" in line


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.com", "", "127.0.0.1 "])
def test_another_address_than_loopback_is_refused(store: str, host: str) -> None:
    code, line = failed(*arguments(store, "--host", host, "--port", "0"))
    assert code == 2
    assert "loopback" in line


@pytest.mark.parametrize("more", [["--port", "70000"], ["--port", "-1"], ["--port", "x"]])
def test_bad_ports_are_bad_usage(store: str, more: list[str]) -> None:
    assert failed(*arguments(store, *more))[0] == 2


def test_a_port_that_is_taken_is_a_clear_line(store: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, line = failed(*arguments(store, "--port", str(taken.getsockname()[1])))
    assert code == 1
    assert "cannot listen on 127.0.0.1" in line


def test_ipv6_loopback_works_too(store: str) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with serving(store, "--host", "::1") as one:
        assert one.get("/").status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_within_its_grace_time(store: str, number: signal.Signals) -> None:
    with serving(store) as one:
        host, port = one.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")  # and never goes on
            with httpx.Client() as lasting:
                lasting.get(f"{one.url}/")
                began = time.monotonic()
                one.process.send_signal(number)
                assert one.process.wait(timeout=15) == 0
                assert time.monotonic() - began < 8
