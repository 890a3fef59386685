"""Who changed what, when and why."""

from __future__ import annotations

import sqlalchemy as sa

from vivavoce.store.tables.columns import Whole, count, id_column, metadata, moment, reference, text, word

# Every change of material by a person or an import: who, when, why; undone by another edit.
edits = sa.Table(
    "edits",
    metadata,
    id_column(),
    reference("projects", "project_id"),
    moment("at"),
    reference("users", "user_id", null=True),
    word("action"),
    text("summary"),
    text("why"),
    word("undoes", null=True),
    word("undone_by", null=True),
    count("size"),
    sa.Index(None, "project_id", "at"),
)

# What an edit did to one row: its columns before and after (null: there was none).
changes = sa.Table(
    "changes",
    metadata,
    reference("edits", "edit_id", key=True),
    sa.Column("place", Whole, primary_key=True, autoincrement=False),
    word("noun"),
    word("noun_id"),
    word("topic_id", null=True),
    sa.Column("before", sa.JSON(none_as_null=True)),
    sa.Column("after", sa.JSON(none_as_null=True)),
    sa.Index(None, "noun", "noun_id"),
    sa.Index(None, "topic_id"),
)
