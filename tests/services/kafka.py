"""A throwaway Apache Kafka, one KRaft node on loopback ports, from its jars on Maven Central."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path

from tests.services.missing import MissingServiceError
from tests.services.ports import free_ports

_HERE = Path(__file__).parent
_JARS = _HERE / "target" / "dependency"
_START_SECONDS = 60.0
_HEAP = ("-Xmx384m", "-Xms128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    candidate = Path(home) / "bin" / "java" if home else None
    found = str(candidate) if candidate and candidate.exists() else shutil.which("java")
    if found is None:
        raise MissingServiceError("java is not installed (Debian: apt-get install openjdk-17-jre-headless)")
    return found


def _class_path() -> str:
    # Processes of one test run fetch one after another: the second finds them there.
    _JARS.parent.mkdir(exist_ok=True)
    with (_JARS.parent / "fetching.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(_JARS.glob("kafka_*.jar")):
            _fetch_jars()
    return f"{_JARS}/*"


def _fetch_jars() -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingServiceError("Kafka's jars are not here and maven is not installed to fetch them")
    done = subprocess.run(
        [maven, "-q", "-B", "-f", str(_HERE / "pom.xml"), "dependency:copy-dependencies"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MissingServiceError(f"maven could not fetch Kafka: {done.stdout[-1000:]}")


class KafkaServer:
    """One broker with its own data; `kill` is kill -9, `start` after it finds the records again."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        self._java, self._class_path = _java(), _class_path()
        self.port, controller_port = free_ports(2)
        self.bootstrap = f"127.0.0.1:{self.port}"
        self._home = Path(tempfile.mkdtemp(prefix="sentinel-kafka-"))
        self._log = self._home / "log"
        self._properties = self._home / "server.properties"
        self._process: subprocess.Popen[bytes] | None = None
        everything = _settings(self._home, self.port, controller_port) | dict(settings or {})
        self._properties.write_text("".join(f"{key}={value}\n" for key, value in everything.items()))
        self._format()

    @property
    def pid(self) -> int:
        """Return the id of the running broker process."""
        if self._process is None:
            raise RuntimeError("Kafka is not running")
        return self._process.pid

    def _command(self, *arguments: str) -> list[str]:
        quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        return [self._java, *_HEAP, quiet, "-cp", self._class_path, *arguments]

    def _format(self) -> None:
        cluster_id = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if cluster_id.startswith("-"):  # the tool would take it for an option
            cluster_id = "A" + cluster_id[1:]
        done = subprocess.run(
            self._command("kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", str(self._properties)),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"formatting Kafka's storage failed: {(done.stdout + done.stderr)[-2000:]}")

    def start(self) -> None:
        """Start and wait until it serves; do nothing where it runs."""
        if self._process is not None:
            return
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command("kafka.Kafka", str(self._properties)), stdout=log, stderr=log, cwd=self._home
            )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not is_serving(self.bootstrap):
            if self._process is None or self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Kafka did not start: {self._log.read_text()[-2000:]}")
            time.sleep(0.3)

    def stop(self) -> None:
        """Stop it in an orderly way."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=10)

    def close(self) -> None:
        """Stop it and remove its data."""
        self._end(signal.SIGKILL)
        shutil.rmtree(self._home, ignore_errors=True)


def _settings(home: Path, port: int, controller_port: int) -> dict[str, str]:
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": str(home / "data"),
        "auto.create.topics.enable": "false",
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        # Tests must not wait for a group to gather, and may use short sessions.
        "group.initial.rebalance.delay.ms": "0",
        "group.min.session.timeout.ms": "1000",
        "message.max.bytes": str(16 * 1024 * 1024),
        "log.segment.bytes": str(16 * 1024 * 1024),
    }


def is_serving(bootstrap: str) -> bool:
    """Return whether a broker answers and can tell its cluster's nodes."""
    from kafka import KafkaAdminClient
    from kafka.errors import KafkaError

    host, port = bootstrap.rsplit(":", 1)
    import socket

    try:
        # The client logs each failed attempt; a closed port needs no client to be told.
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    try:
        admin = KafkaAdminClient(bootstrap_servers=bootstrap, bootstrap_timeout_ms=3000)
    except KafkaError:
        return False
    try:
        return bool(admin.describe_cluster()["brokers"])
    except KafkaError:
        return False
    finally:
        admin.close()
