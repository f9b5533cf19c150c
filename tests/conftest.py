"""Shared fixtures; real services live in `tests/services`."""

pytest_plugins = ["tests.services.fixtures"]
