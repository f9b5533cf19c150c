"""Marks on every dashboard: where a version began to answer, where the draw changed, while a shift lasted."""

from __future__ import annotations

from dataclasses import dataclass

from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models.dashboard import AnnotationQuery

from grafana.build.panels import DATASOURCE
from sentinel.records import VERSION_FIELDS
from sentinel.telemetry import catalogue as c

_VERSIONS = "|".join(VERSION_FIELDS)
_KNOWN_VERSIONS = f'{c.STREAM_DOMAIN_EVENTS.name}{{domain=~"{_VERSIONS}",value!="other"}}'

#: A version is new where it counts answers that nobody counted in the six hours before; the first hour of an
#: installation, in which everything would be new, is left out.
NEW_VERSION = f"""\
(sum by (domain, value) ({_KNOWN_VERSIONS}) > 0)
  unless on (domain, value)
(sum by (domain, value) (last_over_time({_KNOWN_VERSIONS}[6h] offset 5m)) > 0)
  and on ()
(count({c.STREAM_EVENTS.name} offset 1h) > 0)"""
NEW_AGENT = f"""\
group by (version) ({c.BUILD_INFO.name})
  unless on (version)
group by (version) (last_over_time({c.BUILD_INFO.name}[6h] offset 5m))
  and on ()
(count({c.BUILD_INFO.name} offset 1h) > 0)"""
NEW_SCHEDULE_ROW = f"max(changes({c.SAMPLING_SCHEDULE_ROW.name}[5m])) > 0"
SHIFT = f"max by (series) ({c.SHIFT_ACTIVE.name}) == 1"


@dataclass(frozen=True)
class PrometheusAnnotation(Builder[AnnotationQuery]):
    """An annotation query of a Prometheus data source; the SDK's type lacks that source's own fields."""

    name: str
    expr: str
    title: str
    text: str
    colour: str

    def build(self) -> AnnotationQuery:
        """Return the query as the dashboard builder takes it."""
        return _WithFormats(self)


class _WithFormats(AnnotationQuery):
    def __init__(self, said: PrometheusAnnotation) -> None:
        super().__init__(
            name=said.name, datasource=DATASOURCE, enable=True, icon_color=said.colour, expr=said.expr
        )
        self._said = said

    def to_json(self) -> dict[str, object]:
        formats = {"titleFormat": self._said.title, "textFormat": self._said.text}
        return super().to_json() | formats | {"step": "60s", "useValueForTime": False}


ANNOTATIONS = (
    PrometheusAnnotation(
        "New versions", NEW_VERSION, "{{domain}} {{value}}", "Its first answers were counted.", "blue"
    ),
    PrometheusAnnotation(
        "New version of sentinel", NEW_AGENT, "sentinel {{version}}", "Its first process started.", "purple"
    ),
    PrometheusAnnotation(
        "Draw changed", NEW_SCHEDULE_ROW, "Schedule row", "Answers are drawn under another row.", "yellow"
    ),
    PrometheusAnnotation(
        "Shifts", SHIFT, "Shift: {{series}}", "`sentinel alarms` has app, size and slice.", "red"
    ),
)
