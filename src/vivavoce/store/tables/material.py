"""What is examined: topics, bots, scenarios."""

from __future__ import annotations

import sqlalchemy as sa

from vivavoce.store.tables.columns import (
    Whole,
    Word,
    count,
    id_column,
    json_column,
    metadata,
    moment,
    number,
    reference,
    text,
    tuple_column,
    word,
)

projects = sa.Table(
    "projects",
    metadata,
    id_column(),
    sa.Column("slug", Word(80), nullable=False, unique=True),
    text("name"),
    word("language"),
    tuple_column("languages"),  # list of codes, the main one first
    word("classifier"),
    number("threshold"),
    moment("created"),
    count("version"),
)

topics = sa.Table(
    "topics",
    metadata,
    id_column(),
    reference("projects", "project_id"),
    sa.Column("name", Word(400), nullable=False),
    text("description"),
    word("owner"),
    moment("created"),
    sa.UniqueConstraint("project_id", "name"),
)

answers = sa.Table(
    "answers",
    metadata,
    id_column(),
    reference("topics", "topic_id"),
    word("language"),
    text("text"),
    sa.UniqueConstraint("topic_id", "language"),
)

# `topic_id` empty: out of scope. A topic goes only after its examples, so that none is lost or becomes out of scope.
examples = sa.Table(
    "examples",
    metadata,
    id_column(),
    reference("projects", "project_id"),
    sa.Column("topic_id", Word(32), sa.ForeignKey("topics.id", ondelete="RESTRICT")),
    text("text"),
    word("language"),
    word("source"),
    moment("created"),
    count("place"),
    sa.Index(None, "project_id", "topic_id"),
    sa.Index(None, "topic_id"),
)

bots = sa.Table(
    "bots",
    metadata,
    id_column(),
    reference("projects", "project_id"),
    word("name"),
    json_column("entry"),  # as an entry of bots.yaml; secrets only as names of environment variables
    moment("created"),
    sa.UniqueConstraint("project_id", "name"),
)

# `head`: the suite in YAML without its scenarios (defaults, lists, rows, parts, fallback).
suites = sa.Table(
    "suites",
    metadata,
    id_column(),
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
scenarios = sa.Table(
    "scenarios",
    metadata,
    id_column(),
    reference("suites", "suite_id"),
    word("name"),
    text("title"),
    word("domain"),
    word("level"),
    text("text"),
    count("version", 1),
    count("place"),
    moment("created"),
    sa.UniqueConstraint("suite_id", "name"),
)

scenario_versions = sa.Table(
    "scenario_versions",
    metadata,
    sa.Column("scenario_id", Word(32), primary_key=True),
    sa.Column("version", Whole, primary_key=True, autoincrement=False),
    text("text"),
    moment("at"),
    reference("users", "user_id", null=True),
    text("why"),
)
