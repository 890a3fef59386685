"""Runs take turns by when they were last served.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what this release stores."""
    op.add_column("runs", sa.Column("served", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    """Older programs restore a backup instead."""
    raise NotImplementedError("restore a backup that was made before the migration")
