"""A throwaway PostgreSQL on a loopback port."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from tests.services.missing import MissingServiceError
from tests.services.ports import free_port

_DEBIAN = Path("/usr/lib/postgresql")
_START_SECONDS = 30.0


def _binary(name: str) -> str:
    candidates = sorted(_DEBIAN.glob(f"*/bin/{name}"), key=lambda path: _version(path), reverse=True)
    found = str(candidates[0]) if candidates else shutil.which(name)
    if found is None:
        message = f"{name} is not installed (Debian: apt-get install postgresql)"
        raise MissingServiceError(message)
    return found


def _version(path: Path) -> float:
    try:
        return float(path.parent.parent.name)
    except ValueError:
        return 0.0


def _account() -> pwd.struct_passwd | None:
    """Return the account to run as where this is root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise MissingServiceError("PostgreSQL must not run as root and there is no account postgres or nobody")


class PostgresServer:
    """One server with its own data; `kill` is kill -9, `start` after it recovers what was committed."""

    def __init__(self) -> None:
        self._initdb, self._postgres = _binary("initdb"), _binary("postgres")
        self._account = _account()
        self.port = free_port()
        self._home = Path(tempfile.mkdtemp(prefix="sentinel-postgres-"))
        self._data = self._home / "data"
        self._log = self._home / "log"
        self._process: subprocess.Popen[bytes] | None = None
        if self._account is not None:
            os.chown(self._home, self._account.pw_uid, self._account.pw_gid)
        self._run_initdb()

    def url(self, database: str = "postgres") -> str:
        """Return the SQLAlchemy URL of one database."""
        return f"postgresql+psycopg://sentinel@127.0.0.1:{self.port}/{database}"

    def conninfo(self, database: str = "postgres") -> str:
        """Return the same for psycopg."""
        return f"postgresql://sentinel@127.0.0.1:{self.port}/{database}"

    @property
    def pid(self) -> int:
        """Return the id of the running server process."""
        if self._process is None:
            raise RuntimeError("PostgreSQL is not running")
        return self._process.pid

    def _as_account(self) -> dict[str, object]:
        if self._account is None:
            return {}
        return {"user": self._account.pw_uid, "group": self._account.pw_gid, "extra_groups": []}

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", "HOME": str(self._home)}

    def _run_initdb(self) -> None:
        command = [self._initdb, "-D", str(self._data), "-U", "sentinel", "--auth=trust", "-E", "UTF8"]
        done = subprocess.run(
            [*command, "--no-sync", "--locale=C.UTF-8"],
            capture_output=True,
            text=True,
            cwd=self._home,
            env=self._environment(),
            check=False,
            **self._as_account(),  # type: ignore[arg-type]
        )
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stderr[-2000:]}")

    def start(self) -> None:
        """Start and wait until it answers; do nothing where it runs."""
        if self._process is not None:
            return
        # Without fsync a commit survives the death of the server (the kernel holds it), not of the machine.
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "fsync": "off",
            "full_page_writes": "off",
            "max_connections": "60",
            "shared_buffers": "32MB",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._postgres, "-D", str(self._data), *options],
                stdout=log,
                stderr=log,
                cwd=self._home,
                env=self._environment(),
                **self._as_account(),  # type: ignore[call-overload]
            )
        self._wait()

    def _wait(self) -> None:
        import psycopg

        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                psycopg.connect(self.conninfo(), connect_timeout=2).close()
            except psycopg.OperationalError:
                if self._process is None or self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL did not start: {self._log.read_text()[-2000:]}") from None
                time.sleep(0.1)
            else:
                return

    def stop(self) -> None:
        """Stop it, disconnecting whoever is connected."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it and its workers as a power cut would (SIGQUIT: no checkpoint, no farewell)."""
        self._end(signal.SIGQUIT)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.wait(timeout=30)

    def close(self) -> None:
        """Stop it and remove its data."""
        self.stop()
        shutil.rmtree(self._home, ignore_errors=True)
