"""Scheduled work: of all processes on a store one leads, and does what must be done once."""
