"""What a run is called where nobody says: its day, what it is about, and what changed since the run before it.

A name is a message whose day is written when it is read: "Monday" within a week, then "16 November".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from vivavoce.jobs.exams.registry import find_kind
from vivavoce.messages import Message, join, join_and, say, say_count
from vivavoce.store.repositories.edits import EditSize
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.store.transaction import Transaction

EditKind = Literal["merge", "move", "split", "import", "undo", "other"]
_KINDS: Mapping[str, EditKind] = {
    "merge topics": "merge",
    "move examples": "move",
    "split topic": "split",
    "import": "import",
    "undo": "undo",
}
# What an exam of topics, and one of scripted conversations, is made of.
TOPICS = ("topics", "examples")
SCRIPTS = ("suites", "scenarios", "bots")
MAX_PARTS = 2
# A run that failed or was cancelled tells nothing to hold the next one against.
_HELD = (RunState.WAITING, RunState.RUNNING, RunState.CONCLUDING, RunState.DONE)


def kind_of(action: str) -> EditKind:
    """Return the kind of an edit."""
    return _KINDS.get(action) or ("import" if action.startswith("import") else "other")


def name_run(  # noqa: PLR0917 - where, what, about what and when: none of them can be left out
    tx: Transaction,
    project: Project,
    kind: str,
    subject: str,
    at: datetime,
    options: Mapping[str, Any],
    *,
    suite_id: str | None = None,
) -> Message:
    """Return what a run that begins now is called: its day, its subject (if any) and what changed before it."""
    before = run_before(tx, project, kind, suite_id)
    # What was never held before says so by its subject, where it has one.
    nouns, news = nouns_of(kind), ""
    if before is not None and nouns:
        changes = describe_edits(tx.edits.sizes(project.id, nouns, before.created, at))
        news = say("after {changes}", changes=changes) if changes else say("nothing changed")
    elif nouns and not subject:
        news = say("first exam")
    # The classifier where it is not the usual one, or not the one of the run before.
    classifier = options.get("classifier")
    usual = {project.classifier} if before is None else {project.classifier, before.options.get("classifier")}
    engine = say("with {classifier}", classifier=classifier) if classifier and usual != {classifier} else ""
    parts = [part for part in (subject, news, engine) if part]
    title = say("{day:day}, {what}", day=at.isoformat(), what=join(", ", parts))
    if tx.runs.has_title(project.id, title):
        title = say("{day:moment}, {what}", day=at.isoformat(), what=join(", ", parts))
    return title


def run_before(
    tx: Transaction, project: Project, kind: str, suite_id: str | None = None, number: int | None = None
) -> Run | None:
    """Return the run that a new one, or the one of a number, is held against: of the same kind and suite."""
    held = tx.runs.page(project.id, kind, states=_HELD, limit=100)
    alike = (run for run in held if run.suite_id == suite_id and (number is None or run.number < number))
    return next(alike, None)


def nouns_of(kind: str) -> tuple[str, ...]:
    """Return what edits must touch to matter to an exam; nothing where edits do not make its material."""
    if kind == "conversations":
        return SCRIPTS
    return TOPICS if kind != "dialogues" and find_kind(kind).material == "topics" else ()


def describe_edits(sizes: Iterable[EditSize]) -> Message | None:
    """Say what edits did, the most telling first: "11 merges, 6 moves and 2 other edits". None: nothing is left."""
    every = list(sizes)
    # Edits that were undone among them, and their undoing, are left out.
    ids = {size.edit_id for size in every}
    gone = {size.edit_id for size in every if size.undone_by in ids}
    holding = [size for size in every if size.edit_id not in gone and size.undoes not in gone]
    counts: Counter[str] = Counter()
    edits: dict[str, set[str]] = {}
    for size in holding:
        if (key := _group(size)) is not None:
            counts[key] += size.removed if key == "merge" else size.added if key in ("split", "import") else size.rows
            edits.setdefault(key, set()).add(size.edit_id)
    found = [key for key in _PHRASES if counts[key]]
    named, rest = found[:MAX_PARTS], found[MAX_PARTS:]
    parts = [_PHRASES[key](counts[key], len(edits[key])) for key in named]
    if others := {edit for key in rest for edit in edits[key]}:
        parts.append(say_count(len(others), "{n} other edit", "{n} other edits"))
    return join_and(parts) if parts else None


# Of these one kind of row stands for the whole edit.
_MAIN_NOUN: Mapping[str, str] = {
    "merge": "topics",
    "split": "topics",
    "add topic": "topics",
    "delete topics": "topics",
}


def _group(size: EditSize) -> str | None:
    """Return what an edit counts as; None for rows that another row of the same edit stands for."""
    kind = kind_of(size.action)
    if size.noun != _MAIN_NOUN.get(kind if kind != "other" else size.action, size.noun):
        return None
    if kind == "import":
        return {"examples": "import", "suites": "suite"}.get(size.noun)
    if kind != "other":
        return kind
    step = "add" if size.added == size.rows else "delete" if size.removed == size.rows else "change"
    return f"{step} {size.noun}"


def _import(n: int, edits: int) -> Message:
    examples = say_count(n, "{n} example", "{n} examples")
    return say_count(edits, "an import of {examples}", "{n} imports of {examples}", examples=examples)


# The most telling first.
_PHRASES: Mapping[str, Callable[[int, int], Message]] = {
    "merge": lambda n, _: say_count(n, "{n} merge", "{n} merges"),
    "move": lambda n, _: say_count(n, "{n} move", "{n} moves"),
    "split": lambda n, _: say_count(n, "{n} split", "{n} splits"),
    "import": _import,
    "suite": lambda n, _: say_count(n, "{n} imported suite", "{n} imported suites"),
    "add topics": lambda n, _: say_count(n, "{n} new topic", "{n} new topics"),
    "delete topics": lambda n, _: say_count(n, "{n} deleted topic", "{n} deleted topics"),
    "add examples": lambda n, _: say_count(n, "{n} new example", "{n} new examples"),
    "delete examples": lambda n, _: say_count(n, "{n} deleted example", "{n} deleted examples"),
    "change examples": lambda n, _: say_count(n, "{n} reworded example", "{n} reworded examples"),
    "add scenarios": lambda n, _: say_count(n, "{n} new scenario", "{n} new scenarios"),
    "change scenarios": lambda n, _: say_count(n, "{n} edited scenario", "{n} edited scenarios"),
    "delete scenarios": lambda n, _: say_count(n, "{n} deleted scenario", "{n} deleted scenarios"),
    "add bots": lambda n, _: say_count(n, "{n} new bot", "{n} new bots"),
    "change bots": lambda n, _: say_count(n, "{n} changed bot", "{n} changed bots"),
    "delete bots": lambda n, _: say_count(n, "{n} deleted bot", "{n} deleted bots"),
    "change topics": lambda n, _: say_count(n, "{n} edited topic", "{n} edited topics"),
    "undo": lambda _, edits: say_count(edits, "{n} undone edit", "{n} undone edits"),
}
