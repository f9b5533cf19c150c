"""The rules as a Prometheus rule file."""

from __future__ import annotations

import textwrap
from typing import Any

import yaml

from grafana.build.boards import PLACES
from grafana.build.groups import GROUPS
from grafana.build.rules import Alert, Group, Record

_HEADER = "# Written by `python -m grafana.build`; edit grafana/build/groups.py.\n"


class _Dumper(yaml.SafeDumper):
    """Block style throughout; text of several lines as it stands."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        return super().increase_indent(flow, indentless=False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def dumped(value: Any) -> str:
    """Return `value` as YAML in the order it has."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def place(alert: Alert) -> tuple[str, int]:
    """Return the dashboard and the panel that explain `alert`."""
    return PLACES[alert.name]


def texts_of(alert: Alert) -> dict[str, str]:
    """Return what an alert says, where it is explained and where it is shown."""
    uid, panel = place(alert)
    return {
        "summary": alert.summary,
        "description": alert.description,
        "runbook": f"grafana/runbooks/{alert.name}.md",
        "dashboard": f"/d/{uid}/{uid}?viewPanel={panel}",
    }


def rule_file() -> str:
    """Return the whole file."""
    return _HEADER + "groups:\n" + "".join(_group(group) for group in GROUPS)


def _group(group: Group) -> str:
    rules = "".join(textwrap.indent(_rule(rule), "      ") for rule in group.rules)
    return f"  - name: {group.name}\n    rules:\n{rules}"


def _rule(rule: Alert | Record) -> str:
    if isinstance(rule, Record):
        return dumped([{"record": rule.name, "expr": rule.expr}])
    said: dict[str, Any] = {"alert": rule.name, "expr": rule.expr}
    if rule.lasting:
        said["for"] = rule.lasting
    said |= {"labels": {"severity": rule.severity}, "annotations": texts_of(rule)}
    comment = "".join(f"# {line}\n" for line in textwrap.wrap(rule.why, 100))
    return comment + dumped([said])
