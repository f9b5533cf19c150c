"""How a panel is said: what it shows, in what unit, from which expressions; drawn by Grafana's own types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, statetimeline, timeseries
from grafana_foundation_sdk.models import common as common_models
from grafana_foundation_sdk.models import dashboard as dashboard_models
from grafana_foundation_sdk.models.dashboard import DataSourceRef

#: The variable that every panel reads; `$datasource` alone is what Grafana fills in itself.
DATASOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
#: Columns of Grafana's grid, and how high a panel is by default.
COLUMNS, HEIGHT = 24, 8


@dataclass(frozen=True, slots=True)
class Query:
    """One PromQL expression and how its lines are called."""

    expr: str
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel. `unit` is a name of Grafana's units, `alert` the alert whose state it explains.

    `limits` are drawn as dashed lines, in the panel's unit. `kind` is `lines`, `number` or `states` (a
    band per series, coloured by value: `states` maps values to (text, colour)).
    """

    id: int
    title: str
    description: str
    unit: str
    queries: Sequence[Query]
    alerts: tuple[str, ...] = ()
    limits: tuple[float, ...] = ()
    kind: str = "lines"
    width: int = 8
    minimum: float | None = 0.0
    maximum: float | None = None
    decimals: int | None = None
    stacked: bool = False
    states: tuple[tuple[str, str, str], ...] = ()

    @property
    def text(self) -> str:
        """Return the description with the alerts that the panel explains."""
        return " ".join([self.description, *(f"Alert: {name}." for name in self.alerts)])


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under one heading."""

    id: int
    title: str
    panels: Sequence[Panel]


def drawn(panel: Panel, x: int, y: int) -> Any:
    """Return the builder of `panel` at column `x` and line `y` of the grid."""
    kinds = {"lines": _lines, "number": _number, "states": _states}
    built = kinds[panel.kind](panel)
    built = (
        built.id(panel.id)
        .title(panel.title)
        .description(panel.text)
        .datasource(DATASOURCE)
        .unit(panel.unit)
        .grid_pos(dashboard_models.GridPos(h=HEIGHT, w=panel.width, x=x, y=y))
    )
    if panel.minimum is not None and panel.kind != "states":
        built = built.min(panel.minimum)
    if panel.maximum is not None:
        built = built.max(panel.maximum)
    if panel.decimals is not None:
        built = built.decimals(panel.decimals)
    for number, query in enumerate(panel.queries):
        built = built.with_target(_target(query, chr(ord("A") + number), panel.kind))
    return built


def _target(query: Query, ref_id: str, kind: str) -> Any:
    target = (
        prometheus.Dataquery()
        .ref_id(ref_id)
        .expr(query.expr)
        .legend_format(query.legend)
        .datasource(DATASOURCE)
    )
    return target.instant() if kind == "number" else target.range()


def _lines(panel: Panel) -> Any:
    built = (
        timeseries.Panel()
        .line_width(1)
        .fill_opacity(10)
        .show_points(common_models.VisibilityMode.AUTO)
        .span_nulls(False)
        .legend(
            common.VizLegendOptions()
            .display_mode(common_models.LegendDisplayMode.LIST)
            .placement(common_models.LegendPlacement.BOTTOM)
            .show_legend(True)
        )
        .tooltip(
            common.VizTooltipOptions()
            .mode(common_models.TooltipDisplayMode.MULTI)
            .sort(common_models.SortOrder.DESCENDING)
        )
        .thresholds(_steps(panel.limits))
    )
    if panel.limits:
        style = common_models.GraphThresholdsStyleMode.DASHED
        built = built.thresholds_style(common.GraphThresholdsStyleConfig().mode(style))
    if panel.stacked:
        built = built.stacking(common.StackingConfig().mode(common_models.StackingMode.NORMAL))
    return built


def _number(panel: Panel) -> Any:
    return (
        stat.Panel()
        .graph_mode(common_models.BigValueGraphMode.NONE)
        .color_mode(common_models.BigValueColorMode.VALUE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        .no_value("no data")
        .thresholds(_steps(panel.limits))
    )


def _states(panel: Panel) -> Any:
    options = {
        value: dashboard_models.ValueMappingResult(text=text, color=colour, index=number)
        for number, (value, text, colour) in enumerate(panel.states)
    }
    return (
        statetimeline.Panel()
        .mappings([dashboard_models.ValueMap(options=options)])
        .show_value(common_models.VisibilityMode.NEVER)
        .merge_values(True)
        .row_height(0.8)
        .legend(
            common.VizLegendOptions()
            .display_mode(common_models.LegendDisplayMode.LIST)
            .placement(common_models.LegendPlacement.BOTTOM)
            .show_legend(True)
        )
    )


def _steps(limits: Sequence[float]) -> Any:
    colours = ["red"] * len(limits)
    first = dashboard_models.Threshold(value=None, color="green" if limits else "text")
    steps = [first, *(dashboard_models.Threshold(v, c) for v, c in zip(limits, colours, strict=True))]
    return dashboard.ThresholdsConfig().mode(dashboard_models.ThresholdsMode.ABSOLUTE).steps(steps)
