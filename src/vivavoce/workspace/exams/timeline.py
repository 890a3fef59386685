"""A project over time: the numbers of its intents exams, and every change between them as a mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal

from vivavoce.errors import UsageError, nearest
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.repositories.results import MeasurePoint
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import PRODUCT, person_names
from vivavoce.workspace.exams.courses import MAX_RUNS, is_within
from vivavoce.workspace.exams.verdicts import QuestionVerdict, verdict_between

KIND = "intents"
MEASURES = ("accuracy", "automation_rate", "precision_answered", "negative_rejection", "f1_macro", "f1_weighted")
MAX_MARKS = 200

MarkKind = Literal["edit", "import", "settings", "undo", "engine", "threshold", "out-of-scope share"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that changed: an edit (`edit_id`), or what a run used otherwise than the one before (`run`)."""

    at: datetime
    kind: MarkKind
    text: str
    who: str
    why: str = ""
    edit_id: str = ""
    run: int | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """A measure over the runs of a project, oldest first, and the marks between them, newest first.

    `marks` are the newest; `all_marks` is how many there are. `runs` are those on the line, oldest first. `verdict`
    is on the last of them against the first, None where there is one or none.
    """

    measure: str
    since: datetime | None
    until: datetime | None
    points: tuple[MeasurePoint, ...]
    runs: tuple[Run, ...]
    marks: tuple[Mark, ...]
    all_marks: int
    verdict: QuestionVerdict | None = None


def show_timeline(
    store: Store,
    project: Project,
    *,
    measure: str = "accuracy",
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = MAX_MARKS,
) -> Timeline:
    """Return a measure over time, with what changed meanwhile."""
    if measure not in MEASURES:
        raise UsageError(
            say(
                "'{measure}' is not tracked over time.{nearest}", measure=measure, nearest=nearest(measure, MEASURES)
            ),
            remedy=", ".join(MEASURES),
        )
    with store.reading() as tx:
        # A year of daily runs is a thousand rows, and they change once a day.
        state = (*tx.runs.state(project.id, KIND), *tx.edits.state(project.id))
        key = (project.id, *state, measure, since, until, limit)
        return _KEPT.get(key, lambda: _build(tx, project, measure, since, until, limit))


_KEPT: Kept[Timeline] = Kept(32)


def _build(  # noqa: PLR0917 - what was asked for, as it is kept
    tx: Transaction, project: Project, measure: str, since: datetime | None, until: datetime | None, limit: int
) -> Timeline:
    points = tx.measures.series(project.id, KIND, name=measure, since=since)
    held = tx.runs.page(project.id, KIND, states=(RunState.DONE,), limit=MAX_RUNS)[::-1]
    edits = tx.edits.of_project(project.id, since=since, until=until, limit=limit)
    count = tx.edits.count(project.id, since=since, until=until)
    names = person_names(tx, [edit.user_id for edit in edits])
    known: dict[str, MarkKind] = {"settings": "settings", "undo": "undo"}
    marks = []
    for edit in edits:
        kind = known.get(edit.action) or ("import" if edit.action.startswith("import") else "edit")
        marks.append(Mark(edit.at, kind, edit.summary, names[edit.user_id], edit.why, edit.id))
    within = [run for run in held if is_within(run.created, since, until)]
    changes = tuple(_changed_options(held, since, until))
    ordered = tuple(sorted((*marks, *changes), key=lambda mark: mark.at, reverse=True))[:limit]
    line = tuple(point for point in points if until is None or point.at <= until)
    verdict = verdict_between(tx, within[0], within[-1]) if len(within) > 1 else None
    return Timeline(measure, since, until, line, tuple(within), ordered, count + len(changes), verdict)


def _changed_options(held: Sequence[Run], since: datetime | None, until: datetime | None) -> Iterator[Mark]:
    """Yield what each run used otherwise than the one before it, whatever the settings of the project say."""
    for before, after in pairwise(held):
        if not is_within(after.created, since, until):
            continue
        for kind, option in _FOLLOWED:
            old, new = before.options.get(option), after.options.get(option)
            if old != new:
                text = say(
                    "Run {number} used {kind} {said} instead of {said2}",
                    number=after.number,
                    kind=kind,
                    said=_write(new),
                    said2=_write(old),
                )
                yield Mark(after.created, kind, text, PRODUCT.name, run=after.number)


_FOLLOWED: tuple[tuple[MarkKind, str], ...] = (
    ("engine", "classifier"),
    ("threshold", "threshold"),
    ("out-of-scope share", "out_of_scope_share"),
)


def _write(value: Any) -> str:
    if value is None:
        return say("none")
    return f"{value:g}" if isinstance(value, float) else str(value)
