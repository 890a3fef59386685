"""All tables of a workspace: people, material, edits, runs, logged dialogues.

The columns follow from the fields of the rows; what is written here is what rows do not say.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from vivavoce.store import rows
from vivavoce.store.columns import Moment, Prose, Whole, Word, derive_columns

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


def _table(name: str, row: type[Any], *parts: sa.schema.SchemaItem, key: str = "id", without: str = "") -> sa.Table:
    """Make the table of a row; `key`: its primary key. A column among the parts replaces that of a field."""
    own = {part.name: part for part in parts if isinstance(part, sa.Column)}
    columns = [own.pop(column.name, column) for column in derive_columns(row, key.split()) if column.name != without]
    others = [part for part in parts if not isinstance(part, sa.Column)]
    return sa.Table(name, metadata, *columns, *own.values(), *others)


def _id(name: str, *parts: sa.schema.SchemaItem, **options: Any) -> sa.Column[str]:
    return sa.Column(name, Word(32), *parts, **options)


def _secret() -> sa.Column[str]:
    """Return the column for the hash of a secret; the secret itself is not kept."""
    return sa.Column("secret", Word(64), nullable=False, unique=True)


users = _table("users", rows.User, sa.UniqueConstraint("login"))
# Sign-ins, one row for each browser.
sessions = _table("sessions", rows.SignIn, _secret(), sa.Index(None, "user_id"))
tokens = _table("tokens", rows.Token, _secret(), sa.Index(None, "user_id"))
# One-time links: set-up of a workspace, invitations, a new password.
links = _table("links", rows.Link, _secret())
# Attempts to sign in, for throttling.
attempts = _table(
    "attempts",
    rows.AttemptRow,
    _id("id", primary_key=True),
    sa.Index(None, "login", "at"),
    sa.Index(None, "address", "at"),
)
audit = _table("audit", rows.AuditLine, sa.Index(None, "at"))

projects = _table("projects", rows.Project, sa.UniqueConstraint("slug"))
topics = _table("topics", rows.Topic, sa.UniqueConstraint("project_id", "name"), without="answers")
answers = sa.Table(
    "answers",
    metadata,
    _id("id", primary_key=True),
    _id("topic_id", sa.ForeignKey("topics.id", ondelete="CASCADE"), nullable=False),
    sa.Column("language", Word(200), nullable=False),
    sa.Column("text", Prose, nullable=False),
    sa.UniqueConstraint("topic_id", "language"),
)
# A topic goes only after its examples, so that none is lost or becomes out of scope.
examples = _table(
    "examples",
    rows.ExampleRow,
    _id("topic_id", sa.ForeignKey("topics.id", ondelete="RESTRICT")),
    sa.Index(None, "project_id", "topic_id"),
    sa.Index(None, "topic_id"),
)
# Questions of the test set: a table of their own, so that no edit of examples can touch them.
reserved = _table(
    "reserved",
    rows.ReservedRow,
    _id("topic_id", sa.ForeignKey("topics.id", ondelete="RESTRICT")),
    sa.Index(None, "project_id", "topic_id"),
    sa.Index(None, "topic_id"),
)
decisions = _table("decisions", rows.DecisionRow, sa.Index(None, "project_id"))
bots = _table("bots", rows.BotRow, sa.UniqueConstraint("project_id", "name"))
suites = _table("suites", rows.SuiteRow, sa.UniqueConstraint("project_id", "name"))
# `version` counts up with every save, the versions before are kept.
scenarios = _table(
    "scenarios",
    rows.ScenarioRow,
    sa.Column("version", Whole, nullable=False, server_default="1"),
    sa.UniqueConstraint("suite_id", "name"),
)
scenario_versions = _table("scenario_versions", rows.ScenarioVersion, key="scenario_id version")

# Every change of material by a person or an import: who, when, why; undone by another edit.
edits = _table("edits", rows.Edit, sa.Index(None, "project_id", "at"))
# What an edit did to one row: its columns before and after (null: there was none).
changes = _table(
    "changes",
    rows.Change,
    _id("edit_id", sa.ForeignKey("edits.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("place", Whole, primary_key=True, autoincrement=False),
    sa.Column("before", sa.JSON(none_as_null=True)),
    sa.Column("after", sa.JSON(none_as_null=True)),
    sa.Index(None, "noun", "noun_id"),
    sa.Index(None, "topic_id"),
)

# Forecasts of remedies that were applied, to be held against what exams found afterwards.
forecasts = _table("forecasts", rows.ForecastRow, sa.Index(None, "project_id", "created"), sa.Index(None, "edit_id"))

runs = _table(
    "runs",
    rows.Run,
    sa.UniqueConstraint("project_id", "number"),
    sa.Index(None, "project_id", "kind", "created"),
    sa.Index(None, "state"),
)
# What a run was made of, as it was then.
materials = sa.Table(
    "materials",
    metadata,
    _id("run_id", sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("content", sa.LargeBinary),
)
units = _table(
    "units",
    rows.Unit,
    sa.Column("result", sa.LargeBinary),
    sa.UniqueConstraint("run_id", "key"),
    sa.Index(None, "run_id", "state", "phase", "place"),
    sa.Index(None, "state", "limit_key"),
)
turns = _table(
    "turns",
    rows.TurnRow,
    sa.Index(None, "run_id", "outcome"),
    sa.Index(None, "run_id", "bot", "script"),
    key="unit_id number",
)
# Questions and what came of them over all rounds of the first setting.
outcomes = _table("outcomes", rows.OutcomeRow, sa.Index(None, "run_id", "intent"), key="run_id place")
# Numbers that are followed over time.
measures = _table("measures", rows.MeasureRow, key="run_id scope name")
# Findings, reports and charts of a run, compressed.
documents = _table("documents", rows.DocumentRow, key="run_id name")
schedules = _table("schedules", rows.Schedule, sa.Index(None, "enabled", "next_at"))
# When the next message may be sent to a bot, over all workers.
paces = sa.Table(
    "paces",
    metadata,
    sa.Column("key", Word(200), primary_key=True),
    sa.Column("next_at", Moment, nullable=False),
)
workers = _table("workers", rows.WorkerRow)

dialogues = _table(
    "dialogues",
    rows.DialogueRow,
    sa.UniqueConstraint("project_id", "name"),
    sa.Index(None, "project_id", "batch"),
)
scores = _table("scores", rows.ScoreRow, sa.Index(None, "dialogue_id"), key="run_id dialogue_id")
# What people think: of a dialogue (`turn` 0) or of one answer in it.
ratings = _table(
    "ratings",
    rows.RatingRow,
    sa.Column("turn", Whole, nullable=False),
    sa.UniqueConstraint("dialogue_id", "turn", "rater"),
)

# `material`: the examples that an assistant has learned, as they were then.
assistants = _table("assistants", rows.AssistantRow, sa.Column("material", sa.LargeBinary), key="project_id")
# Visitors of an assistant; the key in their browser is known by its hash only.
visitors = _table("visitors", rows.VisitorRow, _secret(), sa.Index(None, "project_id", "created"))
talks = _table("talks", rows.TalkRow, sa.Index(None, "visitor_id", "created"), sa.Index(None, "project_id", "seen"))
messages = _table(
    "messages",
    rows.MessageRow,
    sa.UniqueConstraint("talk_id", "number"),
    sa.UniqueConstraint("talk_id", "key"),
    sa.Index(None, "project_id", "created"),
    sa.Index(None, "project_id", "waiting"),
)
reviews = _table("reviews", rows.ReviewRow, sa.Index(None, "message_id"), sa.Index(None, "project_id", "created"))
# Their words are in a full-text index beside the table: `repositories.openings`.
openings = _table("openings", rows.OpeningRow, sa.UniqueConstraint("project_id", "ref"))
subscriptions = _table("subscriptions", rows.SubscriptionRow, _secret(), sa.Index(None, "project_id"))
mails = _table("mails", rows.MailRow, sa.Index(None, "sent", "next_at"), sa.Index(None, "project_id", "created"))
comments = _table("comments", rows.CommentRow, sa.Index(None, "message_id", "created"))
notices = _table("notices", rows.NoticeRow, sa.Index(None, "user_id", "project_id", "seen"))
# What a worker does for an assistant: of each kind one at a time is not over, which this index sees to.
_IS_OPEN = sa.text("finished IS NULL")
tasks = _table(
    "tasks",
    rows.TaskRow,
    sa.Index(None, "project_id", "kind", "created"),
    sa.Index("ix_tasks_open", "project_id", "kind", unique=True, sqlite_where=_IS_OPEN, postgresql_where=_IS_OPEN),
)

# What holds for the whole workspace, and the text of help that people wrote.
options = sa.Table(
    "options",
    metadata,
    sa.Column("name", Word(100), primary_key=True),
    sa.Column("value", sa.JSON, nullable=False),
)
