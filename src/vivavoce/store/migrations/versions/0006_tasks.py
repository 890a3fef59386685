"""What workers do for assistants, alarms, and what staff write to each other in the inbox.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# What a new assistant has, for those that are there already.
USUAL = "learn_hours = 24, feed_hours = 6, unanswered_hours = 24, least_automated = 0.4, most_wrong = 0.5"


def upgrade() -> None:
    """Add what this release stores."""
    for name in ("learn_hours", "feed_hours", "unanswered_hours"):
        op.add_column("assistants", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    for name in ("least_automated", "most_wrong"):
        op.add_column("assistants", sa.Column(name, sa.Float))
    op.execute(f"UPDATE assistants SET {USUAL}")  # noqa: S608 - a constant
    op.create_table(
        "comments",
        _id(), _reference("project_id", "projects"), _reference("message_id", "messages"),
        _reference("user_id", "users", null=True), sa.Column("text", sa.Text, nullable=False), _moment("created"),
    )  # fmt: skip
    op.create_index("ix_comments_message_id_created", "comments", ["message_id", "created"])
    op.create_table(
        "notices",
        _id(), _reference("project_id", "projects"), _reference("message_id", "messages"),
        _reference("user_id", "users"), _reference("author", "users", null=True), _word("kind"), _moment("created"),
        _moment("seen", null=True),
    )  # fmt: skip
    op.create_index("ix_notices_user_id_project_id_seen", "notices", ["user_id", "project_id", "seen"])
    _create_tasks()


def _create_tasks() -> None:
    op.create_table(
        "tasks",
        _id(), _reference("project_id", "projects"), _word("kind"), _reference("user_id", "users", null=True),
        sa.Column("options", sa.JSON, nullable=False), _word("state"), _moment("due"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"), _word("worker", null=True),
        _moment("lease_until", null=True), _moment("created"), _moment("started", null=True),
        _moment("finished", null=True), sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("outcome_data", sa.JSON), sa.Column("result", sa.JSON, nullable=False),
    )  # fmt: skip
    op.create_index("ix_tasks_project_id_kind_created", "tasks", ["project_id", "kind", "created"])
    is_open = sa.text("finished IS NULL")
    op.create_index(
        "ix_tasks_open", "tasks", ["project_id", "kind"], unique=True, sqlite_where=is_open, postgresql_where=is_open
    )


def downgrade() -> None:
    """Older programs restore a backup instead."""
    raise NotImplementedError("restore a backup that was made before the migration")


def _id() -> sa.Column[str]:
    return sa.Column("id", sa.String(32), primary_key=True)


def _reference(name: str, table: str, *, null: bool = False) -> sa.Column[str]:
    target = sa.ForeignKey(f"{table}.id", ondelete="SET NULL" if null else "CASCADE")
    return sa.Column(name, sa.String(32), target, nullable=null)


def _word(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(200), nullable=null)


def _moment(name: str, *, null: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=null)
