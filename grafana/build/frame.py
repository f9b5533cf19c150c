"""What all dashboards share: the data source as a variable, annotations, links, the layout in rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models

from grafana.build.annotations import ANNOTATIONS
from grafana.build.panels import COLUMNS, HEIGHT, Panel, Row, drawn

#: Beside these each dashboard may have one of its own: (name, label, values).
Choice = tuple[str, str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Board:
    """One dashboard: `uid` is its address, and the name of its file."""

    uid: str
    title: str
    description: str
    period: str
    rows: Sequence[Row]
    choices: Sequence[Choice] = ()

    @property
    def panels(self) -> Iterator[Panel]:
        """Yield the panels of all rows."""
        for row in self.rows:
            yield from row.panels


def built(board: Board) -> dict[str, Any]:
    """Return the dashboard as Grafana reads it: plain JSON values."""
    builder = (
        dashboard.Dashboard(board.title)
        .uid(board.uid)
        .description(board.description)
        .tags(["sentinel"])
        .timezone("utc")
        .refresh("1m")
        .time(f"now-{board.period}", "now")
        .editable()
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .with_variable(
            dashboard.DatasourceVariable("datasource").label("Data source").type("prometheus").multi(False)
        )
        .link(
            dashboard.DashboardLink("Other dashboards of sentinel")
            .type(models.DashboardLinkType.DASHBOARDS)
            .tags(["sentinel"])
            .as_dropdown(True)
            .keep_time(True)
            .include_vars(True)
        )
    )
    for name, label, values in board.choices:
        options = [
            models.VariableOption(text=value, value=value, selected=not n) for n, value in enumerate(values)
        ]
        builder = builder.with_variable(
            dashboard.CustomVariable(name)
            .label(label)
            .values(",".join(values))
            .options(options)
            .current(options[0])
        )
    for annotation in ANNOTATIONS:
        builder = builder.annotation(annotation)
    for row, panels in _placed(board.rows):
        builder = builder.with_row(row)
        for panel in panels:
            builder = builder.with_panel(panel)
    return json.loads(JSONEncoder(sort_keys=True).encode(builder.build()))  # type: ignore[no-any-return]


def _placed(rows: Sequence[Row]) -> Iterator[tuple[Any, list[Any]]]:
    """Yield each row's heading and panels at their places: left to right, then down."""
    y = 0
    for row in rows:
        heading = dashboard.Row(row.title).id(row.id).grid_pos(models.GridPos(h=1, w=COLUMNS, x=0, y=y))
        y, x = y + 1, 0
        panels = []
        for panel in row.panels:
            if x + panel.width > COLUMNS:
                y, x = y + HEIGHT, 0
            panels.append(drawn(panel, x, y))
            x += panel.width
        y += HEIGHT
        yield heading, panels
