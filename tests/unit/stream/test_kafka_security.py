"""A broker's options: what could never work is one line, before any worker retries it for ever."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kafka.net.sasl import SASL_MECHANISMS
from typer.testing import CliRunner

from sentinel.cli.main import app
from sentinel.clock import SystemClock
from sentinel.config import load_settings
from sentinel.errors import ConfigurationError
from sentinel.stream.kafka_params import KafkaParams
from sentinel.stream.kafka_security import MECHANISMS, check_access
from sentinel.stream.opening import open_source

SASL = {"security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512"}
SIGNED_IN = {**SASL, "sasl_plain_username": "u", "sasl_plain_password": "hush"}


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate with its key, the key under a password, and a key of another certificate."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: no certificates can be made")
    folder = tmp_path_factory.mktemp("pki")
    for name in ("own", "other"):
        made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
        _openssl(*made, "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.crt")
    _openssl("rsa", "-aes256", "-passout", "pass:open sesame", "-in", f"{folder}/own.key", "-out",
             f"{folder}/locked.key")  # fmt: skip
    (folder / "empty.crt").write_bytes(b"")
    (folder / "text.crt").write_text("not a certificate")
    return folder


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("security", "says"),
    [
        ({"security_protocol": "SASL"}, "'SASL' is unknown; one of PLAINTEXT, SSL,"),
        ({"security_protocol": "sasl_ssl"}, "'sasl_ssl' is unknown"),
        ({"security_protocol": "TLS"}, "'TLS' is unknown"),
        ({"security_protocol": ""}, "'' is unknown"),
        ({"security_protocol": "SSL "}, "'SSL ' is unknown"),
        ({**SASL, "sasl_mechanism": "SCRAM-SHA-1"}, "'SCRAM-SHA-1' is unknown; one of PLAIN,"),
        ({**SASL, "sasl_mechanism": "SCRAM_SHA_512"}, "'SCRAM_SHA_512' is unknown"),
        ({**SASL, "sasl_mechanism": "plain"}, "'plain' is unknown"),
        ({**SASL, "sasl_mechanism": "OAUTHBEARER"}, "'OAUTHBEARER' is unknown"),
        ({"sasl_mechanism": "PLAIN"}, "needs security_protocol SASL_SSL or SASL_PLAINTEXT, not PLAINTEXT"),
        ({"security_protocol": "SSL", "sasl_mechanism": "PLAIN"}, "not SSL"),
        ({"ssl_cafile": "ca.crt"}, "ssl_cafile needs security_protocol SSL or SASL_SSL"),
        ({"security_protocol": "SASL_PLAINTEXT", "ssl_check_hostname": True}, "is not encrypted"),
        ({"security_protocol": "SSL", "ssl_keyfile": "k"}, "needs the ssl_certfile"),
        ({"security_protocol": "SSL", "ssl_crlfile": "k"}, "'ssl_crlfile' is no option"),
        ({"security_protocoll": "SSL"}, "nearest known one is security_protocol"),
        ({"sasl_username": "u"}, "nearest known one is sasl_plain_username"),
    ],
)
def test_options_that_cannot_work_are_refused(security: Mapping[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        KafkaParams(security=security)
    assert says in str(refused.value)


def test_what_is_known_is_what_the_client_knows() -> None:
    assert set(MECHANISMS) == set(SASL_MECHANISMS) - {"OAUTHBEARER"}


@pytest.mark.parametrize(
    ("security", "says"),
    [
        ({"security_protocol": "SASL_SSL"}, "sasl_mechanism is not set"),
        (SASL, "SCRAM-SHA-512 needs sasl_plain_username and sasl_plain_password"),
        ({**SASL, "sasl_plain_username": "u"}, "needs sasl_plain_password"),
        ({**SIGNED_IN, "sasl_plain_username": ""}, "needs sasl_plain_username"),
        ({**SIGNED_IN, "ssl_cafile": "/nowhere/ca.crt"}, "/nowhere/ca.crt: cannot be read (No such file"),
        ({**SIGNED_IN, "ssl_cafile": "{pki}"}, "cannot be read (Is a directory)"),
        ({**SIGNED_IN, "ssl_cafile": "a\0b"}, "cannot be read (no such path)"),
        ({"security_protocol": "SSL", "ssl_cafile": "{pki}/empty.crt"}, "holds no certificate"),
        ({"security_protocol": "SSL", "ssl_cafile": "{pki}/text.crt"}, "holds no certificate"),
        ({"security_protocol": "SSL", "ssl_certfile": "{pki}/none.crt"}, "ssl_certfile"),
        ({"security_protocol": "SSL", "ssl_certfile": "{pki}/own.crt"}, "cannot be used"),
        (
            {"security_protocol": "SSL", "ssl_certfile": "{pki}/own.crt", "ssl_keyfile": "{pki}/other.key"},
            "cannot be used",
        ),
        (
            {"security_protocol": "SSL", "ssl_certfile": "{pki}/own.crt", "ssl_keyfile": "{pki}/none.key"},
            "ssl_keyfile",
        ),
        (
            {"security_protocol": "SSL", "ssl_certfile": "{pki}/own.crt", "ssl_keyfile": "{pki}/locked.key"},
            "ssl_password is wrong",
        ),
    ],
)
def test_a_worker_that_could_not_sign_in_does_not_begin(
    security: Mapping[str, str], says: str, pki: Path
) -> None:
    params = KafkaParams(security={key: value.format(pki=pki) for key, value in security.items()})
    with pytest.raises(ConfigurationError) as refused:
        open_source("kafka", max_bytes=9, until_end=False, kafka=params, clock=SystemClock())
    assert says in str(refused.value)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    "security",
    [
        {},
        {"security_protocol": "PLAINTEXT"},
        {"security_protocol": "SSL"},
        SIGNED_IN,
        {**SIGNED_IN, "security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"},
        {**SIGNED_IN, "ssl_cafile": "{pki}/own.crt", "ssl_check_hostname": False},
        {"security_protocol": "SSL", "ssl_certfile": "{pki}/own.crt", "ssl_keyfile": "{pki}/own.key"},
        {
            "security_protocol": "SSL",
            "ssl_certfile": "{pki}/own.crt",
            "ssl_keyfile": "{pki}/locked.key",
            "ssl_password": "open sesame",
        },
    ],
)
def test_options_that_work_are_let_through(security: Mapping[str, Any], pki: Path) -> None:
    given = {k: v.format(pki=pki) if isinstance(v, str) else v for k, v in security.items()}
    check_access(KafkaParams(security=given).security)


def test_the_file_that_the_agent_has_is_read_without_its_secrets(tmp_path: Path) -> None:
    """The workbench has no certificate and no password, and no need of them; `config check` looks."""
    file = tmp_path / "c.yaml"
    file.write_text(
        "source: {kafka: {security: {security_protocol: SASL_SSL, sasl_mechanism: PLAIN, "
        "ssl_cafile: /nowhere/ca.crt}}}\nredaction: {entities: [EMAIL_ADDRESS]}\n"
    )
    assert load_settings(file, {}).source.kafka.security["ssl_cafile"] == "/nowhere/ca.crt"
    run = CliRunner().invoke(app, ["config", "check", "--config", str(file)])
    assert isinstance(run.exception, ConfigurationError)
    assert "sasl_plain_username" in str(run.exception)
