"""Shift detection over the minute counts of all workers; alarms."""
