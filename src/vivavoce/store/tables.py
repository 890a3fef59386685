"""All tables of a workspace: people, material, edits, runs, logged dialogues."""

from __future__ import annotations

import sqlalchemy as sa

from vivavoce.store.columns import (
    Prose,
    Whole,
    Word,
    choice,
    count,
    each,
    flag,
    json_column,
    message,
    moment,
    noted_column,
    number,
    reference,
    text,
    tuple_column,
    word,
)
from vivavoce.store.rows import Role, RunState, UnitState

# Every constraint has a name, so that a migration can change it on every database.
metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _table(name: str, *parts: sa.schema.SchemaItem) -> sa.Table:
    return sa.Table(name, metadata, *parts)


def _table_with_id(name: str, *parts: sa.schema.SchemaItem) -> sa.Table:
    return sa.Table(name, metadata, sa.Column("id", Word(32), primary_key=True), *parts)


# --- people and how they come in ---------------------------------------------------------------------------------

users = _table_with_id(
    "users",
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
sessions = _table_with_id(
    "sessions",
    sa.Column("secret", Word(64), nullable=False, unique=True),
    reference("users", "user_id"),
    *each(moment, "created", "seen", "expires"),
    text("agent"),
    sa.Index(None, "user_id"),
)

tokens = _table_with_id(
    "tokens",
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
links = _table_with_id(
    "links",
    sa.Column("secret", Word(64), nullable=False, unique=True),
    word("purpose"),
    reference("users", "user_id", null=True),
    *each(moment, "created", "expires"),
    moment("used", null=True),
)

# Attempts to sign in, for throttling; `login` and `address` are keys that name nobody.
attempts = _table_with_id(
    "attempts",
    *each(word, "login", "address"),
    moment("at"),
    flag("succeeded"),
    sa.Index(None, "login", "at"),
    sa.Index(None, "address", "at"),
)

audit = _table_with_id(
    "audit",
    moment("at"),
    reference("users", "user_id", null=True),
    *each(word, "action", "noun", "noun_id"),
    reference("projects", "project_id", null=True),
    *message("detail"),
    word("address"),
    sa.Index(None, "at"),
)

# --- what is examined: topics, bots, scenarios -------------------------------------------------------------------

projects = _table_with_id(
    "projects",
    sa.Column("slug", Word(80), nullable=False, unique=True),
    text("name"),
    word("language"),
    tuple_column("languages"),  # list of codes, the main one first
    word("classifier"),
    number("threshold"),
    moment("created"),
    count("version"),
)

topics = _table_with_id(
    "topics",
    reference("projects", "project_id"),
    sa.Column("name", Word(400), nullable=False),
    text("description"),
    word("owner"),
    moment("created"),
    sa.UniqueConstraint("project_id", "name"),
)

answers = _table_with_id(
    "answers",
    reference("topics", "topic_id"),
    word("language"),
    text("text"),
    sa.UniqueConstraint("topic_id", "language"),
)

# `topic_id` empty: out of scope. A topic goes only after its examples, so that none is lost or becomes out of scope.
examples = _table_with_id(
    "examples",
    reference("projects", "project_id"),
    sa.Column("topic_id", Word(32), sa.ForeignKey("topics.id", ondelete="RESTRICT")),
    text("text"),
    *each(word, "language", "source"),
    moment("created"),
    count("place"),
    sa.Index(None, "project_id", "topic_id"),
    sa.Index(None, "topic_id"),
)

bots = _table_with_id(
    "bots",
    reference("projects", "project_id"),
    word("name"),
    json_column("entry"),  # as an entry of bots.yaml; secrets only as names of environment variables
    moment("created"),
    sa.UniqueConstraint("project_id", "name"),
)

# `head`: the suite in YAML without its scenarios (defaults, lists, rows, parts, fallback).
suites = _table_with_id(
    "suites",
    reference("projects", "project_id"),
    word("name"),
    text("title"),
    word("language"),
    text("agent", null=True),
    text("head"),
    moment("created"),
    sa.UniqueConstraint("project_id", "name"),
)

# `text`: the scenario in YAML; `version` counts up with every save, the versions before are kept.
scenarios = _table_with_id(
    "scenarios",
    reference("suites", "suite_id"),
    word("name"),
    text("title"),
    *each(word, "domain", "level"),
    text("text"),
    count("version", 1),
    count("place"),
    moment("created"),
    sa.UniqueConstraint("suite_id", "name"),
)

scenario_versions = _table(
    "scenario_versions",
    sa.Column("scenario_id", Word(32), primary_key=True),
    sa.Column("version", Whole, primary_key=True, autoincrement=False),
    text("text"),
    moment("at"),
    reference("users", "user_id", null=True),
    text("why"),
)

# --- who changed what, when and why ------------------------------------------------------------------------------

# Every change of material by a person or an import: who, when, why; undone by another edit.
edits = _table_with_id(
    "edits",
    reference("projects", "project_id"),
    moment("at"),
    reference("users", "user_id", null=True),
    word("action"),
    *message("summary"),
    text("why"),
    word("undoes", null=True),
    word("undone_by", null=True),
    count("size"),
    sa.Index(None, "project_id", "at"),
)

# What an edit did to one row: its columns before and after (null: there was none).
changes = _table(
    "changes",
    reference("edits", "edit_id", key=True),
    sa.Column("place", Whole, primary_key=True, autoincrement=False),
    *each(word, "noun", "noun_id"),
    word("topic_id", null=True),
    sa.Column("before", sa.JSON(none_as_null=True)),
    sa.Column("after", sa.JSON(none_as_null=True)),
    sa.Index(None, "noun", "noun_id"),
    sa.Index(None, "topic_id"),
)

# --- exams: their units, what came of them, and what they found --------------------------------------------------

runs = _table_with_id(
    "runs",
    reference("projects", "project_id"),
    count("number"),
    word("kind"),
    *message("title"),
    choice("state", RunState),
    json_column("options"),  # as the exam checked them
    *each(count, "version", "total", "done", "failed"),
    *message("headline"),
    *message("error"),
    reference("users", "user_id", null=True),
    reference("schedules", "schedule_id", null=True),
    word("suite_id", null=True),
    *each(word, "code_version", "data_hash"),
    count("seed"),
    moment("created"),
    moment("started", null=True),
    moment("finished", null=True),
    count("served"),  # the turn in which it last got a unit
    sa.UniqueConstraint("project_id", "number"),
    sa.Index(None, "project_id", "kind", "created"),
    sa.Index(None, "state"),
)

# What a run was made of, as it was then.
materials = _table("materials", reference("runs", "run_id", key=True), sa.Column("content", sa.LargeBinary))

units = _table_with_id(
    "units",
    reference("runs", "run_id"),
    sa.Column("key", Prose, nullable=False),
    text("title"),
    *each(count, "place", "phase"),
    *each(word, "bot", "limit_key"),
    choice("state", UnitState),
    count("attempts"),
    word("worker", null=True),
    moment("lease_until", null=True),
    moment("started", null=True),
    moment("finished", null=True),
    *message("error"),
    sa.Column("result", sa.LargeBinary),
    sa.UniqueConstraint("run_id", "key"),
    sa.Index(None, "run_id", "state", "phase", "place"),
    sa.Index(None, "state", "limit_key"),
)

# One message of a scripted conversation and what came of it.
turns = _table(
    "turns",
    reference("units", "unit_id", key=True),
    sa.Column("number", Whole, primary_key=True, autoincrement=False),
    reference("runs", "run_id"),
    word("bot"),
    *each(text, "script", "scenario"),
    *each(word, "domain", "level", "kind"),
    count("repeat"),
    *each(text, "sent", "reply"),
    *each(word, "status", "outcome"),
    noted_column("detail"),  # reasons, expected, intent, confidence, attempts, in_scope, fallback
    number("first_ms"),
    sa.Index(None, "run_id", "outcome"),
    sa.Index(None, "run_id", "bot", "script"),
)

# One question of an intents exam and what came of it over all retries of the first setting.
outcomes = _table(
    "outcomes",
    reference("runs", "run_id", key=True),
    sa.Column("place", Whole, primary_key=True, autoincrement=False),
    text("text"),
    sa.Column("intent", Word(400)),
    sa.Column("guess", Word(400)),
    number("confidence"),
    word("outcome"),
    *each(count, "right", "deferred", "wrong"),
    sa.Index(None, "run_id", "intent"),
)

# Numbers that are followed over time.
measures = _table(
    "measures",
    reference("runs", "run_id", key=True),
    sa.Column("scope", Word(200), primary_key=True),
    sa.Column("name", Word(100), primary_key=True),
    *each(number, "value", "low", "high"),
    count("n"),
)

# Findings, reports and charts of a run, compressed.
documents = _table(
    "documents",
    reference("runs", "run_id", key=True),
    sa.Column("name", Word(200), primary_key=True),
    word("media"),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

schedules = _table_with_id(
    "schedules",
    reference("projects", "project_id"),
    word("kind"),
    text("title"),
    json_column("options"),  # what the run is started with
    count("minute_of_day"),
    flag("enabled"),
    moment("next_at"),
    reference("users", "user_id", null=True),
    moment("created"),
    sa.Index(None, "enabled", "next_at"),
)

# When the next message may be sent to a bot, over all workers.
paces = _table("paces", sa.Column("key", Word(200), primary_key=True), moment("next_at"))

workers = _table_with_id("workers", word("host"), count("pid"), moment("started"), moment("seen"))

# --- logged talks, their scores and marks; what holds for the whole workspace ------------------------------------

# Logged talks; `turns` as in the exchange format of dialogues.
dialogues = _table_with_id(
    "dialogues",
    reference("projects", "project_id"),
    sa.Column("name", Word(400), nullable=False),
    word("batch"),
    word("bot", null=True),
    word("person", null=True),
    text("source"),
    sa.Column("passed", sa.Boolean),
    tuple_column("turns"),  # list of {speaker, text, is_bot?, thumb?}
    count("place"),
    moment("created"),
    sa.UniqueConstraint("project_id", "name"),
    sa.Index(None, "project_id", "batch"),
)

scores = _table(
    "scores",
    reference("runs", "run_id", key=True),
    reference("dialogues", "dialogue_id", key=True),
    *each(number, "score", "low", "high"),
    *message("refusal"),
    noted_column("detail"),  # effects of messages, reasons, warnings
    sa.Index(None, "dialogue_id"),
)

# What a person thinks of a talk (quality 1 to 5) or of one answer in it (verdict yes, no, unsure).
ratings = _table_with_id(
    "ratings",
    reference("dialogues", "dialogue_id"),
    sa.Column("turn", Whole, nullable=False),  # 0: the whole talk
    reference("users", "user_id", null=True),
    word("rater"),
    number("quality"),
    word("verdict", null=True),
    moment("created"),
    sa.UniqueConstraint("dialogue_id", "turn", "rater"),
)

# What holds for the whole workspace, and the text of help that people wrote.
options = _table("options", sa.Column("name", Word(100), primary_key=True), json_column("value"))
