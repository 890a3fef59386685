"""The test set, decisions about problems, and forecasts of remedies that were applied.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what this release stores."""
    op.create_table(
        "reserved",
        sa.Column("id", sa.String(32), primary_key=True),
        _project(),
        sa.Column("topic_id", sa.String(32), sa.ForeignKey("topics.id", ondelete="RESTRICT")),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("language", sa.String(200), nullable=False),
        _moment(),
    )
    op.create_index("ix_reserved_project_id_topic_id", "reserved", ["project_id", "topic_id"])
    op.create_index("ix_reserved_topic_id", "reserved", ["topic_id"])
    op.create_table(
        "decisions",
        sa.Column("id", sa.String(32), primary_key=True),
        _project(),
        sa.Column("kind", sa.String(200), nullable=False),
        sa.Column("topics", sa.JSON, nullable=False),
        sa.Column("high", sa.Float),
        _moment(),
    )
    op.create_index("ix_decisions_project_id", "decisions", ["project_id"])
    op.create_table(
        "forecasts",
        sa.Column("id", sa.String(32), primary_key=True),
        _project(),
        sa.Column("edit_id", sa.String(32), sa.ForeignKey("edits.id", ondelete="CASCADE"), nullable=False),
        sa.Column("remedy", sa.String(200), nullable=False),
        sa.Column("topics", sa.JSON, nullable=False),
        *(sa.Column(name, sa.Float) for name in ("high_cost", "difference", "low", "high")),
        sa.Column("rounds", sa.Integer, nullable=False, server_default="0"),
        sa.Column("classifier", sa.String(200), nullable=False),
        sa.Column("threshold", sa.Float),
        _moment(),
    )
    op.create_index("ix_forecasts_project_id_created", "forecasts", ["project_id", "created"])
    op.create_index("ix_forecasts_edit_id", "forecasts", ["edit_id"])


def downgrade() -> None:
    """Older programs restore a backup instead."""
    raise NotImplementedError("restore a backup that was made before the migration")


def _project() -> sa.Column[str]:
    return sa.Column("project_id", sa.String(32), sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False)


def _moment() -> sa.Column[object]:
    return sa.Column("created", sa.DateTime(timezone=True), nullable=False)
