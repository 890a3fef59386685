"""How a project stands today: its state, the biggest problems, what changed in a week, and what is going on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.projects.moves import (
    ExamState,
    Move,
    find_alarms,
    find_moves,
    read_numbers,
    read_verdicts,
)
from vivavoce.workspace.projects.problems import Problem, find_problems

WEEK = timedelta(days=7)
EXAMS = ("intents", "conversations", "dialogues")
LOOKED_AT = 60

Light = Literal["none", "good", "watch", "bad"]
Step = Literal["topics", "intents", "suite", "bot", "conversations", "talks", "dialogues"]


@dataclass(frozen=True, slots=True)
class PersonWork:
    """What one person changed in a week."""

    who: str
    edits: int
    last: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Today:
    """How a project stands. `light` good: nothing fell and nothing is badly mixed up; none: nothing was examined.

    `edits_since_exam`: changes that the newest intents exam does not know. `steps`: what is worth doing next.
    """

    light: Light
    exams: tuple[ExamState, ...]
    alarms: tuple[Move, ...]
    problems: tuple[Problem, ...]
    moves: tuple[Move, ...]
    people: tuple[PersonWork, ...]
    runs: tuple[Run, ...]
    open: tuple[Run, ...]
    steps: tuple[Step, ...]
    edits_since_exam: int
    since: datetime


def show_today(store: Store, project: Project) -> Today:
    """Return how a project stands now."""
    since = now() - WEEK
    with store.reading() as tx:
        recent = tx.runs.page(project.id, limit=LOOKED_AT)
        exams = tuple(_exams(tx, project, since))
        numbers, verdicts = read_numbers(tx, exams), read_verdicts(tx, exams)
        people = _people(tx, project, since)
        going = tx.runs.open(project.id)
        steps = tuple(_steps(tx, project, {exam.exam for exam in exams}))
        unknown = _unknown_edits(tx, project, exams)
    moves, alarms = (tuple(find(exams, numbers, verdicts)) for find in (find_moves, find_alarms))
    problems = find_problems(store, project, {exam.exam: exam.run for exam in exams})
    return Today(
        light=_light(exams, alarms, problems),
        exams=exams,
        alarms=alarms,
        problems=problems,
        moves=moves,
        people=people,
        runs=tuple(run for run in recent if run.created >= since and not run.state.open),
        open=going,
        steps=steps,
        edits_since_exam=unknown,
        since=since,
    )


def open_runs(store: Store, project: Project) -> tuple[Run, ...]:
    """Return the runs of a project that are going on, the oldest first."""
    with store.reading() as tx:
        return tx.runs.open(project.id)


def _light(exams: Sequence[ExamState], alarms: Sequence[Move], problems: Sequence[Problem]) -> Light:
    if not exams:
        return "none"
    return "bad" if alarms else "watch" if problems else "good"


# --- runs that can be held against each other --------------------------------------------------------------------


def _exams(tx: Transaction, project: Project, since: datetime) -> Iterator[ExamState]:
    for exam in EXAMS:
        done = tx.runs.page(project.id, exam, states=(RunState.DONE,), limit=LOOKED_AT)
        if done:
            older = [run for run in done[1:] if _is_alike(run, done[0])]
            base = next((run for run in older if run.created <= since), older[-1] if older else None)
            yield ExamState(exam, done[0], older[0] if older else None, base)


def _is_alike(run: Run, other: Run) -> bool:
    """Tell whether two runs asked the same kind of questions."""
    source = "settings" if run.kind == "intents" else "source"
    return run.suite_id == other.suite_id and run.options.get(source) == other.options.get(source)


# --- what people did, and what is left to do ---------------------------------------------------------------------


def _people(tx: Transaction, project: Project, since: datetime) -> tuple[PersonWork, ...]:
    """Return who changed how much since a time, the most recent first."""
    counts = tx.edits.by_person(project.id, since)
    last: dict[str | None, str] = {}
    for edit in tx.edits.of_project(project.id, since=since, limit=200):
        last.setdefault(edit.user_id, edit.summary)
    users = {user_id: tx.users.get(user_id) for user_id in counts if user_id}
    names = {user_id: user.name or user.login for user_id, user in users.items() if user}
    found = [
        PersonWork(names.get(user_id or "", PRODUCT.name), count, last.get(user_id, ""), at)
        for user_id, (count, at) in counts.items()
    ]
    return tuple(sorted(found, key=lambda one: one.at, reverse=True))


def _unknown_edits(tx: Transaction, project: Project, exams: Sequence[ExamState]) -> int:
    """Return how many edits of topics, answers or examples came after the newest intents exam began."""
    run = next((exam.run for exam in exams if exam.exam == "intents"), None)
    if run is None:
        return 0
    return tx.edits.count_of_topics(project.id, run.created)


def _steps(tx: Transaction, project: Project, examined: set[str]) -> Iterator[Step]:
    """Yield what the project lacks, in the order in which it is worth doing."""
    if not tx.examples.count(project.id):
        yield "topics"
    elif "intents" not in examined:
        yield "intents"
    suites, bots = tx.suites.of_project(project.id), tx.bots.of_project(project.id)
    if not suites:
        yield "suite"
    if not bots:
        yield "bot"
    if suites and "conversations" not in examined:
        yield "conversations"
    if not tx.dialogues.count(project.id):
        yield "talks"
    elif "dialogues" not in examined:
        yield "dialogues"
