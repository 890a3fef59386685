"""Texts that pages translate keep their template and values beside them.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MESSAGES = (
    ("runs", "title"),
    ("runs", "headline"),
    ("runs", "error"),
    ("units", "error"),
    ("scores", "refusal"),
    ("edits", "summary"),
    ("audit", "detail"),
)


def upgrade() -> None:
    """Add what this release stores; texts of older releases are shown as they are."""
    for table, name in MESSAGES:
        op.add_column(table, sa.Column(f"{name}_data", sa.JSON))


def downgrade() -> None:
    """Older programs restore a backup instead."""
    raise NotImplementedError("restore a backup that was made before the migration")
