"""Logged talks, their scores and marks; what holds for the whole workspace."""

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

# Logged talks; `turns` as in the exchange format of dialogues.
dialogues = sa.Table(
    "dialogues",
    metadata,
    id_column(),
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

scores = sa.Table(
    "scores",
    metadata,
    reference("runs", "run_id", key=True),
    reference("dialogues", "dialogue_id", key=True),
    number("score"),
    number("low"),
    number("high"),
    text("refusal"),
    json_column("detail"),  # effects of messages, reasons, warnings
    sa.Index(None, "dialogue_id"),
)

# What a person thinks of a talk (quality 1 to 5) or of one answer in it (verdict yes, no, unsure).
ratings = sa.Table(
    "ratings",
    metadata,
    id_column(),
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
options = sa.Table("options", metadata, sa.Column("name", Word(100), primary_key=True), json_column("value"))
