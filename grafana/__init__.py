"""Dashboards, alert rules and runbooks; `build` is their source."""
