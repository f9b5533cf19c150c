"""All dashboards, and on which panel each alert is explained."""

from __future__ import annotations

from grafana.build.audited_rate import AUDITED_RATE
from grafana.build.indicators import INDICATORS
from grafana.build.operations import OPERATIONS

BOARDS = (OPERATIONS, INDICATORS, AUDITED_RATE)

#: Alert → (dashboard, panel).
PLACES = {name: (board.uid, panel.id) for board in BOARDS for panel in board.panels for name in panel.alerts}
