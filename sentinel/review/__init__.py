"""The review workbench: queue pages and label API."""
