"""Shared fixtures; real services live in `tests/services`."""
