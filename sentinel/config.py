"""Load, validate and freeze the configuration: defaults, then one YAML file, then the environment.

Each component owns its parameter class; this module only gathers them. Unknown keys are errors that
name the nearest known one, and every error is one line that names the key.
"""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from sentinel.errors import ConfigurationError
from sentinel.settings import Settings

PREFIX = "SENTINEL_"
#: Variables with our prefix that are not configuration: test switches, and the links Kubernetes
#: sets in every pod for a Service that happens to be called "sentinel".
_NOT_OURS = re.compile(r"SENTINEL_(TEST_.*|SHARED|SERVICE_(HOST|PORT).*|PORT(_\d+_(TCP|UDP).*)?)$")


class _OnceLoader(yaml.SafeLoader):
    """Refuses a key that stands twice: the first one would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node whose keys are distinct."""
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for key in keys:
            if keys.count(key) > 1:
                line = node.start_mark.line + 1
                raise ConfigurationError(f"{key!r} stands twice (in the mapping of line {line}); keep one")
        return super().construct_mapping(node, deep)


def load_settings(
    path: Path | None = None, environment: Mapping[str, str] | None = None, **overrides: Any
) -> Settings:
    """Return the frozen settings; raises ConfigurationError with one line that names the key.

    `overrides` are top-level keys given on the command line; a None is *not given*.
    """
    given = _from_file(path) if path else {}
    origin = str(path) if path else "the command line"
    _check_known(given, Settings, "", origin)
    for keys, raw in _from_environment(os.environ if environment is None else environment):
        _put(given, keys, raw)
    for key, value in overrides.items():
        if value is not None:
            _put(given, key.split("__"), value)
    try:
        return TypeAdapter(Settings).validate_python(given)
    except ValidationError as error:
        raise ConfigurationError(_one_line(error)) from None


def _from_file(path: Path) -> dict[str, Any]:
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=_OnceLoader)  # noqa: S506
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    except OSError as error:
        raise ConfigurationError(
            f"{path}: cannot be read ({error.strerror}); give --config a YAML file"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigurationError(f"{path}: not valid YAML{where}") from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ConfigurationError(
            f"{path}: a configuration is a mapping of sections, not a {type(document).__name__}"
        )
    return document


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[list[str], Any]]:
    for name in sorted(environment):
        if not name.startswith(PREFIX) or _NOT_OURS.match(name):
            continue
        keys = name.removeprefix(PREFIX).lower().split("__")
        nested: Any = environment[name]
        for key in reversed(keys):
            nested = {key: nested}
        _check_known(nested, Settings, "", f"environment variable {name}")
        parsed = _parsed(environment[name], _type_at(keys), secret=_is_secret(keys))
        _check_known(parsed, _type_at(keys), f"{'.'.join(keys)}.", f"environment variable {name}")
        yield keys, parsed


def _parsed(raw: str, expected: Any, *, secret: bool) -> Any:
    """A string stays as it is where a string is wanted: a salt of digits is still a salt.

    So it does in a section of free-form options, where passwords go. A list of strings may also be given
    without brackets, `broker-1:9092,broker-2:9092`, unless they are secrets: those may hold commas.
    """
    if expected in (str, str | None, Any):
        return raw
    try:
        parsed = yaml.safe_load(raw)
    except yaml.YAMLError:
        return raw
    if expected == tuple[str, ...] and isinstance(parsed, str) and not secret:
        return [item.strip() for item in raw.split(",")]
    return parsed


def _fields(kind: Any) -> dict[str, Any]:
    """Field name → type of a parameter class, or {} where `kind` is not one."""
    if not dataclasses.is_dataclass(kind):
        return {}
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _section(kind: Any) -> Any:
    """The parameter class inside `X | None`, or the type itself."""
    if typing.get_origin(kind) not in (typing.Union, types.UnionType):
        return kind
    inner = [arg for arg in typing.get_args(kind) if dataclasses.is_dataclass(arg)]
    return inner[0] if inner else kind


def _type_at(keys: list[str]) -> Any:
    kind: Any = Settings
    for key in keys:
        kind = _section(kind)
        kind = typing.get_args(kind)[1] if _is_mapping(kind) else _fields(kind).get(key)
    return kind


def _is_mapping(kind: Any) -> bool:
    return typing.get_origin(kind) in (dict, Mapping)


def _is_secret(keys: list[str]) -> bool:
    """Whether a setting is hidden in its section's `repr`, as secrets are."""
    section = _section(_type_at(keys[:-1]))
    if not dataclasses.is_dataclass(section):
        return False
    return any(field.name == keys[-1] and not field.repr for field in dataclasses.fields(section))


def _check_known(given: Any, kind: Any, where: str, origin: str) -> None:
    kind = _section(kind)
    if _is_mapping(kind) and isinstance(given, dict):
        for name, value in given.items():
            _check_known(value, typing.get_args(kind)[1], f"{where}{name}.", origin)
        return
    if typing.get_origin(kind) is tuple and isinstance(given, list):
        for place, value in enumerate(given):
            _check_known(value, typing.get_args(kind)[0], f"{where}{place}.", origin)
        return
    known = _fields(kind)
    if not known or not isinstance(given, dict):
        return
    for key, value in given.items():
        if key not in known:
            raise ConfigurationError(
                f"{where}{_shown(key)}: unknown key in {origin}; {_nearest(str(key), where, known)}"
            )
        _check_known(value, known[key], f"{where}{key}.", origin)


def _shown(key: Any) -> str:
    return str(key) if str(key).isprintable() else repr(key)


def _nearest(key: str, where: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.0)
    return f"the nearest known one is {where}{close[0]}" if close else f"known: {', '.join(known)}"


def _put(tree: dict[str, Any], keys: list[str], value: Any) -> None:
    for key in keys[:-1]:
        below = tree.get(key)
        if not isinstance(below, dict):
            below = tree[key] = {}
        tree = below
    tree[keys[-1]] = value


#: What the validator calls by Python's names.
_PYTHON_WORDS = re.compile(r"a valid tuple|a dictionary or an instance of \w+|a valid dictionary")


#: What a value of this type looks like, by the validator's name for the error.
_EXAMPLES = {
    "float_parsing": ", as in 0.05",
    "float_type": ", as in 0.05",
    "int_parsing": ", as in 20",
    "int_type": ", as in 20",
    "int_from_float": ", as in 20",
}


def _plain_words(match: re.Match[str]) -> str:
    return "a list" if "tuple" in match[0] else "a section of settings"


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    key = ".".join(str(part) for part in first["loc"] if not str(part).startswith("function-"))
    message = _PYTHON_WORDS.sub(_plain_words, first["msg"].removeprefix("Value error, "))
    message += _EXAMPLES.get(first["type"], "")
    known = _fields(_section(_type_at(key.split("."))))
    if known and first["type"].startswith(("dataclass", "dict")):
        inner = key.rpartition(".")[2]
        inner = inner if inner in known else next(iter(known))
        variable = PREFIX + "__".join([*key.split("."), inner]).upper()
        message = f"is a section of settings, not a value: write `{key}: {{{inner}: …}}`, or set {variable}"
    more = error.error_count() - 1
    return f"{key}: {message}" + (f" (and {more} more)" if more else "")
