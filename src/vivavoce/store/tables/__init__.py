"""All tables of a workspace: people, material, edits, runs, talks."""

from vivavoce.store.tables.columns import JsonTuple, Moment, metadata
from vivavoce.store.tables.edits import changes, edits
from vivavoce.store.tables.material import (
    answers,
    bots,
    examples,
    projects,
    scenario_versions,
    scenarios,
    suites,
    topics,
)
from vivavoce.store.tables.people import attempts, audit, links, sessions, tokens, users
from vivavoce.store.tables.runs import (
    documents,
    materials,
    measures,
    outcomes,
    paces,
    runs,
    schedules,
    turns,
    units,
    workers,
)
from vivavoce.store.tables.talks import dialogues, options, ratings, scores

__all__ = [
    "JsonTuple",
    "Moment",
    "answers",
    "attempts",
    "audit",
    "bots",
    "changes",
    "dialogues",
    "documents",
    "edits",
    "examples",
    "links",
    "materials",
    "measures",
    "metadata",
    "options",
    "outcomes",
    "paces",
    "projects",
    "ratings",
    "runs",
    "scenario_versions",
    "scenarios",
    "schedules",
    "scores",
    "sessions",
    "suites",
    "tokens",
    "topics",
    "turns",
    "units",
    "users",
    "workers",
]
