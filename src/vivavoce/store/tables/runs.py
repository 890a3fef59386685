"""Exams: their units, what came of them, and what they found."""

from __future__ import annotations

import sqlalchemy as sa

from vivavoce.store.rows.runs import RunState, UnitState
from vivavoce.store.tables.columns import (
    Prose,
    Whole,
    Word,
    choice,
    count,
    flag,
    id_column,
    json_column,
    metadata,
    moment,
    number,
    reference,
    text,
    word,
)

runs = sa.Table(
    "runs",
    metadata,
    id_column(),
    reference("projects", "project_id"),
    count("number"),
    word("kind"),
    text("title"),
    choice("state", RunState),
    json_column("options"),  # as the exam checked them
    count("version"),
    count("total"),
    count("done"),
    count("failed"),
    text("headline"),
    text("error"),
    reference("users", "user_id", null=True),
    reference("schedules", "schedule_id", null=True),
    word("suite_id", null=True),
    word("code_version"),
    word("data_hash"),
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
materials = sa.Table(
    "materials", metadata, reference("runs", "run_id", key=True), sa.Column("content", sa.LargeBinary)
)

units = sa.Table(
    "units",
    metadata,
    id_column(),
    reference("runs", "run_id"),
    sa.Column("key", Prose, nullable=False),
    text("title"),
    count("place"),
    count("phase"),
    word("bot"),
    word("limit_key"),
    choice("state", UnitState),
    count("attempts"),
    word("worker", null=True),
    moment("lease_until", null=True),
    moment("started", null=True),
    moment("finished", null=True),
    text("error"),
    sa.Column("result", sa.LargeBinary),
    sa.UniqueConstraint("run_id", "key"),
    sa.Index(None, "run_id", "state", "phase", "place"),
    sa.Index(None, "state", "limit_key"),
)

# One message of a scripted conversation and what came of it.
turns = sa.Table(
    "turns",
    metadata,
    reference("units", "unit_id", key=True),
    sa.Column("number", Whole, primary_key=True, autoincrement=False),
    reference("runs", "run_id"),
    word("bot"),
    text("script"),
    text("scenario"),
    word("domain"),
    word("level"),
    word("kind"),
    count("repeat"),
    text("sent"),
    text("reply"),
    word("status"),
    word("outcome"),
    json_column("detail"),  # reasons, expected, intent, confidence, attempts, in_scope, fallback
    number("first_ms"),
    sa.Index(None, "run_id", "outcome"),
    sa.Index(None, "run_id", "bot", "script"),
)

# One question of an intents exam and what came of it over all retries of the first setting.
outcomes = sa.Table(
    "outcomes",
    metadata,
    reference("runs", "run_id", key=True),
    sa.Column("place", Whole, primary_key=True, autoincrement=False),
    text("text"),
    sa.Column("intent", Word(400)),
    sa.Column("guess", Word(400)),
    number("confidence"),
    word("outcome"),
    count("right"),
    count("deferred"),
    count("wrong"),
    sa.Index(None, "run_id", "intent"),
)

# Numbers that are followed over time.
measures = sa.Table(
    "measures",
    metadata,
    reference("runs", "run_id", key=True),
    sa.Column("scope", Word(200), primary_key=True),
    sa.Column("name", Word(100), primary_key=True),
    number("value"),
    number("low"),
    number("high"),
    count("n"),
)

# Findings, reports and charts of a run, compressed.
documents = sa.Table(
    "documents",
    metadata,
    reference("runs", "run_id", key=True),
    sa.Column("name", Word(200), primary_key=True),
    word("media"),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

schedules = sa.Table(
    "schedules",
    metadata,
    id_column(),
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
paces = sa.Table("paces", metadata, sa.Column("key", Word(200), primary_key=True), moment("next_at"))

workers = sa.Table("workers", metadata, id_column(), word("host"), count("pid"), moment("started"), moment("seen"))
