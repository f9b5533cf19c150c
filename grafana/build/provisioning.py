"""The alerts as Grafana provisions them from a file, for those who let Grafana evaluate them.

Such a file has no variable of a dashboard; Grafana puts an environment variable in place of `$NAME` in
`datasourceUid`, and nothing in place of anything else that is here. Each expression is one of Prometheus'
kind: whatever it returns fires, and an empty result is fine. Grafana's own import of Prometheus rules has
the same three steps: query, number or not, above 0.
"""

from __future__ import annotations

import json
import re
from typing import Any

from grafana_foundation_sdk.builders import alerting, expr, prometheus
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import alerting as models
from grafana_foundation_sdk.models.dashboard import DataSourceRef

from grafana.build.groups import GROUPS, RECORDS
from grafana.build.prometheus import dumped, place, texts_of
from grafana.build.rules import Alert, Group, without_records

#: The environment variable of Grafana that names the Prometheus data source.
DATASOURCE_VARIABLE = "GRAFANA_PROMETHEUS_UID"
_FOLDER = "Sentinel"
_EXPRESSIONS = "__expr__"
_HEADER = f"""\
# Written by `python -m grafana.build`; edit grafana/build/groups.py.
# Put it below provisioning/alerting and set {DATASOURCE_VARIABLE} to the uid of the Prometheus data source.
"""


def provisioning_file() -> str:
    """Return the whole file."""
    groups = [_group(group) for group in GROUPS if group.alerts]
    return _HEADER + dumped({"apiVersion": 1, "groups": groups})


def _group(group: Group) -> dict[str, Any]:
    rules = [_rule(alert, group) for alert in group.alerts]
    return {"orgId": 1, "name": group.name, "folder": _FOLDER, "interval": "1m", "rules": rules}


def _rule(alert: Alert, group: Group) -> dict[str, Any]:
    uid, panel = place(alert)
    built = (
        alerting.Rule(alert.name)
        .uid(uid_of(alert.name))
        .condition("threshold")
        .queries([_query(alert), _is_there(), _above_nought()])
        .for_val(alert.lasting or "0s")
        .labels({"severity": alert.severity})
        .annotations({name: _grafana_values(text) for name, text in texts_of(alert).items()})
        .no_data_state("OK")
        .exec_err_state("Error")
        .folder_uid(_FOLDER)
        .rule_group(group.name)
        .build()
    )
    document = _plain(built)
    # Group, folder and organisation stand at the group in a file.
    for key in ("folderUID", "ruleGroup", "orgID"):
        document.pop(key, None)
    return (
        {"uid": document.pop("uid"), "title": document.pop("title")}
        | document
        | {
            "dashboardUid": uid,
            "panelId": panel,
        }
    )


def uid_of(name: str) -> str:
    """Return the rule's id in Grafana: at most 40 letters, figures, hyphens."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()[:40]


def _query(alert: Alert) -> Any:
    promql = without_records(alert.expr, RECORDS)
    return (
        alerting.Query("query")
        .datasource_uid(f"${DATASOURCE_VARIABLE}")
        .relative_time_range(models.RelativeTimeRange(600, 0))
        .model(prometheus.Dataquery().ref_id("query").expr(promql).instant())
    )


def _is_there() -> Any:
    expression = "is_number($query) || is_nan($query) || is_inf($query)"
    return _step("there", expr.TypeMath().expression(expression))


def _above_nought() -> Any:
    evaluator = expr.ExprTypeThresholdConditionsEvaluator().type("gt").params([0])
    condition = expr.ExprTypeThresholdConditions().evaluator(evaluator)
    return _step("threshold", expr.TypeThreshold().expression("there").conditions([condition]))


def _step(ref_id: str, model: Any) -> Any:
    return (
        alerting.Query(ref_id)
        .datasource_uid(_EXPRESSIONS)
        .relative_time_range(models.RelativeTimeRange(0, 0))
        .model(model.ref_id(ref_id).datasource(DataSourceRef(_EXPRESSIONS, _EXPRESSIONS)))
    )


def _grafana_values(text: str) -> str:
    # There `$value` is a text about all steps; the number is that of the query.
    return text.replace("$value ", "$values.query.Value ")


def _plain(built: Any) -> dict[str, Any]:

    return json.loads(JSONEncoder(sort_keys=True).encode(built))  # type: ignore[no-any-return]
