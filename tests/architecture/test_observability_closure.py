"""The catalogue is closed under use: no panel or alert reads what nobody exports, no alert is alone."""

import ast
import dataclasses
import json
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml
from typer.main import get_command

from sentinel.cli.main import app
from sentinel.settings import Settings
from sentinel.telemetry import catalogue
from sentinel.telemetry.catalogue import CATALOGUE
from sentinel.telemetry.declarations import MetricSpec
from sentinel.telemetry.documentation import metrics_page

ROOT = Path(__file__).resolve().parents[2]
DASHBOARDS = sorted((ROOT / "grafana/dashboards").glob("*.json"))
RULE_FILES = sorted((ROOT / "grafana/alerts").glob("*.yaml"))
RUNBOOKS = ROOT / "grafana/runbooks"
RUNBOOK_HEADINGS = ["Meaning", "Impact", "Check", "Mitigate", "Fix", "Verify"]

PROVISIONED = ROOT / "grafana/provisioning/alerting/sentinel.yaml"

SERIES = {series: spec for spec in CATALOGUE for series in spec.series_names}
#: Declared series that no dashboard and no rule reads: for questions that somebody asks now and then.
AD_HOC: frozenset[str] = frozenset()
#: Labels that Prometheus itself attaches, or that the type of a metric brings along.
OUTER_LABELS = {"job", "instance", "namespace", "pod", "le"}

_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|`[^`]*`')
_COMMENT = re.compile(r"#[^\n]*")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)", re.IGNORECASE)
_MATCHER = re.compile(r"([A-Za-z_]\w*)\s*(?:=~|!~|!=|=)\s*(\"\d+\")")
_WORD = re.compile(r"(?<![\w:.$])[A-Za-z_:][\w:]*(?!\w)(?!\s*\()")
_KEYWORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan", "start", "end", "by", "without", "on"}
_KEYWORDS |= {"ignoring", "group_left", "group_right", "atan2"}


def read_names(expression: str) -> tuple[set[str], set[str]]:
    """Return the series and the label names that a PromQL expression reads."""
    strings: list[str] = []

    def keep(match: re.Match[str]) -> str:
        strings.append(match.group()[1:-1])
        return f'"{len(strings) - 1}"'

    text = _COMMENT.sub("", _STRING.sub(keep, expression))
    series: set[str] = set()
    labels: set[str] = set()
    for selector in re.findall(r"\{([^}]*)\}", text):
        for label, value in _MATCHER.findall(selector):
            if label == "__name__":
                series.add(strings[int(value.strip('"'))])
            else:
                labels.add(label)
        for quoted in re.findall(r'(?:^|,)\s*"(\d+)"\s*(?=,|$)', selector):
            series.add(strings[int(quoted)])
    text = re.sub(r"\{[^}]*\}", " ", text)
    text = re.sub(r"\[[^\]]*\]", " ", text)
    for group in _GROUPING.findall(text):
        labels.update(name.strip() for name in group.split(",") if name.strip())
    text = _GROUPING.sub(" ", text)
    text = re.sub(r'"\d+"', " ", text)
    series.update(word for word in _WORD.findall(text) if word.lower() not in _KEYWORDS)
    return series, labels


@pytest.mark.parametrize(
    ("expression", "series", "labels"),
    [
        ("up", {"up"}, set()),
        ("sum by (reason) (rate(a_total[5m]))", {"a_total"}, {"reason"}),
        ("sum(rate(a_total{x=\"b_total\",y=~'c{1}'}[$__rate_interval]))", {"a_total"}, {"x", "y"}),
        ("histogram_quantile(0.9, sum by (le) (rate(a_bucket[1h])))", {"a_bucket"}, {"le"}),
        ("a_sum / on (x) group_left (y) a_count offset 8d", {"a_sum", "a_count"}, {"x", "y"}),
        ("abs(a)>5+4*sqrt(b)and c unless d", {"a", "b", "c", "d"}, set()),
        ('{__name__="hidden_total", job="x"}', {"hidden_total"}, {"job"}),
        ('{"quoted_total", job="x"}', {"quoted_total"}, {"job"}),
        ("a > bool 1e3 or b == Inf # c is a comment", {"a", "b"}, set()),
        ("max_over_time(rate(a:b:rate5m[5m])[1h:5m]) @ end()", {"a:b:rate5m"}, set()),
        ("count(a) without (x, y)", {"a"}, {"x", "y"}),
        ('label_replace(a, "dst", "$1", "src", "(.*)")', {"a"}, set()),
    ],
)
def test_the_reader_of_expressions_finds_names(expression: str, series: set[str], labels: set[str]) -> None:
    assert read_names(expression) == (series, labels)


#: The calls that give a series its values.
SETTERS = {"increment", "observe", "observe_all", "set", "replace"}


def series_set_by(source: str) -> set[str]:
    """Return the names of the metrics to which the code gives values."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        first = node.args[0]
        name = first.attr if isinstance(first, ast.Attribute) else getattr(first, "id", "")
        is_known = isinstance(spec := getattr(catalogue, name, None), MetricSpec)
        # Taking a series away is no way to set it.
        takes_away = len(node.args) > 1 and isinstance(v := node.args[1], ast.Constant) and v.value is None
        if is_known and node.func.attr in SETTERS and not takes_away:
            found.add(spec.name)
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("m.increment(c.STREAM_EVENTS, 3)", {"sentinel_stream_events_total"}),
        ("self._metrics.set(BUILD_INFO, 1.0, version='x')", {"sentinel_build_info"}),
        ("m.observe(catalogue.ANSWER_WORDS, 3)", {"sentinel_answer_words"}),
        ("m.replace(c.AUDITED_RATE, {})", {"sentinel_audited_rate"}),
        ("m.set(c.LABEL_COVERAGE, None)", set()),
        ("m.clear(c.LABEL_COVERAGE)", set()),
        ("from sentinel.telemetry.catalogue import STREAM_EVENTS", set()),
        ("shown = c.STREAM_EVENTS.help", set()),
        ("m.increment(c.NO_SUCH_NAME)", set()),
    ],
)
def test_the_reader_of_code_finds_what_is_set(source: str, expected: set[str]) -> None:
    assert series_set_by(source) == expected


def test_every_declared_series_is_set_somewhere() -> None:
    set_by = set().union(*(series_set_by(path.read_text()) for path in (ROOT / "sentinel").rglob("*.py")))
    assert sorted({spec.name for spec in CATALOGUE} - set_by) == []


def panels() -> list[dict[str, Any]]:
    found = []
    for path in DASHBOARDS:
        for panel in json.loads(path.read_text())["panels"]:
            found += [panel, *panel.get("panels", [])]
    return [panel for panel in found if panel["type"] != "row"]


def alerts() -> list[dict[str, Any]]:
    groups = [group for path in RULE_FILES for group in yaml.safe_load(path.read_text())["groups"]]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


def rules() -> list[dict[str, Any]]:
    groups = [group for path in RULE_FILES for group in yaml.safe_load(path.read_text())["groups"]]
    return [rule for group in groups for rule in group["rules"]]


def annotation_queries() -> list[dict[str, Any]]:
    return [q for path in DASHBOARDS for q in json.loads(path.read_text())["annotations"]["list"]]


def provisioned() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(PROVISIONED.read_text())["groups"] for rule in group["rules"]]


def expressions() -> list[tuple[str, str]]:
    used = [(panel["title"], target["expr"]) for panel in panels() for target in panel["targets"]]
    used += [(query["name"], query["expr"]) for query in annotation_queries()]
    used += [(rule["title"], rule["data"][0]["model"]["expr"]) for rule in provisioned()]
    return used + [(rule.get("alert", rule.get("record")), rule["expr"]) for rule in rules()]


def recorded() -> dict[str, set[str]]:
    """Each recorded series with the labels that its expression leaves it."""
    return {rule["record"]: read_names(rule["expr"])[1] for rule in rules() if "record" in rule}


def labels_of(series: str) -> set[str]:
    return recorded()[series] if series in recorded() else set(SERIES[series].label_names)


def test_there_is_something_to_check() -> None:
    assert len(panels()) > 10
    assert len(alerts()) >= 7


@pytest.mark.parametrize(("where", "expression"), expressions())
def test_every_series_and_label_read_is_declared(where: str, expression: str) -> None:
    series, labels = read_names(expression)
    assert series, f"{where} reads no series"
    assert sorted(series - SERIES.keys() - recorded().keys()) == [], f"{where} reads what nobody exports"
    declared = {label for name in series for label in labels_of(name)} | OUTER_LABELS
    assert sorted(labels - declared) == [], f"{where} uses labels that its series do not have"


def test_every_declared_series_is_read_or_said_to_be_for_questions_now_and_then() -> None:
    read = set().union(*(read_names(expression)[0] for _, expression in expressions()))
    unread = {spec.name for spec in CATALOGUE if not read & set(spec.series_names)}
    assert unread == AD_HOC


def test_what_is_recorded_is_read_and_named_after_the_product() -> None:
    read = set().union(*(read_names(expression)[0] for _, expression in expressions()))
    named = {name for name in recorded() if re.fullmatch(r"sentinel:[a-z_]+:[a-z0-9_]+", name)}
    assert named == recorded().keys() != set()
    # A share within half an hour is there for those who look; alerts read the others.
    assert {name for name in recorded() if name not in read} <= {"sentinel:indicator_events:ratio_rate30m"}


def test_dashboards_need_no_recorded_series() -> None:
    """A dashboard works in an installation that loads no rule file."""
    shown = [target["expr"] for panel in panels() for target in panel["targets"]]
    assert [expr for expr in shown if "sentinel:" in expr] == []


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.name)
def test_a_dashboard_works_as_a_file(path: Path) -> None:
    text = path.read_text()
    dashboard = json.loads(text)
    assert "${DS_" not in text
    assert "__inputs" not in dashboard
    variables = {v["name"]: v for v in dashboard["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    known = variables.keys() | {"__rate_interval"}
    for name in re.findall(r"\$\{?(\w+)\}?", text):
        assert name in known, f"${{{name}}} is resolved by nothing"
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))


def test_every_panel_says_what_it_shows() -> None:
    for panel in panels():
        assert panel["title"]
        assert len(panel.get("description", "")) > 20, panel["title"]
        assert panel["fieldConfig"]["defaults"].get("unit"), panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}", panel["title"]
        assert all(target["datasource"]["uid"] == "${datasource}" for target in panel["targets"])


def test_alert_names_are_in_style_and_single() -> None:
    names = [alert["alert"] for alert in alerts()]
    assert len(names) == len(set(names))
    parts = "Stream|Pipeline|Indicator|Sampling|Review|Report|Redaction|Shift|Label|Leader"
    assert [name for name in names if not re.fullmatch(rf"Sentinel({parts})([A-Z][a-z]+)+", name)] == []


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    names = {alert["alert"] for alert in alerts()}
    assert {path.stem for path in RUNBOOKS.glob("*")} == names
    for alert in alerts():
        assert alert["annotations"]["runbook"] == f"grafana/runbooks/{alert['alert']}.md"
        assert alert["labels"]["severity"] in {"warning", "critical"}
        assert alert["annotations"]["summary"]
        assert alert["annotations"]["description"]


@pytest.mark.parametrize("path", sorted(RUNBOOKS.glob("*.md")), ids=lambda path: path.stem)
def test_a_runbook_has_every_part_and_something_in_it(path: Path) -> None:
    text = path.read_text()
    assert text.startswith(f"# {path.stem}\n")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    assert parts[1::2] == RUNBOOK_HEADINGS
    assert [h for h, body in zip(parts[1::2], parts[2::2], strict=True) if len(body.split()) < 8] == []
    titles = {panel["title"] for panel in panels()}
    named = re.findall(r"[Pp]anel \*([^*]+)\*", text)
    assert named, "a runbook that sends nobody to a panel"
    assert [title for title in named if title not in titles] == []


def settings_under(kind: Any, prefix: str = "") -> set[str]:
    """The dotted names of all settings and their sections."""
    found = set()
    for field in dataclasses.fields(kind):
        found.add(f"{prefix}{field.name}")
        section = get_type_hints(kind)[field.name]
        if dataclasses.is_dataclass(section):
            found |= settings_under(section, f"{prefix}{field.name}.")
    return found


@pytest.mark.parametrize("path", sorted(RUNBOOKS.glob("*.md")), ids=lambda path: path.stem)
def test_a_runbook_names_what_exists(path: Path) -> None:
    """Commands with their options, settings, metrics and reasons between backticks."""
    quoted = [" ".join(text.split()) for text in re.findall(r"`([^`]+)`", path.read_text())]
    root = get_command(app)
    for text in quoted:
        if text.startswith("sentinel "):
            command: Any = root
            words = text.split()[1:]
            while words and hasattr(command, "commands"):
                assert words[0] in command.commands, text
                command = command.commands[words.pop(0)]
            options = {option for parameter in command.params for option in parameter.opts}
            named = {word for word in words if word.startswith("--")}
            assert named <= options, text
        elif re.fullmatch(r"sentinel_\w+", text):
            assert text in SERIES, text
        elif re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", text) and text.split(".")[0] in settings_under(Settings):
            assert text in settings_under(Settings), text
        elif text.endswith("_failed"):
            assert text in catalogue.PARKED_REASONS, text


def test_every_alert_has_a_panel_that_shows_its_series_and_every_panel_a_real_alert() -> None:
    uid_panels = {
        (json.loads(path.read_text())["uid"], panel["id"]): panel
        for path in DASHBOARDS
        for panel in json.loads(path.read_text())["panels"]
    }
    claimed = {
        name: panel["id"] for panel in panels() for name in re.findall(r"Alert: (\w+)", panel["description"])
    }
    assert set(claimed) == {alert["alert"] for alert in alerts()}
    for alert in alerts():
        link = re.fullmatch(r"/d/([\w-]+)/[\w-]+\?viewPanel=(\d+)", alert["annotations"]["dashboard"])
        assert link, alert["alert"]
        panel = uid_panels[link[1], int(link[2])]
        assert claimed[alert["alert"]] == panel["id"]
        shown = set().union(*(read_names(target["expr"])[0] for target in panel["targets"]))
        (twin,) = (rule for rule in provisioned() if rule["title"] == alert["alert"])
        assert shown & read_names(twin["data"][0]["model"]["expr"])[0], alert["alert"]


def test_the_page_of_metrics_is_fresh() -> None:
    page = (ROOT / "docs/metrics.md").read_text()
    assert page == metrics_page(), "run: python -m sentinel.telemetry.documentation > docs/metrics.md"


def test_the_page_of_metrics_renders_as_a_table() -> None:
    rows = [line for line in metrics_page().splitlines() if line.startswith("| `")]
    assert len(rows) == len(CATALOGUE)
    assert [row for row in rows if row.count("|") != 6] == []
