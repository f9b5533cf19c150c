"""Runs the migrations on the connection that `Database.upgrade` hands over, in its transaction."""

from __future__ import annotations

from alembic import context

from sentinel.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
