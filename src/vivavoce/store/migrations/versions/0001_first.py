"""The first schema of a workspace.

Revision ID: 0001
Revises: nothing
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables."""
    _create_people()
    _create_projects()
    _create_log()
    _create_bots()
    _create_edits()
    _create_runs()
    _create_units()
    _create_workers()
    _create_results()
    _create_outcomes()
    _create_talks()
    _create_options()


def downgrade() -> None:
    """There is nothing before the first schema."""
    raise NotImplementedError("nothing comes before the first schema")


# Kept as packed as this, the whole schema can be read at once.
# fmt: off


def _create_people() -> None:
    op.create_table(
        "users",
        _id(), _word("login"), _text("name"), _word("role"), _text("password", null=True), _word("language"),
        _flag("disabled"), _moment("created"), _moment("seen", null=True), sa.UniqueConstraint("login"),
    )
    op.create_table(
        "sessions",
        _id(), _word("secret", 64), _reference("user_id", "users"), _moment("created"), _moment("seen"),
        _moment("expires"), _text("agent"), sa.UniqueConstraint("secret"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_table(
        "tokens",
        _id(), _word("secret", 64), _reference("user_id", "users"), _text("name"), _json("scopes"),
        _moment("created"), _moment("expires", null=True), _moment("seen", null=True),
        _moment("revoked", null=True), sa.UniqueConstraint("secret"),
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])
    op.create_table(
        "links",
        _id(), _word("secret", 64), _word("purpose"), _reference("user_id", "users", null=True), _moment("created"),
        _moment("expires"), _moment("used", null=True), sa.UniqueConstraint("secret"),
    )


def _create_projects() -> None:
    op.create_table(
        "projects",
        _id(), _word("slug", 80), _text("name"), _word("language"), _json("languages"), _word("classifier"),
        sa.Column("threshold", sa.Float), _moment("created"), _count("version"), sa.UniqueConstraint("slug"),
    )
    op.create_table(
        "topics",
        _id(), _reference("project_id", "projects"), _word("name", 400), _text("description"), _word("owner"),
        _moment("created"), sa.UniqueConstraint("project_id", "name"),
    )
    op.create_table(
        "answers",
        _id(), _reference("topic_id", "topics"), _word("language"), _text("text"),
        sa.UniqueConstraint("topic_id", "language"),
    )
    op.create_table(
        "examples",
        _id(), _reference("project_id", "projects"),
        sa.Column("topic_id", sa.String(32), sa.ForeignKey("topics.id", ondelete="RESTRICT")), _text("text"),
        _word("language"), _word("source"), _moment("created"), _count("place"),
    )
    op.create_index("ix_examples_project_id_topic_id", "examples", ["project_id", "topic_id"])
    op.create_index("ix_examples_topic_id", "examples", ["topic_id"])


def _create_log() -> None:
    op.create_table(
        "attempts",
        _id(), _word("login"), _word("address"), _moment("at"), _flag("succeeded"),
    )
    op.create_index("ix_attempts_address_at", "attempts", ["address", "at"])
    op.create_index("ix_attempts_login_at", "attempts", ["login", "at"])
    op.create_table(
        "audit",
        _id(), _moment("at"), _reference("user_id", "users", null=True), _word("action"), _word("noun"),
        _word("noun_id"), _reference("project_id", "projects", null=True), _text("detail"), _word("address"),
    )
    op.create_index("ix_audit_at", "audit", ["at"])


def _create_bots() -> None:
    op.create_table(
        "bots",
        _id(), _reference("project_id", "projects"), _word("name"), _json("entry"), _moment("created"),
        sa.UniqueConstraint("project_id", "name"),
    )
    op.create_table(
        "suites",
        _id(), _reference("project_id", "projects"), _word("name"), _text("title"), _word("language"),
        _text("agent", null=True), _text("head"), _moment("created"), sa.UniqueConstraint("project_id", "name"),
    )
    op.create_table(
        "scenarios",
        _id(), _reference("suite_id", "suites"), _word("name"), _text("title"), _word("domain"), _word("level"),
        _text("text"), _count("version", 1), _count("place"), _moment("created"),
        sa.UniqueConstraint("suite_id", "name"),
    )
    op.create_table(
        "scenario_versions",
        _word("scenario_id", 32, key=True), sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        _text("text"), _moment("at"), _reference("user_id", "users", null=True), _text("why"),
    )


def _create_edits() -> None:
    op.create_table(
        "edits",
        _id(), _reference("project_id", "projects"), _moment("at"), _reference("user_id", "users", null=True),
        _word("action"), _text("summary"), _text("why"), _word("undoes", null=True), _word("undone_by", null=True),
        _count("size"),
    )
    op.create_index("ix_edits_project_id_at", "edits", ["project_id", "at"])
    op.create_table(
        "changes",
        _reference("edit_id", "edits", key=True),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False), _word("noun"), _word("noun_id"),
        _word("topic_id", null=True), _json("before", null=True), _json("after", null=True),
    )
    op.create_index("ix_changes_noun_noun_id", "changes", ["noun", "noun_id"])
    op.create_index("ix_changes_topic_id", "changes", ["topic_id"])


def _create_runs() -> None:
    op.create_table(
        "schedules",
        _id(), _reference("project_id", "projects"), _word("kind"), _text("title"), _json("options"),
        _count("minute_of_day"), _flag("enabled"), _moment("next_at"), _reference("user_id", "users", null=True),
        _moment("created"),
    )
    op.create_index("ix_schedules_enabled_next_at", "schedules", ["enabled", "next_at"])
    op.create_table(
        "runs",
        _id(), _reference("project_id", "projects"), _count("number"), _word("kind"), _text("title"),
        _word("state"), _json("options"), _count("version"), _count("total"), _count("done"), _count("failed"),
        _text("headline"), _text("error"), _reference("user_id", "users", null=True),
        _reference("schedule_id", "schedules", null=True), _word("suite_id", null=True), _word("code_version"),
        _word("data_hash"), _count("seed"), _moment("created"), _moment("started", null=True),
        _moment("finished", null=True), sa.UniqueConstraint("project_id", "number"),
    )
    op.create_index("ix_runs_project_id_kind_created", "runs", ["project_id", "kind", "created"])
    op.create_index("ix_runs_state", "runs", ["state"])


def _create_units() -> None:
    op.create_table(
        "materials",
        _reference("run_id", "runs", key=True), sa.Column("content", sa.LargeBinary),
    )
    op.create_table(
        "units",
        _id(), _reference("run_id", "runs"), _text("key"), _text("title"), _count("place"), _count("phase"),
        _word("bot"), _word("limit_key"), _word("state"), _count("attempts"), _word("worker", null=True),
        _moment("lease_until", null=True), _moment("started", null=True), _moment("finished", null=True),
        _text("error"), sa.Column("result", sa.LargeBinary), sa.UniqueConstraint("run_id", "key"),
    )
    op.create_index("ix_units_run_id_state_phase_place", "units", ["run_id", "state", "phase", "place"])
    op.create_index("ix_units_state_limit_key", "units", ["state", "limit_key"])


def _create_workers() -> None:
    op.create_table(
        "workers",
        _id(), _word("host"), _count("pid"), _moment("started"), _moment("seen"),
    )
    op.create_table(
        "paces",
        _word("key", key=True), _moment("next_at"),
    )


def _create_results() -> None:
    op.create_table(
        "turns",
        _reference("unit_id", "units", key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False), _reference("run_id", "runs"),
        _word("bot"), _text("script"), _text("scenario"), _word("domain"), _word("level"), _word("kind"),
        _count("repeat"), _text("sent"), _text("reply"), _word("status"), _word("outcome"), _json("detail"),
        sa.Column("first_ms", sa.Float),
    )
    op.create_index("ix_turns_run_id_bot_script", "turns", ["run_id", "bot", "script"])
    op.create_index("ix_turns_run_id_outcome", "turns", ["run_id", "outcome"])


def _create_outcomes() -> None:
    op.create_table(
        "outcomes",
        _reference("run_id", "runs", key=True),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False), _text("text"),
        _word("intent", 400, null=True), _word("guess", 400, null=True), sa.Column("confidence", sa.Float),
        _word("outcome"), _count("right"), _count("deferred"), _count("wrong"),
    )
    op.create_index("ix_outcomes_run_id_intent", "outcomes", ["run_id", "intent"])
    op.create_table(
        "measures",
        _reference("run_id", "runs", key=True), _word("scope", key=True), _word("name", 100, key=True),
        sa.Column("value", sa.Float), sa.Column("low", sa.Float), sa.Column("high", sa.Float), _count("n"),
    )
    op.create_table(
        "documents",
        _reference("run_id", "runs", key=True), _word("name", key=True), _word("media"),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def _create_talks() -> None:
    op.create_table(
        "dialogues",
        _id(), _reference("project_id", "projects"), _word("name", 400), _word("batch"), _word("bot", null=True),
        _word("person", null=True), _text("source"), sa.Column("passed", sa.Boolean), _json("turns"),
        _count("place"), _moment("created"), sa.UniqueConstraint("project_id", "name"),
    )
    op.create_index("ix_dialogues_project_id_batch", "dialogues", ["project_id", "batch"])
    op.create_table(
        "scores",
        _reference("run_id", "runs", key=True), _reference("dialogue_id", "dialogues", key=True),
        sa.Column("score", sa.Float), sa.Column("low", sa.Float), sa.Column("high", sa.Float), _text("refusal"),
        _json("detail"),
    )
    op.create_index("ix_scores_dialogue_id", "scores", ["dialogue_id"])
    op.create_table(
        "ratings",
        _id(), _reference("dialogue_id", "dialogues"), sa.Column("turn", sa.Integer, nullable=False),
        _reference("user_id", "users", null=True), _word("rater"), sa.Column("quality", sa.Float),
        _word("verdict", null=True), _moment("created"), sa.UniqueConstraint("dialogue_id", "turn", "rater"),
    )


def _create_options() -> None:
    op.create_table(
        "options",
        _word("name", 100, key=True), _json("value"),
    )


# fmt: on


def _id() -> sa.Column[str]:
    return sa.Column("id", sa.String(32), primary_key=True)


def _reference(name: str, table: str, *, null: bool = False, key: bool = False) -> sa.Column[str]:
    target = sa.ForeignKey(f"{table}.id", ondelete="SET NULL" if null else "CASCADE")
    return sa.Column(name, sa.String(32), target, nullable=null, primary_key=key)


def _word(name: str, length: int = 200, *, null: bool = False, key: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=null, primary_key=key)


def _text(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=null)


def _moment(name: str, *, null: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=null)


def _count(name: str, default: int = 0) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, server_default=str(default))


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _json(name: str, *, null: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.JSON, nullable=null)
