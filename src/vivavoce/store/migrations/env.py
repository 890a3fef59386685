"""What Alembic runs: the revisions, over the connection and in the transaction that it is given."""

from __future__ import annotations

from alembic import context

from vivavoce.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    # New constraints get their names from the convention of the tables.
    target_metadata=metadata,
    # SQLite changes a table by making a new one.
    render_as_batch=True,
)
context.run_migrations()
