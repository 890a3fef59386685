"""The recruiting assistant: talks with visitors, reviews, openings with a full-text index, subscriptions, mail.

Revision ID: 0005
Revises: 0003
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# The words of openings: SQLite keeps them in a table of its own, in which the id is a word, too; PostgreSQL needs an
# index only. The tokens are made by the application, so nothing is parsed or stemmed here.
WORDS = {
    "sqlite": (
        "CREATE VIRTUAL TABLE openings_words USING fts5(id, tokens, tokenize='unicode61 remove_diacritics 0')",
        "CREATE TRIGGER openings_words_add AFTER INSERT ON openings BEGIN "
        "INSERT INTO openings_words (id, tokens) VALUES (new.id, new.tokens); END",
        "CREATE TRIGGER openings_words_drop AFTER DELETE ON openings BEGIN DELETE FROM openings_words WHERE rowid IN "
        "(SELECT rowid FROM openings_words WHERE openings_words MATCH 'id : \"' || old.id || '\"'); END",
        "CREATE TRIGGER openings_words_change AFTER UPDATE OF tokens ON openings BEGIN "
        "UPDATE openings_words SET tokens = new.tokens WHERE rowid IN "
        "(SELECT rowid FROM openings_words WHERE openings_words MATCH 'id : \"' || old.id || '\"'); END",
    ),
    "postgresql": (
        "CREATE INDEX openings_words ON openings USING gin (array_to_tsvector(string_to_array(tokens, ' ')))",
    ),
}


def upgrade() -> None:
    """Add what this release stores."""
    _create_talks()
    _create_mail()
    for statement in WORDS[op.get_bind().dialect.name]:
        op.execute(statement)


def downgrade() -> None:
    """Older programs restore a backup instead."""
    raise NotImplementedError("restore a backup that was made before the migration")


# fmt: off


def _create_talks() -> None:
    op.create_table(
        "assistants",
        _reference("project_id", "projects", key=True), _flag("enabled"), _json("languages"), _json("stages"),
        _share("general_threshold"), _share("faq_threshold"), _share("choice_threshold"), _share("random_share"),
        _text("consent"), _json("origins"), _count("retention_days"), _text("feed"), _count("build"),
        _moment("learned", null=True), _moment("changed"), sa.Column("material", sa.LargeBinary),
    )
    op.create_table(
        "visitors",
        _id(), _reference("project_id", "projects"), _text("address"), _moment("created"), _moment("seen"),
        _word("secret", 64), sa.UniqueConstraint("secret"),
    )
    op.create_index("ix_visitors_project_id_created", "visitors", ["project_id", "created"])
    op.create_table(
        "talks",
        _id(), _reference("project_id", "projects"), _reference("visitor_id", "visitors"), _json("state"),
        _word("language"), _reference("assigned", "users", null=True), _count("size"), _moment("created"),
        _moment("seen"),
    )
    op.create_index("ix_talks_visitor_id_created", "talks", ["visitor_id", "created"])
    op.create_index("ix_talks_project_id_seen", "talks", ["project_id", "seen"])
    op.create_table(
        "messages",
        _id(), _reference("project_id", "projects"), _reference("talk_id", "talks"), _count("number"),
        _word("key", 64), _word("author"), _reference("user_id", "users", null=True), _text("text"),
        _word("language"), _word("stage"), _word("intent", 400, null=True), _share("confidence"),
        _json("candidates"), _json("reply"), _word("hand_over"), _word("skipped"), _flag("drawn"), _share("chance"),
        _word("waiting"), _share("gain"), _count("build"), _moment("created"),
        sa.UniqueConstraint("talk_id", "number"), sa.UniqueConstraint("talk_id", "key"),
    )
    op.create_index("ix_messages_project_id_created", "messages", ["project_id", "created"])
    op.create_index("ix_messages_project_id_waiting", "messages", ["project_id", "waiting"])
    op.create_table(
        "reviews",
        _id(), _reference("project_id", "projects"), _reference("message_id", "messages"),
        _reference("user_id", "users", null=True), _word("verdict"), _word("topic", 400, null=True), _word("why"),
        _word("edit_id", null=True), _moment("created"), _moment("undone", null=True),
    )
    op.create_index("ix_reviews_message_id", "reviews", ["message_id"])
    op.create_index("ix_reviews_project_id_created", "reviews", ["project_id", "created"])


def _create_mail() -> None:
    op.create_table(
        "openings",
        _id(), _reference("project_id", "projects"), _word("ref"), _text("title"), _text("profession"),
        _text("place"), _word("country"), _word("language"), _text("department"), _text("contract"),
        _text("description"), _text("url"), _word("posted"), _text("tokens"),
        sa.UniqueConstraint("project_id", "ref"),
    )
    op.create_table(
        "subscriptions",
        _id(), _reference("project_id", "projects"), _reference("visitor_id", "visitors", null=True),
        _word("address"), _text("profession"), _text("place"), _word("language"), _moment("created"),
        _moment("confirmed", null=True), _moment("ended", null=True), _moment("told", null=True),
        _word("secret", 64), sa.UniqueConstraint("secret"),
    )
    op.create_index("ix_subscriptions_project_id", "subscriptions", ["project_id"])
    op.create_table(
        "mails",
        _id(), _reference("project_id", "projects"), _reference("visitor_id", "visitors", null=True),
        _word("address"), _text("subject"), _text("body"), _text("unsubscribe"), _moment("created"),
        _moment("next_at"), _count("attempts"), _moment("sent", null=True), _text("error"),
    )
    op.create_index("ix_mails_sent_next_at", "mails", ["sent", "next_at"])
    op.create_index("ix_mails_project_id_created", "mails", ["project_id", "created"])


# fmt: on


def _id() -> sa.Column[str]:
    return sa.Column("id", sa.String(32), primary_key=True)


def _reference(name: str, table: str, *, null: bool = False, key: bool = False) -> sa.Column[str]:
    target = sa.ForeignKey(f"{table}.id", ondelete="SET NULL" if null else "CASCADE")
    return sa.Column(name, sa.String(32), target, nullable=null, primary_key=key)


def _word(name: str, length: int = 200, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=null)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _moment(name: str, *, null: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=null)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, server_default="0")


def _share(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _json(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.JSON, nullable=False)
