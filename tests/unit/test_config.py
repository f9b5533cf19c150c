"""Configuration: documented whole, refused in one line that names the key."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sentinel.config import load_settings
from sentinel.errors import ConfigurationError
from sentinel.settings import Settings

DEFAULT = Path(__file__).resolve().parents[2] / "config" / "default.yaml"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "sentinel.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def keys_of(value: Any, prefix: str = "") -> set[str]:
    if not dataclasses.is_dataclass(value):
        return {prefix.rstrip(".")}
    return {
        key
        for field in dataclasses.fields(value)
        for key in keys_of(getattr(value, field.name), f"{prefix}{field.name}.")
    }


def test_the_documented_defaults_are_the_defaults() -> None:
    assert load_settings(DEFAULT, {}) == Settings()


def test_every_setting_is_documented() -> None:
    document = yaml.safe_load(DEFAULT.read_text(encoding="utf-8"))
    for key in keys_of(Settings()):
        there = document
        for part in key.split("."):
            assert part in there, f"config/default.yaml does not name {key}"
            there = there[part]


def test_file_then_environment_then_command_line(tmp_path: Path) -> None:
    path = write(tmp_path, "store: sqlite:///a.db\nsampling: {rate: 0.1, uniform_share: 0.5}\n")
    environment = {"SENTINEL_SAMPLING__RATE": "0.2", "SENTINEL_STORE": "sqlite:///b.db"}
    settings = load_settings(path, environment, store="sqlite:///c.db", source__source="file:x")
    assert (settings.store, settings.source.source) == ("sqlite:///c.db", "file:x")
    assert (settings.sampling.rate, settings.sampling.uniform_share) == (0.2, 0.5)


@pytest.mark.parametrize("salt", ["12345", "0x10", "true", "null", "1e3", "a: b", "[x]", " s ", "päss"])
def test_a_secret_is_taken_to_the_letter(salt: str) -> None:
    assert load_settings(None, {"SENTINEL_SAMPLING__SALT": salt}).sampling.salt == salt


def test_lists_and_numbers_of_the_environment_are_read_as_such() -> None:
    settings = load_settings(
        None,
        {
            "SENTINEL_REDACTION__ENTITIES": "[EMAIL_ADDRESS, US_SSN]",
            "SENTINEL_TELEMETRY__HTTP__PORT": "null",
            "SENTINEL_SOURCE__KAFKA__BOOTSTRAP_SERVERS": '["a:1", "b:2"]',
            "SENTINEL_INDICATORS__CITATIONS_EXPECTED": "false",
        },
    )
    assert settings.redaction.entities == ("EMAIL_ADDRESS", "US_SSN")
    assert settings.telemetry.http.port is None
    assert settings.source.kafka.bootstrap_servers == ("a:1", "b:2")
    assert settings.indicators.citations_expected is False


@pytest.mark.parametrize(
    "password",
    [
        "12345",
        "0x10",
        "0815",
        "1e3",
        "true",
        "null",
        "~",
        "#x",
        "a: b",
        "[x]",
        "{a}",
        " s ",
        "'q'",
        "pä:ss",
        "- a",
    ],
)
def test_a_password_among_free_options_is_taken_to_the_letter(tmp_path: Path, password: str) -> None:
    path = write(
        tmp_path, "source: {kafka: {security: {security_protocol: SASL_SSL, ssl_check_hostname: false}}}"
    )
    name = "SENTINEL_SOURCE__KAFKA__SECURITY__SASL_PLAIN_PASSWORD"
    security = load_settings(path, {name: password}).source.kafka.security
    assert security == {
        "security_protocol": "SASL_SSL",
        "ssl_check_hostname": False,
        "sasl_plain_password": password,
    }


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("sasl_plain_password: 4711", "sasl_plain_password is text"),
        ("sasl_plain_password: true", "sasl_plain_password is text"),
        ("ssl_password: 47.11", "ssl_password is text"),
        ("ssl_cafile: [hush]", "ssl_cafile is text"),
        ("ssl_certfile: {hush: hush}", "ssl_certfile is text"),
        ("ssl_check_hostname: 'false'", "ssl_check_hostname is true or false"),
        ("ssl_check_hostname: 0", "ssl_check_hostname is true or false"),
        ("password: hush", "takes security_*"),
    ],
)
def test_an_option_of_the_broker_in_another_kind_is_refused(tmp_path: Path, option: str, says: str) -> None:
    path = write(tmp_path, f"source: {{kafka: {{security: {{{option}}}}}}}")
    with pytest.raises(ConfigurationError, match=re.escape(says)) as refusal:
        load_settings(path, {})
    assert not re.search("hush|47", str(refusal.value))


def test_a_switch_of_the_broker_cannot_come_as_text() -> None:
    with pytest.raises(ConfigurationError, match="ssl_check_hostname is true or false"):
        load_settings(None, {"SENTINEL_SOURCE__KAFKA__SECURITY__SSL_CHECK_HOSTNAME": "false"})


def test_the_environment_reaches_typed_settings_inside_a_mapping() -> None:
    name = "SENTINEL_INDICATORS__APPS__CHAT__CITATIONS_EXPECTED"
    assert load_settings(None, {name: "false"}).indicators.expects_citations("chat") is False


@pytest.mark.parametrize(
    ("text", "salts"),
    [
        ('["a", "b"]', ("a", "b")),
        ('["0123"]', ("0123",)),
        ("[]", ()),
        ("- a: b", None),
        ("[123]", None),
        ("plain", None),
        ("a,b", None),
        ("", None),
        ("[null]", None),
    ],
)
def test_earlier_salts_are_a_list_of_texts_or_refused(text: str, salts: tuple[str, ...] | None) -> None:
    given = {"SENTINEL_SAMPLING__EARLIER_SALTS": text}
    if salts is not None:
        assert load_settings(None, given).sampling.earlier_salts == salts
        return
    with pytest.raises(ConfigurationError, match=r"^sampling\.earlier_salts") as refusal:
        load_settings(None, given)
    assert "123" not in str(refusal.value)


@pytest.mark.parametrize(
    ("raw", "servers"),
    [
        ("127.0.0.1:9092", ("127.0.0.1:9092",)),
        ("a:1, b:2", ("a:1", "b:2")),
        ("[a:1, b:2]", ("a:1", "b:2")),
        ('["a:1"]', ("a:1",)),
    ],
)
def test_a_list_may_be_given_without_brackets(raw: str, servers: tuple[str, ...]) -> None:
    settings = load_settings(None, {"SENTINEL_SOURCE__KAFKA__BOOTSTRAP_SERVERS": raw})
    assert settings.source.kafka.bootstrap_servers == servers


def test_exceptions_of_an_app_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "indicators: {apps: {chat: {citations_expected: false}}}")
    assert load_settings(path, {}).indicators.expects_citations("chat") is False


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("samplng: {rate: 0.1}", "samplng: unknown key"),
        ("samplng: {rate: 0.1}", "nearest known one is sampling"),
        ("sampling: {raet: 0.1}", "sampling.raet"),
        ("sampling: {raet: 0.1}", "nearest known one is sampling.rate"),
        ("source: {kafka: {topci: x}}", "nearest known one is source.kafka.topic"),
        ("telemetry: {http: {prot: 1}}", "nearest known one is telemetry.http.port"),
        ("indicators: {apps: {chat: {citation_expected: true}}}", "indicators.apps.chat.citation_expected"),
        ("sampling: {rate: lots}", "sampling.rate"),
        ("sampling: {rate: 1.5}", "rate 1.5 is not in [0, 1]"),
        ("sampling: {rate: 0}", "above 0"),
        ("sampling: {rate: .nan}", "rate nan is not in"),
        ("sampling: [1, 2]", "sampling: is a section of settings"),
        ("sampling: {rate: 50%}", "as in 0.05"),
        ("limits: {max_bytes: 1 MB}", "as in 20"),
        ("source: file:answers.jsonl", "write `source: {source: …}`, or set SENTINEL_SOURCE__SOURCE"),
        ("source: {kafka: topic}", "write `source.kafka: {bootstrap_servers: …}`"),
        ("sampling: {budget: 500}", "SENTINEL_SAMPLING__BUDGET__UNITS"),
        ("domains: {attributes: plan}", "domains.attributes: Input should be a list"),
        ("pipeline: {batch_records: 0}", "batch_records"),
        ("redaction: {scope: some}", "redaction.scope"),
        ("review: {host: ''}", "loopback"),
        ("review: {access: {public_url: review}}", "public_url"),
        ("review: {access: {proxy: {addresses: [proxy]}}}", "addresses"),
        ("review: {access: {oidc: {issuer: 'http://id.example'}}}", "https"),
        ("review: {access: {oidc: {issuer: 'https://id.example'}}}", "client_id"),
        ("review: {access: {sign_ins_per_minute: 0}}", "sign_ins_per_minute must be above 0"),
        ("report: {timezone: Mars/X}", "timezone 'Mars/X' is unknown"),
        ("source: {source: kafka2}", "source 'kafka2' is unknown"),
        ("source: {source: 'file:'}", "source 'file:' is unknown"),
        ("sampling: {rate: 0.1, rate: 0.2}", "'rate' stands twice"),
        ("sampling: {rate: 0.1, rate: 0.2}", ".yaml: 'rate'"),
        ("store: a\nsampling: {}\nstore: b", "'store' stands twice"),
        ("1: 2", "1: unknown key"),
        ("- a\n- b", "mapping of sections"),
        ("a: [1", "not valid YAML"),
        ("a: b: c", "not valid YAML"),
        ("\x00", "not valid YAML"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        load_settings(write(tmp_path, text), {})
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("SENTINEL_SAMPLING__SALTT", "nearest known one is sampling.salt"),
        ("SENTINEL_SAMPLNG__SALT", "nearest known one is sampling"),
        ("SENTINEL_STOER", "nearest known one is store"),
        ("SENTINEL_SOURCE__KAFKA__TOPPIC", "nearest known one is source.kafka.topic"),
    ],
)
def test_a_mistyped_variable_is_refused_by_its_name(name: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        load_settings(None, {name: "secret-value"})
    assert says in str(refusal.value)
    assert name in str(refusal.value)
    assert "secret-value" not in str(refusal.value)


@pytest.mark.parametrize(
    "name", ["SENTINEL_SOURCE", "SENTINEL_SAMPLING", "SENTINEL_TELEMETRY__HTTP", "SENTINEL_REPORT"]
)
def test_a_value_for_a_whole_section_is_refused_with_what_to_write(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"is a section of settings.*set {name}__[A-Z]") as refusal:
        load_settings(None, {name: "secret-value"})
    assert "secret-value" not in str(refusal.value)


@pytest.mark.parametrize(
    "name",
    [
        "SENTINEL_PORT",
        "SENTINEL_PORT_8080_TCP",
        "SENTINEL_PORT_8080_TCP_ADDR",
        "SENTINEL_SERVICE_HOST",
        "SENTINEL_SERVICE_PORT_HTTP",
        "SENTINEL_TEST_KAFKA",
        "OTHER_SAMPLING__SALT",
    ],
)
def test_variables_that_are_not_ours_are_left_alone(name: str) -> None:
    assert load_settings(None, {name: "tcp://10.0.0.1:8080"}) == Settings()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.yaml"):
        load_settings(tmp_path / "nowhere.yaml", {})


def test_a_secret_is_not_shown_where_its_section_is_wrong() -> None:
    with pytest.raises(ConfigurationError) as refusal:
        load_settings(None, {"SENTINEL_SAMPLING__SALT": "hush-hush", "SENTINEL_SAMPLING__RATE": "9"})
    assert "hush" not in str(refusal.value)


VALUES = st.none() | st.booleans() | st.floats() | st.text(max_size=9)
DOCUMENTS = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(DOCUMENTS)
def test_whatever_a_file_holds_it_is_settings_or_one_line(document: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        outcome: object
        try:
            outcome = load_settings(path, {})
        except ConfigurationError as error:
            outcome = str(error)
    assert isinstance(outcome, Settings) or "\n" not in str(outcome)
