"""The settings a rendered container starts with, worked out as the container would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sentinel.config import load_settings
from sentinel.settings import Settings
from tests.integration.helm_chart import Objects, component, of_kind

#: What the Secrets hold; the password would be a number, were it not taken to the letter.
HELD = {
    "SENTINEL_STORE": "postgresql+psycopg://sentinel:x@db/sentinel",
    "SENTINEL_SAMPLING__SALT": "0123",
    "SENTINEL_SAMPLING__EARLIER_SALTS": '["0122", "0121"]',
    "SENTINEL_SOURCE__KAFKA__SECURITY__SASL_PLAIN_USERNAME": "sentinel",
    "SENTINEL_SOURCE__KAFKA__SECURITY__SASL_PLAIN_PASSWORD": "0815",
    "SENTINEL_REVIEW__ACCESS__KEY": "a key of the workbench, of thirty-two signs and more",
    "SENTINEL_REVIEW__ACCESS__OIDC__CLIENT_SECRET": "0816",
}


def environment_of(container: dict[str, Any], **held: str) -> dict[str, str]:
    known = {**HELD, **held}
    return {e["name"]: e["value"] if "value" in e else known[e["name"]] for e in container["env"]}


def config_file(objects: Objects, folder: Path) -> Path:
    (configmap,) = of_kind(objects, "ConfigMap")
    path = folder / "config.yaml"
    path.write_text(configmap["data"]["config.yaml"], encoding="utf-8")
    return path


def settings_of(objects: Objects, name: str, folder: Path) -> Settings:
    (container,) = component(objects, name)["containers"]
    return load_settings(config_file(objects, folder), environment_of(container))
