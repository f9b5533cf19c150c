"""What the broker's side of a configuration must hold: found before the client retries it for ever."""

from __future__ import annotations

import difflib
import importlib.util
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentinel.errors import ConfigurationError

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
#: What can be configured by text alone; OAUTHBEARER needs a program that provides tokens.
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "AWS_MSK_IAM")
#: A package without which the client cannot speak a mechanism.
_PACKAGES = {"GSSAPI": "gssapi", "AWS_MSK_IAM": "botocore"}
_CREDENTIALS = ("sasl_plain_username", "sasl_plain_password")
_TEXTS = (
    "security_protocol",
    "sasl_mechanism",
    *_CREDENTIALS,
    "sasl_kerberos_service_name",
    "sasl_kerberos_domain_name",
    "sasl_kerberos_name",
    "ssl_cafile",
    "ssl_certfile",
    "ssl_keyfile",
    "ssl_password",
)
_SWITCH = "ssl_check_hostname"


def check_options(security: Mapping[str, Any]) -> None:
    """Raise `ConfigurationError` where an option is none, is of another kind, or contradicts another.

    Looks at nothing but the options: the workbench has the same file, without certificates and passwords.
    """
    for key, value in security.items():
        if not key.startswith(("security_", "sasl_", "ssl_")):
            raise ConfigurationError(f"kafka security takes security_*, sasl_* and ssl_* only, not {key!r}")
        if key not in (*_TEXTS, _SWITCH):
            (nearest,) = difflib.get_close_matches(key, (*_TEXTS, _SWITCH), n=1, cutoff=0.0)
            raise ConfigurationError(
                f"kafka security: {key!r} is no option; the nearest known one is {nearest}"
            )
        _check_kind(key, value)
    protocol = _one_of(security, "security_protocol", PROTOCOLS) or "PLAINTEXT"
    mechanism = _one_of(security, "sasl_mechanism", MECHANISMS)
    if mechanism and not protocol.startswith("SASL_"):
        raise ConfigurationError(
            f"kafka security: sasl_mechanism needs security_protocol SASL_SSL or SASL_PLAINTEXT, "
            f"not {protocol}"
        )
    for key in security:
        if key.startswith("ssl_") and not protocol.endswith("SSL"):
            raise ConfigurationError(
                f"kafka security: {key} needs security_protocol SSL or SASL_SSL: {protocol} is not encrypted"
            )
    if security.get("ssl_keyfile") and not security.get("ssl_certfile"):
        raise ConfigurationError("kafka security: ssl_keyfile needs the ssl_certfile it belongs to")


def check_access(security: Mapping[str, Any]) -> None:
    """Raise `ConfigurationError` where a worker could not sign in: credentials and files must be there."""
    protocol = str(security.get("security_protocol", "PLAINTEXT"))
    if protocol.startswith("SASL_"):
        _check_credentials(security)
    if protocol.endswith("SSL"):
        _check_certificates(security)


def _check_kind(key: str, value: object) -> None:
    """Refuse what the client would take in another sense: text "false" as true, digits as a number."""
    if key == _SWITCH:
        if not isinstance(value, bool):
            raise ConfigurationError(
                f"kafka security {key} is true or false, without quotes, in the file only"
            )
    elif isinstance(value, bool | int | float | list | dict):
        raise ConfigurationError(f"kafka security {key} is text: write it in quotes")


def _one_of(security: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str | None:
    value = security.get(key)
    if value is None or value in known:
        return value
    raise ConfigurationError(f"kafka security: {key} {value!r} is unknown; one of {', '.join(known)}")


def _check_credentials(security: Mapping[str, Any]) -> None:
    mechanism = security.get("sasl_mechanism")
    if mechanism is None:
        raise ConfigurationError(f"kafka security: sasl_mechanism is not set; one of {', '.join(MECHANISMS)}")
    if mechanism in _PACKAGES:
        package = _PACKAGES[mechanism]
        if importlib.util.find_spec(package) is None:
            raise ConfigurationError(f"kafka security: {mechanism} needs the Python package {package}")
        return
    missing = [key for key in _CREDENTIALS if not security.get(key)]
    if missing:
        raise ConfigurationError(f"kafka security: {mechanism} needs {' and '.join(missing)}")


def _check_certificates(security: Mapping[str, Any]) -> None:
    """Load what the client will load, as it does."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if authority := security.get("ssl_cafile"):
        _check_readable("ssl_cafile", authority)
        try:
            context.load_verify_locations(authority)
        except ssl.SSLError:
            raise ConfigurationError(f"kafka security: ssl_cafile {authority} holds no certificate") from None
    if certificate := security.get("ssl_certfile"):
        key = security.get("ssl_keyfile")
        _check_readable("ssl_certfile", certificate)
        if key:
            _check_readable("ssl_keyfile", key)
        try:
            # Without a password the library would ask for one on the terminal.
            context.load_cert_chain(certificate, key, security.get("ssl_password") or "")
        except ssl.SSLError:
            raise ConfigurationError(
                f"kafka security: ssl_certfile {certificate} and its key cannot be used: they do not belong "
                "together, are not PEM, or ssl_password is wrong"
            ) from None


def _check_readable(key: str, path: str) -> None:
    try:
        with Path(path).open("rb"):
            return
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such path"
        raise ConfigurationError(f"kafka security: {key} {path}: cannot be read ({why})") from None
