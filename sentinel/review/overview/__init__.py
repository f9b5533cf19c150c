"""Pages to look at: overview, reports, alarms, one answer's history, agreement."""
