"""People and how they come in."""

from __future__ import annotations

import sqlalchemy as sa

from vivavoce.store.rows.people import Role
from vivavoce.store.tables.columns import (
    Word,
    choice,
    flag,
    id_column,
    metadata,
    moment,
    reference,
    text,
    tuple_column,
    word,
)

users = sa.Table(
    "users",
    metadata,
    id_column(),
    sa.Column("login", Word(200), nullable=False, unique=True),
    text("name"),
    choice("role", Role),
    text("password", null=True),
    word("language"),
    flag("disabled"),
    moment("created"),
    moment("seen", null=True),
)

# Sign-ins, one row for each browser; only the hash of the secret is kept.
sessions = sa.Table(
    "sessions",
    metadata,
    id_column(),
    sa.Column("secret", Word(64), nullable=False, unique=True),
    reference("users", "user_id"),
    moment("created"),
    moment("seen"),
    moment("expires"),
    text("agent"),
    sa.Index(None, "user_id"),
)

tokens = sa.Table(
    "tokens",
    metadata,
    id_column(),
    sa.Column("secret", Word(64), nullable=False, unique=True),
    reference("users", "user_id"),
    text("name"),
    tuple_column("scopes"),  # list of names
    moment("created"),
    moment("expires", null=True),
    moment("seen", null=True),
    moment("revoked", null=True),
    sa.Index(None, "user_id"),
)

# One-time links: set-up of a workspace, invitations, a new password.
links = sa.Table(
    "links",
    metadata,
    id_column(),
    sa.Column("secret", Word(64), nullable=False, unique=True),
    word("purpose"),
    reference("users", "user_id", null=True),
    moment("created"),
    moment("expires"),
    moment("used", null=True),
)

# Attempts to sign in, for throttling; `login` and `address` are keys that name nobody.
attempts = sa.Table(
    "attempts",
    metadata,
    id_column(),
    word("login"),
    word("address"),
    moment("at"),
    flag("succeeded"),
    sa.Index(None, "login", "at"),
    sa.Index(None, "address", "at"),
)

audit = sa.Table(
    "audit",
    metadata,
    id_column(),
    moment("at"),
    reference("users", "user_id", null=True),
    word("action"),
    word("noun"),
    word("noun_id"),
    reference("projects", "project_id", null=True),
    text("detail"),
    word("address"),
    sa.Index(None, "at"),
)
