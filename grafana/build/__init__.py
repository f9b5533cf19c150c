"""Dashboards, alert rules and their provisioning files, built from one source: `python -m grafana.build`."""
